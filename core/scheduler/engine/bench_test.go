package engine_test

import (
	"fmt"
	"runtime"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/trim"
)

// BenchmarkDecision is one pod from the API server's event to its binding, on a cluster of three zones where
// every node is feasible. One operation is one pod.
func BenchmarkDecision(b *testing.B) {
	for _, nodes := range []int{500, 5000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			e := newFilledEngine(b, nodes, 0)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				pod := mk.Pod(fmt.Sprintf("p%d", i)).CPU("100m").Memory("100Mi").Obj()
				apply(b, e, world.Changed{Op: world.Added, Object: pod})
				if d, ok := e.Step(); !ok || d.Verdict != engine.Placed {
					b.Fatalf("pod %d was not placed: %+v", i, d)
				}
				for _, effect := range e.Effects() {
					apply(b, e, world.EffectDone{Effect: effect.ID})
				}
				e.Effects()
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pods/s")
		})
	}
}

// BenchmarkGang is a gang whose pods come one by one, and are placed and bound. One operation is one pod.
func BenchmarkGang(b *testing.B) {
	features, err := config.ParseFeatures(map[string]bool{"GenericWorkload": true, "GangScheduling": true})
	if err != nil {
		b.Fatal(err)
	}
	for _, pods := range []int{500, 5000} {
		for _, least := range []int{pods, pods / 2} {
			b.Run(fmt.Sprintf("pods=%d/least=%d", pods, least), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					e := newFilledEngineWith(b, engine.Options{Start: start, Config: config.Default(features)}, 500, 0)
					apply(b, e, world.Changed{Op: world.Added, Object: mk.Workload("train", mk.Gang("workers", int32(least)))})
					b.StartTimer()
					for i := range pods {
						pod := mk.Pod(fmt.Sprintf("p%d", i)).CPU("100m").Memory("100Mi").InGroup("train", "workers").Obj()
						apply(b, e, world.Changed{Op: world.Added, Object: pod})
					}
					for d, more := e.Step(); more; d, more = e.Step() {
						if d.Verdict != engine.Placed {
							b.Fatalf("%+v", d)
						}
					}
					bound := 0
					for _, effect := range e.Effects() {
						if _, is := effect.Action.(world.Bind); is {
							bound++
						}
					}
					if bound != pods {
						b.Fatalf("%d of %d pods are bound", bound, pods)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*pods), "µs/pod")
			})
		}
	}
}

// BenchmarkFork is a fork of the engine of a large cluster, alone and with a decision of it, as whatif and explain make one.
func BenchmarkFork(b *testing.B) {
	e := newFilledEngine(b, 5000, 100_000)
	decide := func(e *engine.Engine, name string) {
		pod := mk.Pod(name).Label("app", "web").CPU("100m").Obj()
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels},
		}}
		apply(b, e, world.Changed{Op: world.Added, Object: pod})
		if d, _ := e.Step(); d == nil || d.Verdict != engine.Placed {
			b.Fatalf("%s: %+v", name, d)
		}
	}
	decide(e, "first")
	for name, then := range map[string]func(*engine.Engine){"alone": func(*engine.Engine) {}, "decides": func(f *engine.Engine) { decide(f, "second") }} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				fork, err := e.Fork()
				if err != nil {
					b.Fatal(err)
				}
				then(fork)
			}
		})
	}
}

// BenchmarkState is what a recording that begins in the middle costs: a fork, which is all that the scheduler waits for, its state
// as objects and bytes, and an engine made of these. The cluster has 5,000 nodes and 100,000 pods, of which 5,000 are pending.
func BenchmarkState(b *testing.B) {
	e := newFilledEngine(b, 5000, 0)
	for i := range 95_000 {
		apply(b, e, world.Changed{Op: world.Added, Object: deploymentPod(i)})
	}
	for i := range 5000 {
		apply(b, e, world.Changed{Op: world.Added, Object: mk.Pod(fmt.Sprintf("waiting%d", i)).CPU("1000").Obj()})
	}
	for _, more := e.Step(); more; _, more = e.Step() {
		e.Effects()
	}
	fork, err := e.Fork()
	if err != nil {
		b.Fatal(err)
	}
	state, err := fork.State()
	if err != nil {
		b.Fatal(err)
	}
	for name, run := range map[string]func() error{
		"fork":  func() error { _, err := e.Fork(); return err },
		"write": func() error { _, err := fork.State(); return err },
		"read": func() error {
			restored, err := engine.New(engine.Options{Start: start})
			if err != nil {
				return err
			}
			return restored.Restore(state)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(state.Data))/(1<<20), "MiB-data")
		})
	}
}

// BenchmarkMemory is the memory of an engine with 5,000 nodes and 100,000 bound pods, objects included.
// The pods are as a Deployment's are after trimming: two containers, labels, an owner, conditions.
func BenchmarkMemory(b *testing.B) {
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		e := newFilledEngine(b, 5000, 0)
		for i := range 100_000 {
			apply(b, e, world.Changed{Op: world.Added, Object: deploymentPod(i)})
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB-held")
		b.ReportMetric(float64(after.Sys)/(1<<20), "MiB-from-system")
		runtime.KeepAlive(e)
	}
}

func deploymentPod(i int) *v1.Pod {
	name := fmt.Sprintf("checkout-service-6d4cf56db6-%05d", i)
	pod := mk.Pod(name).UID(fmt.Sprintf("7c9e6679-7425-40de-944b-%012d", i)).Node(fmt.Sprintf("n%d", i%5000)).
		CPU("100m").Memory("100Mi").Phase(v1.PodRunning).Started(start).
		Container("sidecar", "registry.example.com/mesh/proxy:1.2.3", mk.Resources("cpu", "10m", "memory", "20Mi")).
		Label("app", "checkout").Label("pod-template-hash", "6d4cf56db6").Label("tier", "backend").
		Owner("apps/v1", "ReplicaSet", "checkout-service-6d4cf56db6").
		Condition(v1.PodReady, v1.ConditionTrue, "").Condition(v1.PodScheduled, v1.ConditionTrue, "").Obj()
	return trim.Object(pod).(*v1.Pod)
}

// newFilledEngine returns an engine with nodes and pods bound to them.
func newFilledEngine(b testing.TB, nodes, pods int) *engine.Engine {
	b.Helper()
	return newFilledEngineWith(b, engine.Options{Start: start}, nodes, pods)
}

func newFilledEngineWith(b testing.TB, options engine.Options, nodes, pods int) *engine.Engine {
	b.Helper()
	e, err := engine.New(options)
	if err != nil {
		b.Fatal(err)
	}
	for i := range nodes {
		node := mk.Node(fmt.Sprintf("n%d", i)).Zone(fmt.Sprintf("z%d", i%3)).CPU("64").Memory("256Gi").Pods("1000").Obj()
		apply(b, e, world.Changed{Op: world.Added, Object: node})
	}
	for i := range pods {
		pod := mk.Pod(fmt.Sprintf("old%d", i)).Node(fmt.Sprintf("n%d", i%nodes)).CPU("100m").Memory("100Mi").
			Label("app", "web").Phase(v1.PodRunning).Obj()
		apply(b, e, world.Changed{Op: world.Added, Object: pod})
	}
	return e
}

func apply(b testing.TB, e *engine.Engine, event world.Event) {
	if err := e.Apply(world.Input{At: start, Event: event}); err != nil {
		b.Fatal(err)
	}
}
