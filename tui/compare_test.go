package tui

import (
	"testing"

	"orrery/views"
)

// TestCompare_NodesPodsAndMoments holds one of two things and compares the other with it.
func TestCompare_NodesPodsAndMoments(t *testing.T) {
	s := rushHour(t, 140, 40).keys("esc", "3", "=").shows("held node gpu-2; = on another compares the two").keys("down", "=")
	s.shows("⇄ nodes", "gpu-2", "shop-west-03", "requested", "pods by owner", "≠ cpu", "for default/", "NodeResourcesFit")
	s.keys("/").typeText("differs").keys("enter").shows("≠ cpu").lacks("requested ──").keys("esc", "esc")
	s.keys("=").shows("held node").keys("=").shows("nothing is held any more")

	s.keys("7", "=").shows("held pod").keys("down", "down", "=").shows("⇄ pods", "journeys", "+0s", "requests").keys("esc")

	s.keys("1", "^", "=").shows("held the moment 0s").keys("$", "=")
	s.shows("⇄ from 0s to 2m29s", "Then and later", "without a place", "pods placed", "notes ──", "East is full", "2m29s")
	if s.screen.frame.Model.Header.Mode == views.WhatIfMode {
		t.Error("a comparison of moments wears the badge of a what-if")
	}
	s.keys("esc", "=", "=").shows("nothing is held any more")
}

// TestCompare_SaysWhatIsGone holds the pod that is created last, goes back to before that, and compares another with it.
func TestCompare_SaysWhatIsGone(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "7", "=").shows("held pod default/web-")
	held := s.screen.held.pod
	s.keys(":").typeText("goto 5s").keys("enter", "=")
	if s.screen.top().pane == views.ComparePane {
		t.Fatalf("a pod that is not there yet is compared:\n%s", s.plain())
	}
	s.shows("there is no pod", held.Name, "at this moment")
}
