package engine_test

import (
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestEngine_SkipsDeletedPod(t *testing.T) {
	s := newFixture(t, engine.Options{})
	s.added(mk.Pod("web").CPU("1").Obj()) // there is no node yet
	s.decide()
	s.apply(world.Changed{Op: world.Modified, Object: mk.Pod("web").CPU("1").Deleting(start).Obj()})
	s.added(mk.Node("n1").CPU("4").Memory("8Gi").Obj())
	s.after(10 * time.Second)
	got := s.decide()
	if len(got) != 1 || got[0].Verdict != engine.Skipped {
		t.Fatalf("decisions: %+v, want web skipped", got)
	}
}
