package preempt_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/release"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// decideIn is decide of a release.
func decideIn(t *testing.T, r release.Release, objects ...world.Object) engine.Decision {
	t.Helper()
	e, err := engine.New(engine.Options{Start: dawn, Config: config.Default(config.FeaturesOf(r))})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if err := e.Apply(world.Input{At: dawn, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	d, ok := e.Step()
	if !ok {
		t.Fatal("there was no decision")
	}
	return *d
}

// The more important of two victims violates an exhausted budget. If it is charged to the next one too, which allows a single disruption, the
// other victim violates that.
func TestBudgetsUpToFirstViolation(t *testing.T) {
	both := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "name", Operator: metav1.LabelSelectorOpExists}}}
	objects := []world.Object{
		node("n1", "2"), mk.Pod("big").CPU("2").Priority(100).Obj(),
		budget("a-exhausted", 0, label("first")), budget("b-single", 1, both),
		running("first", "n1", "1", 9).Obj(), running("second", "n1", "1", 1).Obj(),
	}
	for r, want := range map[release.Release]int{release.V135: 2, release.V136: 2, release.V137: 1} {
		d := decideIn(t, r, objects...)
		if d.Preemption == nil || len(d.Preemption.Victims) != 2 || d.Preemption.Violations != want {
			t.Errorf("in %v the preemption is %+v, want 2 victims and %d violations", r, d.Preemption, want)
		}
	}
}

func TestPreemptionReported(t *testing.T) {
	const found = "preemption: found a potential placement for pod on node n1, preempting 1 victims"
	for r, want := range map[release.Release]bool{release.V135: false, release.V136: false, release.V137: true} {
		d := decideIn(t, r, node("n1", "2"), mk.Pod("big").CPU("2").Priority(100).Obj(), running("a", "n1", "2", 1).Obj())
		if d.Preemption == nil || strings.Contains(d.Message, found) != want {
			t.Errorf("in %v the message is %q", r, d.Message)
		}
	}
}

// Of equally important pods that have not started, those that the node has last are the first victims.
func TestUnstartedVictimsInOrder(t *testing.T) {
	objects := []world.Object{node("n1", "30"), mk.Pod("big").CPU("2").Priority(100).Obj()}
	for i := range 30 { // more than an unstable sort leaves in order
		objects = append(objects, mk.Pod(fmt.Sprintf("p%02d", i)).Node("n1").CPU("1").Priority(1).Obj())
	}
	d := decideIn(t, release.V137, objects...)
	if d.Preemption == nil || len(d.Preemption.Victims) != 2 {
		t.Fatalf("the preemption is %+v, want 2 victims", d.Preemption)
	}
	for i, want := range []string{"p28", "p29"} {
		if got := d.Preemption.Victims[i].Name; got != want {
			t.Errorf("victim %d is %s, want %s", i, got, want)
		}
	}
}

func TestNoClaimsNoMessage(t *testing.T) {
	for r, want := range map[release.Release]bool{release.V135: true, release.V136: true, release.V137: false} {
		d := decideIn(t, r, node("n1", "2"), mk.Pod("big").CPU("9").Obj())
		if d.Message == "" || strings.Contains(d.Message, "no new claims to deallocate") != want {
			t.Errorf("in %v the message is %q", r, d.Message)
		}
	}
}
