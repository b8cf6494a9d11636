package tui

import (
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
	"orrery/views"
)

// A placed pod is explained as it was decided, and tab shows what would be decided now, in the colours of a what-if. A pending pod
// has only the latter, and no what-if of it.
func TestExplain_TabIsAWhatIf(t *testing.T) {
	d := builtIn(t, "node-drain")
	d.Recording.ToEnd()
	name := ""
	for o := range d.Engine().Store().Objects(world.Pod) {
		if pod := o.(*v1.Pod); pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil && len(d.Engine().PodTransitions(pod.UID)) > 1 {
			name = pod.Namespace + "/" + pod.Name
		}
	}
	s := watch(t, d, 140, 40).keys(":").typeText("explain "+name).keys("enter").shows("bound → ", "decided ", "score ").lacks("as if it had").lacks("WHAT-IF")
	s.keys("tab").shows("as if it had no node", "bound → ", "WHAT-IF")
	s.keys("tab").shows("bound → ").lacks("WHAT-IF")
	d = builtIn(t, "morning-rush")
	d.Recording.SeekTo(d.Start().Add(64 * time.Second))
	s = watch(t, d, 140, 40).keys("2", "G", "e")
	if x := s.screen.frame.Model.Explain; x == nil || x.Status.Node != "" {
		t.Fatalf("the last pod of the queue is explained as %+v", x)
	}
	s.keys("tab").shows("the pod has no node: this is of the present already").lacks("WHAT-IF")
	if s.screen.top().pane != views.ExplainPane {
		t.Errorf("tab opened %s", s.screen.top().pane)
	}
}
