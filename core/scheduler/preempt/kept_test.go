package preempt_test

import (
	"strings"
	"testing"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// The first pod preempts a on n1. The outcomes on all three nodes are kept, and the second pod of the template gets those that still
// hold: each change ends one of them.
func TestKeptOutcomes_EndWithChanges(t *testing.T) {
	second := mk.Pod("second").CPU("2").Priority(100).Obj()
	set := func(o world.Object) world.Changed { return world.Changed{Op: world.Modified, Object: o} }
	add := func(o world.Object) world.Changed { return world.Changed{Op: world.Added, Object: o} }
	for _, tt := range []struct {
		name    string
		changes []world.Changed
		want    string
	}{
		{"nothing", []world.Changed{add(second)}, "n2: b"},
		{"the victim has a higher priority now", []world.Changed{set(running("b", "n2", "2", 9).Obj()), add(second)}, "n3: c"},
		{"the node is cordoned", []world.Changed{set(mk.Node("n2").CPU("2").Memory("8Gi").Unschedulable().Obj()), add(second)}, "n3: c"},
		{"a budget protects the victim", []world.Changed{add(budget("new", 0, label("b"))), add(second)}, "n3: c"},
		{"the budget that matches it allows no disruption any more", []world.Changed{set(budget("guard", 0, label("c"))), set(running("b", "n2", "2", 9).Obj()), add(second)}, "n2: b"},
		{"the first pod is no longer nominated", []world.Changed{{Op: world.Deleted, Object: mk.Pod("first").CPU("2").Priority(100).Obj()}, add(second)}, "n1: a"},
		{"a lower priority", []world.Changed{add(mk.Pod("second").CPU("2").Priority(2).Obj())}, ""},
		{"a larger request", []world.Changed{add(mk.Pod("second").CPU("3").Priority(100).Obj())}, ""},
	} {
		for _, afresh := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				e, err := engine.New(engine.Options{Start: dawn, NoReuse: afresh})
				if err != nil {
					t.Fatal(err)
				}
				for _, o := range []world.Object{
					node("n1", "2"), node("n2", "2"), node("n3", "2"), budget("guard", 1, label("c")),
					running("a", "n1", "2", 1).Obj(), running("b", "n2", "2", 2).Obj(), running("c", "n3", "2", 3).Obj(),
					mk.Pod("first").CPU("2").Priority(100).Obj(),
				} {
					applyTo(t, e, add(o))
				}
				if d, ok := e.Step(); !ok || d.Nominated != "n1" {
					t.Fatalf("the first pod is nominated to %q, want n1", d.Nominated)
				}
				for _, change := range tt.changes {
					applyTo(t, e, change)
				}
				d, ok := e.Step()
				if !ok || d.Pod.Name != "second" {
					t.Fatal("the second pod is not decided on")
				}
				if got := choice(d); got != tt.want {
					t.Errorf("with everything computed afresh: %v: got %q, want %q: %s", afresh, got, tt.want, d.Message)
				}
			})
		}
	}
}

func applyTo(t *testing.T, e *engine.Engine, change world.Changed) {
	t.Helper()
	if err := e.Apply(world.Input{At: dawn, Event: change}); err != nil {
		t.Fatal(err)
	}
}

// choice is the nominated node with the victims.
func choice(d *engine.Decision) string {
	if d.Preemption == nil {
		return ""
	}
	text := d.Nominated + ":"
	for _, v := range d.Preemption.Victims {
		text += " " + v.Name
	}
	return text
}

// A pod that no node has a pod below is told so without a look at the nodes, as long as none changes.
func TestDryRun_NoPodOfLowerPriority(t *testing.T) {
	e, d := decide(t, node("n1", "2"), node("n2", "2"), running("a", "n1", "2", 5).Obj(), running("b", "n2", "2", 7).Obj(),
		mk.Pod("first").CPU("2").Priority(5).Obj())
	const none = "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod."
	if !strings.HasSuffix(d.Message, none) {
		t.Errorf("the message is %q, want the end %q", d.Message, none)
	}
	applyTo(t, e, world.Changed{Op: world.Modified, Object: running("b", "n2", "2", 4).Obj()})
	applyTo(t, e, world.Changed{Op: world.Added, Object: mk.Pod("second").CPU("2").Priority(5).Obj()})
	for {
		d, ok := e.Step()
		if !ok {
			t.Fatal("the second pod is not decided on")
		}
		if d.Pod.Name == "second" {
			if got := choice(d); got != "n2: b" {
				t.Errorf("preempts %q after b has a lower priority, want n2: b", got)
			}
			return
		}
	}
}
