package tui

import (
	"bytes"
	"testing"

	tea "charm.land/bubbletea/v2"

	"orrery/demo/playback"
	"orrery/views"
)

// largeMinute opens a recording whose nodes have no room for a body each.
func largeMinute(t *testing.T, w, h int) *session {
	t.Helper()
	d, err := OpenRecording(bytes.NewReader(record(160, 60)), playback.Options{Name: "large.orrery"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return watch(t, d, w, h)
}

// TestOrreryZones_EnterListsTheNodes goes from zone to zone, and from one to its nodes and back.
func TestOrreryZones_EnterListsTheNodes(t *testing.T) {
	s := largeMinute(t, 80, 24).keys("$", "0")
	s.shows("160 nodes in 3 zones", "▌", "east", "80 nodes")
	s.keys("j").shows("40 nodes").keys("enter")
	if open := s.screen.top(); open.pane != views.NodesPane || s.screen.total() != 40 {
		t.Fatalf("enter opens %q with %d rows:\n%s", open.pane, s.screen.total(), s.plain())
	}
	s.keys("enter").shows("╭─ Node").keys("esc", "esc").shows("160 nodes in 3 zones", "40 nodes")
	if s.screen.top().cursor.Selected != 1 {
		t.Errorf("back on the orrery zone %d is selected", s.screen.top().cursor.Selected)
	}
	s.keys("w").shows("nothing is selected that can be changed")
}

// TestOrreryZones_ClickAndResize clicks on a zone twice, and makes the screen so large that the nodes are the bodies again.
func TestOrreryZones_ClickAndResize(t *testing.T) {
	s := largeMinute(t, 80, 24).keys("$", "m", "0")
	for range 2 {
		s.view()
		for i := range 80 * 24 {
			if row, ok := s.screen.hits.Node(i%80, i/80); ok && row == 2 {
				s.send(tea.MouseClickMsg{X: i % 80, Y: i / 80, Button: tea.MouseLeft})
				break
			}
		}
	}
	if s.screen.top().pane != views.NodesPane || s.screen.total() != 40 {
		t.Fatalf("two clicks on the third zone open\n%s", s.plain())
	}
	s.keys("esc")
	s.send(tea.WindowSizeMsg{Width: 140, Height: 40})
	s.shows("of 160 in order").lacks("not examined ○ ⊙")
	s.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	s.shows("160 nodes in 3 zones", "▌")
}

// TestOrreryZones_WhatIfEndsAtTheZones plays a what-if that deletes a node of a large cluster.
func TestOrreryZones_WhatIfEndsAtTheZones(t *testing.T) {
	s := largeMinute(t, 80, 24).keys("$", "0", ":").typeText("whatif delete node node-159").keys("enter")
	s.shows("⚑ what-if: delete node node-159", "160 nodes in 3 zones")
	s.advance(2*views.PlayTime).shows("−1", "✗")
}
