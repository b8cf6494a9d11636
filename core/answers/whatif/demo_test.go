package whatif_test

import (
	"slices"
	"testing"

	"orrery/core/answers/whatif"
	"orrery/core/scheduler/engine"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo"
)

// engineAt returns the engine of an embedded trace at a share of its length.
func engineAt(t testing.TB, name string, tenths int) *engine.Engine {
	t.Helper()
	file, err := demo.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := play.NewPlayer(file, play.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.SeekRecord(p.End().Record * tenths / 10); err != nil {
		t.Fatal(err)
	}
	return p.Engine()
}

func TestEvaluate_AnyMomentOfRecordings(t *testing.T) {
	for _, name := range []string{"morning-rush", "node-drain", "memory-pressure"} {
		if !slices.ContainsFunc(demo.Traces(), func(d demo.Trace) bool { return d.Name == name }) {
			continue
		}
		for _, tenths := range []int{3, 6} {
			e := engineAt(t, name, tenths)
			digest := e.Digest()
			for o := range e.Store().Objects(world.Node) {
				drained := evaluate(t, e, "drain "+o.GetName())
				checkSums(t, []string{name, "drain"}, drained)
				if drained.With.Moved+drained.With.Evicted+len(drained.Blocked) == 0 || drained.Truncated {
					t.Errorf("%s at %v: draining %s ends with %+v, truncated %v", name, e.Now(), o.GetName(), drained.With, drained.Truncated)
				}
				break
			}
			if nothing := evaluate(t, e, ""); len(nothing.Pods) > 0 || nothing.Without != nothing.With || nothing.Truncated {
				t.Errorf("%s at %v: nothing is changed, and %d pods fare differently", name, e.Now(), len(nothing.Pods))
			}
			if e.Digest() != digest {
				t.Errorf("%s at %v: the engine that was asked has changed", name, e.Now())
			}
		}
	}
}

func evaluate(t testing.TB, e *engine.Engine, question string) *whatif.Result {
	t.Helper()
	a, err := whatif.Evaluate(e, changes(t, question), whatif.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A pod that is placed with the changes, and then preempted, is evicted, though it had no node at the start.
func TestEvaluate_CountsEvictionsOfPodsPlacedSince(t *testing.T) {
	checkSums(t, []string{"priority-storm"}, evaluate(t, engineAt(t, "priority-storm", 10), "delete node rack-a-01"))
}
