package engine_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// Pods of a trial take room from those after them, until they are released; the engine knows nothing of it.
func TestTrial_PlacesBesideEachOther(t *testing.T) {
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	add := func(objects ...world.Object) []world.Event {
		var events []world.Event
		for _, o := range objects {
			events = append(events, world.Changed{Op: world.Added, Object: o})
		}
		return events
	}
	a, b, c := mk.Pod("a").CPU("1").Obj(), mk.Pod("b").CPU("1").Obj(), mk.Pod("c").CPU("1").Obj()
	for _, event := range add(mk.Node("n").CPU("2").Memory("8Gi").Pods("9").Obj(), a, b, c) {
		if err := e.Apply(world.Input{At: start, Event: event}); err != nil {
			t.Fatal(err)
		}
	}
	if d, _ := e.Step(); d.Pod.Name != "a" {
		t.Fatalf("%s has the first turn", d.Pod)
	}
	before := e.Digest()
	trial, err := e.Trial()
	if err != nil {
		t.Fatal(err)
	}
	place := func(trial *engine.Trial, pod *v1.Pod, likely, want string) {
		t.Helper()
		if got := trial.Place(pod, likely); got != want {
			t.Errorf("pod %s gets node %q, want %q", pod.Name, got, want)
		}
	}
	place(trial, b, "", "n")
	place(trial, c, "", "")
	if trial.Visited() != 2 {
		t.Errorf("%d nodes were visited, want 2", trial.Visited())
	}
	trial.Release(a)
	place(trial, c, "n", "n")
	larger, err := e.Trial(add(mk.Node("m").CPU("1").Memory("8Gi").Pods("9").Obj())...)
	if err != nil {
		t.Fatal(err)
	}
	place(larger, b, "m", "m")
	place(larger, c, "m", "n")
	if e.Digest() != before || e.PodState("default", "b") != engine.StateActive {
		t.Error("trying changed the engine")
	}
	if _, err := e.Trial(add(mk.Pod("").Obj())...); err == nil {
		t.Error("a pod without a name is no error")
	}
}
