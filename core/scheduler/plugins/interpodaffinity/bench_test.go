package interpodaffinity

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/cache"
	"orrery/core/testing/mk"
)

const benchNodes, benchPods, benchApps = 5000, 50000, 500

// BenchmarkDecision schedules a pod in a cluster of 50,000 on 5,000 nodes, all with anti-affinity to their own app: PreFilter,
// Filter of 500 nodes, PreScore, Score and NormalizeScore, each time after one node changed.
func BenchmarkDecision(b *testing.B) {
	for name, waiting := range map[string]func(i int) *v1.Pod{
		"of one application":         func(int) *v1.Pod { return benchPod("waiting", 7) },
		"of 500 applications":        func(i int) *v1.Pod { return benchPod("waiting", i) },
		"of a pod without any terms": func(i int) *v1.Pod { return plain("waiting", fmt.Sprint("app", i%benchApps)) },
	} {
		b.Run(name, func(b *testing.B) { benchmark(b, waiting) })
	}
}

func benchPod(name string, app int) *v1.Pod {
	value := fmt.Sprint("app", app%benchApps)
	return pod(name, value, nil, of(term(host, value)))
}

func benchmark(b *testing.B, waiting func(i int) *v1.Pod) {
	c, snapshot := cache.New(), cache.NewSnapshot()
	for i := range benchNodes {
		c.AddNode(mk.Node(fmt.Sprint("n", i)).Zone(fmt.Sprint("z", i%3)).Obj())
	}
	for i := range benchPods {
		p := benchPod(fmt.Sprint("p", i), i)
		p.Spec.NodeName = fmt.Sprint("n", i%benchNodes)
		if err := c.AddPod(p); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.UpdateSnapshot(snapshot); err != nil {
		b.Fatal(err)
	}
	s := fixtureOf(b, snapshot, arguments(1, false))
	s.Schedule(b, waiting(0), 500)
	made := 0
	b.ReportAllocs()
	for b.Loop() {
		s.Schedule(b, waiting(made), 500)
		b.StopTimer()
		made++
		p := benchPod(fmt.Sprint("new", made), made)
		p.Spec.NodeName = fmt.Sprint("n", made*7%benchNodes)
		if err := c.AddPod(p); err != nil {
			b.Fatal(err)
		}
		if err := c.UpdateSnapshot(snapshot); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
