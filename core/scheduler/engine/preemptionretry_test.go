package engine_test

import (
	"testing"
	"time"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// A preemptor whose preemption failed is retried at once. In a cluster without latency that must not loop for
// ever at one time, and must succeed once calls succeed again.
func TestPreemption_ImmediateRetryDoesNotStopTime(t *testing.T) {
	for _, row := range []struct {
		name   string
		faults memory.Faults
		down   time.Duration
		bound  bool
	}{
		{"status patches always fail", memory.Faults{Calls: map[memory.Call]memory.CallFaults{memory.CallPatchStatus: {Refuse: 1}}}, 0, false},
		{"deletions always fail", memory.Faults{Calls: map[memory.Call]memory.CallFaults{memory.CallDelete: {Refuse: 1}}}, 0, false},
		{"the API server is unavailable for a while", memory.Faults{}, 2 * time.Second, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := memory.New(memory.Options{Start: start, Seed: 1, Faults: row.faults})
			must(c.Create(mk.Node("n1").CPU("1").Memory("4Gi").Obj()))
			must(c.Create(mk.Pod("small").UID("").CPU("1").Obj()))
			c.At(start.Add(time.Second), func(c *memory.Cluster) {
				big := mk.Pod("big").UID("").CPU("1").Obj()
				big.Spec.PriorityClassName = "system-cluster-critical"
				must(c.Create(big))
				if row.down > 0 { // after the pod's watch event
					c.After(0, func(c *memory.Cluster) { c.RestartServer(row.down) })
				}
			})
			e := newEngine(t, 1)
			drive.Run(c, start.Add(40*time.Second), drive.NewScheduler(e))
			preemptor := c.Pod("default", "big")
			if preemptor == nil || (preemptor.Spec.NodeName == "n1") != row.bound {
				t.Errorf("the preemptor is %v, want it bound: %v", preemptor, row.bound)
			}
			if e.Counters().Decisions[engine.Unschedulable] < 2 {
				t.Error("the preemptor was not retried")
			}
			if state := e.PodState("default", "big"); state == engine.StateGone {
				t.Error("the preemptor is lost")
			}
			if err := e.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPendingEffects_OnlyWithOutcome(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Node("n1").CPU("1").Obj(), mk.Pod("small").CPU("1").Node("n1").Obj(), mk.Pod("big").CPU("1").Priority(100).Obj())
	pending := func() (all []string) {
		for _, a := range s.e.PendingEffects() {
			all = append(all, effectText(world.Effect{ID: a.Effect, Action: a.Act}))
		}
		return all
	}
	expectEffects(t, pending())
	s.decide()
	expectEffects(t, pending(), "1 patch small DisruptionTarget=True PreemptionByScheduler")
	s.e.Effects()
	expectEffects(t, pending(), "1 patch small DisruptionTarget=True PreemptionByScheduler")
	s.apply(world.EffectDone{Effect: 1})
	s.apply(world.Changed{Op: world.Deleted, Object: mk.Pod("small").CPU("1").Node("n1").Obj()})
	s.after(time.Minute)
	s.decide()
	got := pending()
	if len(got) != 2 || got[0][1:] != " delete small" {
		t.Errorf("pending effects: %q, want a deletion and a binding", got)
	}
	fork, err := s.e.Fork()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(fork.PendingEffects()); n != 2 {
		t.Errorf("the fork has %d pending effects, want 2", n)
	}
	for _, a := range s.e.PendingEffects() {
		s.apply(world.EffectDone{Effect: a.Effect})
	}
	expectEffects(t, pending())
}
