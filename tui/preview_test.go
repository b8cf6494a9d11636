package tui

import (
	"testing"
	"time"

	"orrery/views"
)

// TestPreview_FollowsTheCursor shows on a wide screen what the selected row opens: why a pod is where it is, or what is on a node.
func TestPreview_FollowsTheCursor(t *testing.T) {
	s := rushHour(t, 220, 60).keys("esc", "2", "G").shows("v hides", "reasons ──", "journey, ")
	first := s.screen.frame.Model.Preview.Name
	if s.keys("up"); s.screen.frame.Model.Preview.Name == first {
		t.Errorf("the preview stays that of %s:\n%s", first, s.plain())
	}
	s.keys("3").shows("by owner", "cpu  ").keys("v").lacks("by owner").shows("preview hidden").keys("v").shows("by owner")
	s.keys("7").shows("journey, ").keys("z").lacks("journey, ").keys("z", "w", "x").shows("what-if: delete pod", "journey, ")
	rushHour(t, 140, 40).keys("esc", "2").lacks("v hides").keys("v").shows("a preview takes 160 columns, and there are 140")
}

// TestPreview_ArrowsGoInAndBack: the right arrow opens what is previewed, and the left one goes back to the list.
func TestPreview_ArrowsGoInAndBack(t *testing.T) {
	s := rushHour(t, 220, 60).keys("esc", "2", "down")
	at, pod := s.screen.frame.Model.Timeline.At, s.screen.frame.Model.Preview.Name
	s.keys("right").shows("Journey", pod)
	if s.screen.top().pane != views.JourneyPane {
		t.Errorf("the right arrow leads to %q", s.screen.top().pane)
	}
	if s.keys("left"); s.screen.top().pane != views.QueuePane || !s.screen.frame.Model.Timeline.At.Equal(at) {
		t.Errorf("the left arrow leads to %q at %s", s.screen.top().pane, s.screen.frame.Model.Timeline.At)
	}
	s.keys("left").shows("there is nothing further that way")
	if s.keys("<"); s.screen.frame.Model.Timeline.At.Sub(at) != -5*time.Second {
		t.Errorf("< goes to %s, from %s", s.screen.frame.Model.Timeline.At, at)
	}
}

// TestPreview_WaitsInLargeClusters reads a preview only when the cursor rests, where explaining a pod may take long.
func TestPreview_WaitsInLargeClusters(t *testing.T) {
	s := watch(t, namedCluster(t, "ordinary", 5, promptPods+10), 220, 60).keys(":").typeText("pods").keys("enter")
	if s.screen.frame.Model.Preview != nil {
		t.Fatal("the preview is read before the cursor rests")
	}
	if s.advance(2 * previewDelay); s.screen.frame.Model.Preview == nil {
		t.Fatalf("the preview does not come:\n%s", s.plain())
	}
	if s.keys("down"); s.screen.frame.Model.Preview != nil {
		t.Error("the preview of the next row is read at once")
	}
}
