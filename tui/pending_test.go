package tui

import (
	"strings"
	"testing"

	"orrery/views"
)

// P groups the pending pods by owner and cause, worst first; enter explains the first pod of a group.
func TestPending_SummaryOpensFromQueue(t *testing.T) {
	s := atUnschedulable(t).keys("2", "P").shows("Pending", "pending pods", "groups by owner and cause", "best fix")
	summary := s.screen.top().summary
	if summary.Pods == 0 || summary.Groups.Total == 0 || summary.Pods < summary.Groups.Total {
		t.Fatalf("the summary is %+v", summary)
	}
	queue := s.screen.frame.Model.Pending
	if queue != summary {
		t.Error("the frame shows another summary")
	}
	for i, g := range summary.Groups.Rows {
		if g.Cause == "" || g.Places > g.Pods || (g.Fix == "") != (g.Places == 0) {
			t.Errorf("group %d is %+v", i, g)
		}
		if i > 0 && g.Pods > summary.Groups.Rows[i-1].Pods {
			t.Errorf("group %d has more pods than the one before", i)
		}
	}
	first := summary.Groups.Rows[0].Key
	s.keys("g", "enter").shows("Explain", strings.TrimPrefix(first, "default/"), "reasons")
	s.keys("esc").shows("Pending", "best fix")
	depth := len(s.screen.navStack)
	s.keys("P").shows("Pending")
	if again := s.screen.top(); again.summary == summary || len(s.screen.navStack) != depth {
		t.Error("P on the summary does not replace it")
	}
	s.keys("esc").shows("2 Queue")
}

// A summary that was cancelled does not open.
func TestPending_EscCancels(t *testing.T) {
	s := atUnschedulable(t).keys("2")
	s.screen.openPending()
	s.keys("esc")
	s.drain()
	if s.screen.top().pane != views.QueuePane {
		t.Errorf("the pane is %q after esc", s.screen.top().pane)
	}
	s.shows("cancelled")
}

// Away from the queue P has no meaning.
func TestPending_KeyOnQueueAndOverviewOnly(t *testing.T) {
	for pane, want := range map[views.PaneID]bool{views.Overview: true, views.QueuePane: true, views.PendingPane: true, views.NodePane: false} {
		if got := bindingFor(pane, "P") != nil; got != want {
			t.Errorf("P works on %q: %t", pane, got)
		}
	}
}
