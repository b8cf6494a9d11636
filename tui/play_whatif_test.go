package tui

import (
	"testing"
	"time"

	"orrery/views"
)

// TestOrrery_PlaysTheWhatIfOfItsBody deletes a node of the picture on a copy: its pods fly, and then everything stands still.
func TestOrrery_PlaysTheWhatIfOfItsBody(t *testing.T) {
	s := newSession(t, 140, 40).keys("$", "0", "w", "D").shows("0 Orrery", "what-if: delete node node-0", "WHAT-IF", "enter its pods")
	began := s.plain()
	if s.advance(views.PlayTime / 2); s.plain() == began {
		t.Errorf("nothing moves:\n%s", began)
	}
	s.advance(views.PlayTime)
	over, drawn := s.plain(), s.screen.draws
	if s.advance(5 * time.Second); s.playing || s.screen.draws != drawn || s.plain() != over {
		t.Errorf("it goes on after its end:\n%s", s.plain())
	}
	s.keys("w").shows("this is a what-if already").keys("enter").shows("without", "what-if: delete node node-0")
	s.keys("esc").shows("0 Orrery", "WHAT-IF").keys("esc").shows("0 Orrery", "DEMO").lacks("what-if:")
	s.keys("1", "0").lacks("what-if:") // it is not what the picture was left with
}

// TestWhatIf_IsPlayedByZero plays the what-if whose table is open.
func TestWhatIf_IsPlayedByZero(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {220, 60}} {
		s := newSession(t, size[0], size[1]).keys("$", "3", "w", "d").shows("0 play it").keys("0").advance(views.PlayTime).shows("0 Orrery", "what-if: drain node-")
		if s.keys("esc"); s.screen.top().pane != views.WhatIfPane {
			t.Errorf("esc leads to %q", s.screen.top().pane)
		}
	}
}
