package podtopologyspread

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/cache"
	"orrery/core/testing/mk"
)

// BenchmarkDecision schedules pods of one application in a cluster of 50,000 pods on 5,000 nodes: PreFilter, Filter of 500 nodes,
// PreScore, Score and NormalizeScore, each time after one node changed. core/parity/plugins/topology measures
// kube-scheduler's plugin on the same objects.
func BenchmarkDecision(b *testing.B) {
	c, snapshot := benchCache(b)
	s := fixtureOf(b, snapshot, noDefaults())
	s.Schedule(b, benchPod(0), 500)
	made := 0
	b.ReportAllocs()
	for b.Loop() {
		s.Schedule(b, benchPod(0), 500)
		b.StopTimer()
		made++
		pod := mk.Pod(fmt.Sprint("new", made)).Label("foo", "app0").Node(fmt.Sprint("n", made*7%benchNodes)).Obj()
		if err := c.AddPod(pod); err != nil {
			b.Fatal(err)
		}
		if err := c.UpdateSnapshot(snapshot); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkFirstDecision counts the whole cluster for a new constraint.
func BenchmarkFirstDecision(b *testing.B) {
	_, snapshot := benchCache(b)
	s := fixtureOf(b, snapshot, noDefaults())
	s.Schedule(b, benchPod(0), 500)
	app := 0
	b.ReportAllocs()
	for b.Loop() {
		app++
		s.Schedule(b, benchPod(app), 500)
	}
}

const benchNodes, benchPods, benchApps = 5000, 50000, 500

func benchCache(b *testing.B) (*cache.Cache, *cache.Snapshot) {
	c, snapshot := cache.New(), cache.NewSnapshot()
	for i := range benchNodes {
		c.AddNode(mk.Node(fmt.Sprint("n", i)).Zone(fmt.Sprint("z", i%3)).Obj())
	}
	for i := range benchPods {
		if err := c.AddPod(mk.Pod(fmt.Sprint("p", i)).Label("foo", fmt.Sprint("app", i%benchApps)).Node(fmt.Sprint("n", i%benchNodes)).Obj()); err != nil {
			b.Fatal(err)
		}
	}
	if err := c.UpdateSnapshot(snapshot); err != nil {
		b.Fatal(err)
	}
	return c, snapshot
}

func benchPod(app int) *v1.Pod {
	name := fmt.Sprint("app", app%benchApps)
	pod := mk.Pod("waiting").Label("foo", name).Obj()
	for _, c := range []v1.TopologySpreadConstraint{hard(zone, 2), soft(v1.LabelHostname, int32(1+app/benchApps))} {
		c.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"foo": name}}
		pod.Spec.TopologySpreadConstraints = append(pod.Spec.TopologySpreadConstraints, c)
	}
	return pod
}
