package tui

import (
	"testing"
	"time"

	"orrery/views"
)

// TestHealth_KeyLeadsToTheTrouble plays recordings to a trouble and presses the key of the health line.
func TestHealth_KeyLeadsToTheTrouble(t *testing.T) {
	for _, tt := range []struct {
		story string
		at    time.Duration
		line  string
		pane  views.PaneID
		shows string
	}{
		{"morning-rush", 30 * time.Second, "✓ healthy   40 nodes ready", "", ""},
		{"morning-rush", 58 * time.Second, "✗ 9 pods Pending, search-77b57dd7d-8qv6c for 10s: topology spread on 32 of 40 nodes  ! goes there", views.ExplainPane, "search-77b57dd7d-8qv6c"},
		{"zone-failure", 68 * time.Second, "✗ 26 of 90 nodes NotReady  ! goes there", views.NodesPane, "▌ node-south-"},
		{"leader-failover", 28 * time.Second, "✗ scheduler-1 has not renewed its lease for 11s: failover in 3s  ! goes there", views.LeaderPane, "4 renewals missed"},
		{"node-drain", 54 * time.Second, "≥ 2 evictions blocked: budget gateway needs 4 healthy pods and has 4  ! goes there", views.EvictionsPane, "2 blocked"},
		{"memory-pressure", 45 * time.Second, "≥ 1 node under pressure: worker-a-03  ! goes there", views.PressurePane, "MemoryPressure since"},
	} {
		d := builtIn(t, tt.story)
		d.Recording.SeekTo(d.Start().Add(tt.at))
		s := watch(t, d, 140, 40).shows(tt.line).keys("!")
		if tt.pane == "" {
			s.shows("there is no trouble to go to")
			continue
		}
		if got := s.screen.top().pane; got != tt.pane {
			t.Errorf("%s: ! leads to %q, want %q", tt.story, got, tt.pane)
		}
		s.shows(tt.shows, tt.line).keys("!")
		if n := len(s.screen.navStack); n != 2 {
			t.Errorf("%s: ! pressed twice leads %d levels down", tt.story, n-1)
		}
		s.keys("esc").shows("2 Queue")
	}
}

// TestHealth_EveryPaneHasIt: the line is there, whatever is open.
func TestHealth_EveryPaneHasIt(t *testing.T) {
	d := builtIn(t, "morning-rush")
	d.Recording.SeekTo(d.Start().Add(58 * time.Second))
	for _, size := range [][2]int{{60, 16}, {220, 60}} {
		s := watch(t, d, size[0], size[1])
		for _, pane := range views.Panes() {
			s.screen.openPane(pane.ID)
			s.screen.requestModel()
			s.drain()
			s.shows("✗ 9 pods Pending")
		}
	}
}
