package collect_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/mk"
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
		if h.StuckKey != "ml/trainer-0" || h.StuckReason != "7 Insufficient memory" || h.StuckSince.IsZero() || h.Nodes == 0 {
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
