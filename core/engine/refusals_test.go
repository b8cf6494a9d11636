package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/world"
)

// A pod of a gang gets no attempt, as Orrery cannot place it: one event tells why, when the engine decides.
func TestRefusals_EmitOneEvent(t *testing.T) {
	features, err := config.ParseFeatureFlag("GenericWorkload=true", "GangScheduling=true")
	if err != nil {
		t.Fatal(err)
	}
	member := func(name string) *v1.Pod {
		pod := mk.Pod(name).CPU("1").Obj()
		pod.Spec.WorkloadRef = &v1.WorkloadReference{Name: "training", PodGroup: "workers"}
		return pod
	}
	s := newFixture(t, engine.Options{Config: config.Default(features)})
	s.added(mk.Node("n1").CPU("4").Obj(), member("one"), member("two"), mk.Pod("gated").Gate("team/quota").Obj())
	gone := member("gone")
	s.added(gone)
	s.apply(world.Changed{Op: world.Deleted, Object: gone})
	if effects := s.e.Effects(); len(effects) != 0 {
		t.Fatalf("effects of an engine that only follows: %+v", effects)
	}
	fork, err := s.e.Fork()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"FailedScheduling default/one: Orrery cannot place a pod that uses a gang (spec.workloadRef) yet",
		"FailedScheduling default/two: Orrery cannot place a pod that uses a gang (spec.workloadRef) yet",
	}
	for name, e := range map[string]*engine.Engine{"the engine": s.e, "a fork": fork} {
		e.Step()
		if diff := cmp.Diff(want, eventsOf(e)); diff != "" {
			t.Errorf("%s emits (-want +got):\n%s", name, diff)
		}
		e.Step()
		if more := eventsOf(e); len(more) != 0 {
			t.Errorf("%s emits again: %v", name, more)
		}
	}
	updated := member("one")
	updated.Labels = map[string]string{"app": "x"}
	updated.ResourceVersion = "7"
	s.apply(world.Changed{Op: world.Modified, Object: updated})
	s.e.Step()
	if more := eventsOf(s.e); len(more) != 0 {
		t.Errorf("an update is followed by %v, want no event", more)
	}
}

func eventsOf(e *engine.Engine) []string {
	var events []string
	for _, effect := range e.Effects() {
		if event, ok := effect.Action.(world.EmitEvent); ok {
			events = append(events, fmt.Sprint(event.Reason, " ", event.Regarding, ": ", event.Note))
		}
	}
	return events
}
