//go:build !race

package play_test

import (
	"fmt"
	"runtime"
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// What a placed pod of a known template may allocate between its arrival and its bind effect while the flight recorder runs. Its
// forks are in it: each has the engine copy what it writes to for the first time.
const (
	recordedAllocations = 12
	recordedBytes       = 4096
)

// The race detector allocates, too, so that this test runs without it.
func TestFlightRecorder_Allocations(t *testing.T) {
	const nodes, unmeasured, measured = 1000, 20_000, 6000
	e := newEngine(t, options(0))
	recorder, err := play.NewFlightRecorder(e, options(0), 32<<20)
	if err != nil {
		t.Fatal(err)
	}
	tell := func(event world.Event) {
		in := world.Input{At: start, Event: event}
		err := e.Apply(in)
		if recorder.Applied(in, err); err != nil {
			t.Fatal(err)
		}
	}
	for i := range nodes {
		tell(world.Changed{Op: world.Added, Object: mk.Node(fmt.Sprintf("n%d", i)).CPU("64").Memory("256Gi").Pods("100").Obj()})
	}
	emitted := func() world.Effect {
		effects := e.Effects()
		for _, effect := range effects {
			recorder.Emitted(effect)
		}
		return effects[0]
	}
	var before, after runtime.MemStats
	var allocations, bytes uint64
	for i := range unmeasured + measured {
		pod := mk.Pod(fmt.Sprintf("p%d", i)).CPU("100m").Memory("100Mi").Label("app", "web").Obj()
		bound := *pod
		if i >= unmeasured {
			runtime.ReadMemStats(&before)
		}
		tell(world.Changed{Op: world.Added, Object: pod})
		d, _ := e.Step()
		recorder.Stepped(d)
		bind := emitted()
		if i >= unmeasured {
			runtime.ReadMemStats(&after)
			allocations += after.Mallocs - before.Mallocs
			bytes += after.TotalAlloc - before.TotalAlloc
		}
		if d.Verdict != engine.Placed {
			t.Fatalf("pod %s was not placed: %+v", pod.Name, d)
		}
		bound.Spec.NodeName = d.Node
		tell(world.EffectDone{Effect: bind.ID})
		emitted()
		recorder.Stepped(nil)
		tell(world.Changed{Op: world.Modified, Object: &bound})
		tell(world.Changed{Op: world.Deleted, Object: &bound})
	}
	t.Logf("%.2f allocations, %.0f bytes", float64(allocations)/measured, float64(bytes)/measured)
	if allocations > recordedAllocations*measured || bytes > recordedBytes*measured {
		t.Errorf("a pod costs %.2f allocations and %.0f bytes, and may cost %d and %d",
			float64(allocations)/measured, float64(bytes)/measured, recordedAllocations, recordedBytes)
	}
}
