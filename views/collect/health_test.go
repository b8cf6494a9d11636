package collect_test

import (
	"context"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// TestHealth_StuckPod names the pod that has been unschedulable for the longest, on every pane.
func TestHealth_StuckPod(t *testing.T) {
	e, ch := busyCluster(t)
	c := collect.New(collect.Options{History: ch})
	for _, open := range []views.PaneID{views.Overview, views.MetricsPane, views.HelpPane} {
		h := c.Model(e, collect.Query{Open: open}).Header.Health
		counts := e.Queue().Counts()
		if want := counts.Unschedulable + counts.Backoff + counts.ErrorBackoff; !h.Known || h.Unplaced != want || want == 0 {
			t.Errorf("%q: %d pods were tried in vain, want %d", open, h.Unplaced, want)
		}
		if h.StuckKey != "ml/trainer-0" || h.StuckReason != "Insufficient memory" || h.StuckOn != 7 || h.StuckSince.IsZero() || h.Nodes == 0 {
			t.Errorf("%q: the health is %+v, want ml/trainer-0, which lacks memory", open, h)
		}
	}
}

// TestHealth_CountsNodesInTrouble changes the conditions of nodes and counts them again.
func TestHealth_CountsNodesInTrouble(t *testing.T) {
	ready, lost := mk.Node("ready").CPU("4").Obj(), mk.Node("lost").CPU("4").Obj()
	pressed := mk.Node("pressed").CPU("4").Obj()
	set := func(n *v1.Node, kind v1.NodeConditionType, status v1.ConditionStatus) *v1.Node {
		n = n.DeepCopy()
		n.Status.Conditions = []v1.NodeCondition{{Type: kind, Status: status}}
		return n
	}
	// Nothing is scheduled here: the scheduler's own snapshot knows of no node.
	e := storageCluster(t, set(ready, v1.NodeReady, v1.ConditionTrue), set(lost, v1.NodeReady, v1.ConditionFalse), set(pressed, v1.NodeMemoryPressure, v1.ConditionTrue))
	c := collect.New(collect.Options{})
	if h := c.Model(e, collect.Query{}).Header.Health; h.Nodes != 3 || h.NotReady != 1 || h.Pressed != 1 || h.OnePressedKey != "pressed" {
		t.Errorf("the health is %+v, want one node not ready and one under pressure", h)
	}
	for _, n := range []*v1.Node{set(lost, v1.NodeReady, v1.ConditionTrue), set(ready, v1.NodeReady, v1.ConditionUnknown), set(pressed, v1.NodeDiskPressure, v1.ConditionFalse)} {
		if err := e.Apply(world.Input{At: e.Now(), Event: world.Changed{Op: world.Modified, Object: n}}); err != nil {
			t.Fatal(err)
		}
	}
	if h := c.Model(e, collect.Query{}).Header.Health; h.NotReady != 1 || h.Pressed != 0 {
		t.Errorf("afterwards the health is %+v, want another node not ready and none under pressure", h)
	}
}

// picky panics over every node.
type picky struct{}

func (picky) Name() string { return "Picky" }
func (picky) Filter(context.Context, fwk.CycleState, *v1.Pod, fwk.NodeInfo) *fwk.Status {
	panic("no zone")
}

// withPicky are the options of an engine with that plugin.
func withPicky() engine.Options {
	settings := config.Default(config.DefaultFeatures())
	settings.Profiles[0].Plugins.Filter.Enabled = []configv1.Plugin{{Name: "Picky"}}
	return engine.Options{Config: settings, Plugins: framework.Registry{
		"Picky": func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return picky{}, nil },
	}}
}

// TestHealth_PluginPanics counts a plugin's panics for five minutes.
func TestHealth_PluginPanics(t *testing.T) {
	e, err := engine.New(withPicky())
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, o := range []world.Object{mk.Node("n1").CPU("4").Pods("10").Obj(), mk.Pod("web").CPU("1").Obj()} {
		if err := e.Apply(world.Input{At: at, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	e.Step()
	c := collect.New(collect.Options{})
	if h := c.Model(e, collect.Query{}).Header.Health; h.Panics != 1 || h.LastPanic != "plugin Picky panicked at Filter of pod default/web: no zone" {
		t.Errorf("%d panics, the last %q", h.Panics, h.LastPanic)
	}
	if err := e.Apply(world.Input{At: at.Add(6 * time.Minute), Event: world.Tick{}}); err != nil {
		t.Fatal(err)
	}
	if h := c.Model(e, collect.Query{}).Header.Health; h.Panics != 0 {
		t.Errorf("%d panics after six minutes", h.Panics)
	}
}

func TestHealth_RefusedObjects(t *testing.T) {
	e, err := engine.New(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	_ = e.Apply(world.Input{At: at, Event: world.Listed{Kind: world.Pod, Objects: []world.Object{
		mk.Pod("a").CPU("-1").Node("n").Obj(), mk.Pod("b").CPU("-2").Node("n").Obj(),
	}}})
	c := collect.New(collect.Options{})
	const want = `using Pod "default/b" on node "n" without a field: spec.containers[0].resources.requests.cpu is negative`
	if h := c.Model(e, collect.Query{}).Header.Health; h.Refused != 2 || h.LastRefused != want {
		t.Errorf("%d refused, the last %q, want 2 and %q", h.Refused, h.LastRefused, want)
	}
	if err := e.Apply(world.Input{At: at.Add(6 * time.Minute), Event: world.Tick{}}); err != nil {
		t.Fatal(err)
	}
	if h := c.Model(e, collect.Query{}).Header.Health; h.Refused != 0 {
		t.Errorf("%d refused after six minutes", h.Refused)
	}
}
