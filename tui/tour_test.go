package tui

import (
	"fmt"
	"testing"

	"orrery/demo"
	"orrery/views"
)

// TestTour_FollowsTheStory walks through the tour of the default recording: each step is at a moment that has what it tells of.
func TestTour_FollowsTheStory(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {220, 60}} {
		s := openStory(t, demo.Traces()[0].Name, size[0], size[1]).keys("esc", "?", "?").shows("A tour, 1 of 5", "Is it healthy?", "! goes there", "‖")
		s.keys("enter").shows("2 of 5", "What is stuck, and why?")
		if s.screen.top().pane != views.ExplainPane {
			t.Errorf("the second step is at %q", s.screen.top().pane)
		}
		golden(t, fmt.Sprintf("tour/%dx%d.txt", size[0], size[1]), s.plain())
		s.keys("enter").shows("3 of 5", "What would help?", "what-if:")
		s.keys("?").shows("4 of 5", "Who had to go?", "5 Evictions")
		if s.screen.frame.Model.Evictions.Counts == (views.EvictionCounts{}) {
			t.Error("nobody has to go in the fourth step")
		}
		s.keys("enter").shows("5 of 5", "0 Orrery").keys("enter").shows("the tour is over").lacks("A tour")
	}
}

// TestTour_IsSkipped ends it with esc, and with a key that does its work; then it goes on with the next step.
func TestTour_IsSkipped(t *testing.T) {
	s := openStory(t, "morning-rush", 140, 40).keys("esc", "?", "?").shows("1 of 5").keys("esc").lacks("A tour").shows("the tour is over")
	s.keys("?", "?", "enter").shows("2 of 5").keys("7").lacks("A tour").shows("7 Decisions").keys("?", "?").shows("3 of 5")
}

// TestTour_OfARecordingWithoutAStory has no moments of its own, and of a screen without a timeline it opens panes.
func TestTour_OfARecordingWithoutAStory(t *testing.T) {
	s := newSession(t, 140, 40).keys("?", "?")
	for range tourSteps {
		s.shows("A tour").keys("enter")
	}
	s.lacks("A tour")
}
