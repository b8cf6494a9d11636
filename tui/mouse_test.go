package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
)

func TestMouse_ClicksAndWheel(t *testing.T) {
	s := atUnschedulable(t)
	if mode := s.screen.View().MouseMode; mode != tea.MouseModeNone {
		t.Errorf("mouse mode at the start: %v", mode)
	}
	s.keys("m")
	if mode := s.screen.View().MouseMode; mode != tea.MouseModeCellMotion {
		t.Errorf("mouse mode after m: %v", mode)
	}
	click := func(x, y int) { s.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}); s.view() }
	click(100, 5)
	click(100, 5)
	s.shows("3 Snapshot").lacks("2 Queue")
	list := s.screen.hits.List
	click(10, list.Y+2)
	if got := s.screen.top().cursor.Selected; got != 2 {
		t.Errorf("a click on the third row selects row %d", got)
	}
	click(10, list.Y+2)
	s.shows("Node")
	s.keys("esc")
	s.send(tea.MouseWheelMsg{X: 10, Y: 10, Button: tea.MouseWheelDown})
	if got := s.screen.top().cursor.Selected; got != 5 {
		t.Errorf("a notch of the wheel moved to row %d, want 5", got)
	}
	drawn := s.screen.draws
	for range 100 {
		s.screen.Update(tea.MouseWheelMsg{X: 10, Y: 10, Button: tea.MouseWheelUp})
		s.view()
	}
	if n := s.screen.draws - drawn; n > 1 {
		t.Errorf("a hundred notches of the wheel at once drew %d frames", n)
	}
	s.send(wheelMsg{})
	if got := s.screen.top().cursor.Selected; got != 0 {
		t.Errorf("a hundred notches upward moved to row %d", got)
	}
	track := s.screen.hits.Track
	click(track.X, track.Y)
	s.shows("00:00.000")
	click(track.X+track.W-1, track.Y)
	s.lacks("00:00.000")
}

// TestMouse_ClicksHints clicks on every hint of several panes: it does what its key does, or says what its keys do.
func TestMouse_ClicksHints(t *testing.T) {
	for _, open := range []string{"1", "2", "3", "0", "7"} {
		hints := newSession(t, 140, 40).keys("$", "m", "6", open).screen.hits.Hints
		if len(hints) < 4 {
			t.Fatalf("in pane %s there are the hints %v", open, hints)
		}
		for _, h := range hints {
			clicked, pressed := newSession(t, 140, 40).keys("$", "m", "6", open), newSession(t, 140, 40).keys("$", "m", "6", open)
			clicked.send(tea.MouseClickMsg{X: h.Rect.X, Y: h.Rect.Y, Button: tea.MouseLeft})
			switch b := bindingFor(pressed.screen.keyPane(), h.Key); {
			case b == nil && strings.ContainsAny(h.Key, " -s"): // several keys
				if h.Key == "[ ]" {
					pressed.keys("[")
					break
				}
				continue
			default:
				pressed.keys(h.Key)
			}
			if clicked.plain() != pressed.plain() {
				t.Errorf("in pane %s a click on %q leads to\n%s\nand the key to\n%s", open, h.Key, clicked.plain(), pressed.plain())
			}
		}
	}
}

func TestMouse_ClicksNodesOfTheOrrery(t *testing.T) {
	s := atUnschedulable(t).keys("m", "0")
	for node := range 9 {
		at, found := [2]int{}, false
		for y := range 40 {
			for x := range 140 {
				if row, ok := s.screen.hits.Node(x, y); ok && row == node {
					at, found = [2]int{x, y}, true
				}
			}
		}
		if !found {
			t.Fatalf("node %d is nowhere", node)
		}
		click := func() {
			s.send(tea.MouseClickMsg{X: at[0], Y: at[1], Button: tea.MouseLeft})
			s.view()
		}
		if node > 0 {
			click()
		}
		name := s.screen.keyAt(node)
		if got := s.screen.top().cursor.Selected; got != node || s.screen.top().pane != views.OrreryPane {
			t.Fatalf("a click on node %d selects %d", node, got)
		}
		s.shows("▌", name)
		click()
		s.shows("╭─ Node", name).keys("esc")
	}
}
