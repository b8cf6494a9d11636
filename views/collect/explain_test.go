package collect_test

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// placedThenChanged is an engine that placed a pod on n1, after which a better node came; its log keeps some decisions.
func placedThenChanged(t *testing.T, logged int) (*engine.Engine, *engine.Decision) {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start, DecisionLogSize: logged})
	if err != nil {
		t.Fatal(err)
	}
	apply := func(op world.Op, o world.Object) {
		if err := e.Apply(world.Input{At: e.Now().Add(time.Second), Event: world.Changed{Op: op, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	var first *engine.Decision
	bind := func(pod *v1.Pod) {
		apply(world.Added, pod)
		d, _ := e.Step()
		if d == nil || d.Verdict != engine.Placed {
			t.Fatalf("%s was not placed: %+v", pod.Name, d)
		}
		if first == nil {
			kept := *d
			first = &kept
		}
		for _, effect := range e.Effects() {
			if !world.HasOutcome(effect.Action) {
				continue
			}
			if err := e.Apply(world.Input{At: e.Now(), Event: world.EffectDone{Effect: effect.ID}}); err != nil {
				t.Fatal(err)
			}
		}
		bound := pod.DeepCopy()
		bound.Spec.NodeName = d.Node
		apply(world.Modified, bound)
	}
	apply(world.Added, mk.Node("n1").CPU("4").Memory("8Gi").Pods("10").Obj())
	apply(world.Added, mk.Node("n2").CPU("4").Memory("6Gi").Pods("10").Obj())
	bind(mk.Pod("first").CPU("1").Memory("1Gi").Obj())
	apply(world.Added, mk.Node("big").CPU("64").Memory("256Gi").Pods("100").Obj())
	bind(mk.Pod("second").CPU("1").Memory("1Gi").Obj())
	return e, first
}

// TestExplain_PlacedPodAsItWasDecided: where the past cannot be had, the log tells what was decided, and what would be decided now is
// told as such.
func TestExplain_PlacedPodAsItWasDecided(t *testing.T) {
	e, d := placedThenChanged(t, 0)
	c := collect.New(collect.Options{})
	query := collect.Query{Open: views.ExplainPane, Pod: world.PodRef{Namespace: "default", Name: "first"}, Rows: 50}
	draws := func(m *views.Model) string {
		canvas := draw.New(120, 40)
		views.Screen(canvas, m, &views.State{Open: views.ExplainPane}, draw.Braille, e.Now())
		return canvas.Plain()
	}
	for range 40 { // also when it is old enough to be diagnosed again
		was := c.Model(e, query)
		x := was.Explain
		if x.Status.Node != d.Node || !x.Evaluated.AsDecided || !x.Evaluated.At.Equal(d.At) || x.Matrix.Total > 0 {
			t.Fatalf("the answer is %+v, want that of %+v", x.Answer, d)
		}
		if x.Winner.Node != d.Node || x.Winner.Score != d.Score || x.RunnerUp.Node != d.RunnerUp || x.RunnerUp.Score != d.RunnerUpScore || *x.Counts != (answer.NodeCounts{Total: d.Nodes, Examined: d.Examined, Feasible: d.Feasible}) {
			t.Fatalf("the explanation is %+v, want the decision's %+v", x, d)
		}
		if text := draws(was); !strings.Contains(text, "bound → "+d.Node) || strings.Contains(text, "as if it had") || !strings.Contains(text, "What each plugin said") {
			t.Fatalf("the screen is\n%s", text)
		}
		if err := e.Apply(world.Input{At: e.Now().Add(time.Second), Event: world.Tick{}}); err != nil {
			t.Fatal(err)
		}
	}
	query.AsNow = true
	now := c.Model(e, query)
	if x := now.Explain; !x.Hypothetical() || x.Today.Node != "big" || x.Status.Node != d.Node || len(x.Remedies) > 0 {
		t.Errorf("as it would be now, it is on %+v, and the pod on %s", x.Today, x.Status.Node)
	}
	if text := draws(now); !strings.Contains(text, "today it would go to big") || !strings.Contains(text, "bound → "+d.Node) {
		t.Errorf("the screen is\n%s", text)
	}
}

// TestExplain_ForgottenDecision says of a pod whose decision is not known any more where it is, and no more.
func TestExplain_ForgottenDecision(t *testing.T) {
	e, d := placedThenChanged(t, 1)
	m := collect.New(collect.Options{}).Model(e, collect.Query{Open: views.ExplainPane, Pod: world.PodRef{Namespace: "default", Name: "first"}, Rows: 50})
	if x := m.Explain; x.Hypothetical() || x.Status.Node != d.Node || x.Winner != nil {
		t.Errorf("the answer is %+v", x.Answer)
	}
	canvas := draw.New(120, 40)
	views.Screen(canvas, m, &views.State{Open: views.ExplainPane}, draw.Braille, e.Now())
	for _, part := range []string{"bound → " + d.Node, "decided before anything that is known here"} {
		if !strings.Contains(canvas.Plain(), part) {
			t.Errorf("the screen does not show %q:\n%s", part, canvas.Plain())
		}
	}
}
