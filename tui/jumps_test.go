package tui

import (
	"testing"
	"time"

	"orrery/views"
)

// TestJumps_GoBackInPlaceAndTime goes back through panes and moments, and forward again.
func TestJumps_GoBackInPlaceAndTime(t *testing.T) {
	s := newSession(t, 140, 40).keys("space").advance(48*time.Second).keys("space", "2", "enter", "e")
	at := s.screen.frame.Model.Timeline.At
	s.keys("$")
	end := s.screen.frame.Model.Timeline.At
	for _, step := range []struct {
		key  string
		pane views.PaneID
		at   time.Time
	}{
		{"ctrl+o", views.ExplainPane, at},
		{"ctrl+o", views.JourneyPane, at},
		{"ctrl+o", views.QueuePane, at},
		{"ctrl+o", views.Overview, at},
		{"ctrl+n", views.QueuePane, at},
		{"ctrl+n", views.JourneyPane, at},
		{"ctrl+n", views.ExplainPane, at},
		{"ctrl+n", views.ExplainPane, end},
	} {
		s.keys(step.key)
		if got := s.screen.frame.Model.Timeline.At; s.screen.top().pane != step.pane || !got.Equal(step.at) {
			t.Fatalf("%s leads to %q at %s, want %q at %s", step.key, s.screen.top().pane, got, step.pane, step.at)
		}
	}
	s.keys("ctrl+n").shows("there is no newer place").keys("ctrl+o", "ctrl+o", "3", "ctrl+n").shows("there is no newer place")
	for range 10 {
		s.keys("ctrl+o")
	}
	s.shows("there is no older place")
}

func TestJumps_AreBounded(t *testing.T) {
	s := newSession(t, 80, 24)
	for range maxJumps {
		s.keys("2", "3")
	}
	if n := len(s.screen.jumps.list); n != maxJumps {
		t.Errorf("%d places are remembered, want %d", n, maxJumps)
	}
}

// TestRelated_OpensNodeAndSuccessor goes from a pod to its node, and from one that was evicted to the one that took its place.
func TestRelated_OpensNodeAndSuccessor(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", ":").typeText("pods /bound").keys("enter", "down")
	pod, _ := s.screen.selectedPod()
	if s.keys("o"); s.screen.top().pane != views.NodePane {
		t.Fatalf("o of %s leads to\n%s", pod, s.plain())
	}
	s.shows(pod.Name)
	s = rushHour(t, 140, 40).keys("esc", "$", "5", "/").typeText("catalog").keys("enter", "o")
	if s.screen.top().pane != views.JourneyPane || s.screen.top().pod.Name == "" {
		t.Fatalf("o of an evicted pod leads to\n%s", s.plain())
	}
	s.shows("catalog-")
}

// TestPlugins_OpenWhatTheyRejected lists the pods that a plugin rejected.
func TestPlugins_OpenWhatTheyRejected(t *testing.T) {
	s := rushHour(t, 140, 40).keys("esc", "8", "/").typeText("Filter TopologySpread").keys("enter")
	if s.keys("enter"); s.screen.top().pane != views.QueuePane || s.screen.frame.Model.Filtered == nil || s.screen.frame.Model.Filtered.Matches == 0 {
		t.Fatalf("enter leads to\n%s", s.plain())
	}
}
