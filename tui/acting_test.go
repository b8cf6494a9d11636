package tui

import (
	"slices"
	"strings"
	"testing"

	"orrery/views"
)

// TestHints_NameActingKeysWhereTheyAct goes through the panes of a console that may act, of one that may not, and of a recording: the
// badge, the help and the hints say what the keys that change the cluster do here, and only here.
func TestHints_NameActingKeysWhereTheyAct(t *testing.T) {
	acting, _ := actingConsole(t, 140, 40)
	reading, _ := actingConsole(t, 140, 40)
	reading.loop.source.(*cluster).readOnly = "read-only: start the console with --allow-actions to change the cluster"
	reading.keys("3", "1")
	predicting := []views.PaneID{views.WhatIfPane}
	for _, id := range allPanes() {
		if id == views.AgreementPane {
			continue // its pod is made up
		}
		acting.openOn(id)
		reading.openOn(id)
		hinted := func(s *session) (keys []string) {
			for _, h := range s.screen.hints(1000) {
				if slices.Contains([]string{"c", "D", "E", "X"}, h.Key) {
					keys = append(keys, h.Key)
				}
			}
			return keys
		}
		if keys := hinted(reading); len(keys) > 0 {
			t.Errorf("a console that may not act has the hints %q in %q", keys, id)
		}
		for _, key := range hinted(acting) {
			acting.openOn(id)
			if acting.keys(key); acting.screen.confirm == nil {
				t.Errorf("in %q the hint of %s opens no dialog:\n%s", id, key, acting.plain())
			}
			acting.openOn(id)
		}
		if badge := strings.Contains(acting.plain(), "SHADOW +ACT"); badge == slices.Contains(predicting, id) {
			t.Errorf("in %q the badge says that keys act: %t:\n%s", id, badge, acting.plain())
		}
		reading.lacks("+ACT")
	}
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		s, _ := actingConsole(t, size[0], size[1])
		s.openOn(views.NodePane)
		s.shows("c cordon", "D drain")
		s.openOn(views.PodsPane)
		s.shows("X delete").keys("G").shows("E evict", "X delete")
	}
}

// TestHelp_DimsActingKeysWhereTheyDoNot opens the help of every pane.
func TestHelp_DimsActingKeysWhereTheyDoNot(t *testing.T) {
	acting, _ := actingConsole(t, 200, 70)
	recording := newSession(t, 200, 70)
	for _, id := range []views.PaneID{views.Overview, views.SnapshotPane, views.PodsPane, views.EvictionsPane} {
		acting.openOn(id)
		acting.keys("?").shows("Cluster actions").lacks("read-only")
		recording.openOn(id)
		recording.keys("?").shows("Cluster actions", "read-only here: this is a recording")
	}
	acting.openOn(views.WhatIfPane)
	acting.keys("?").shows("read-only here: this is a what-if")
	acting.openOn(views.ExplainPane)
	acting.keys("tab", "X").shows("X: this is a what-if; esc goes back")
	for _, id := range []views.PaneID{views.MetricsPane, views.LeaderPane, views.PluginsPane} { // nothing can be selected there
		acting.openOn(id)
		acting.keys("?").lacks("Cluster actions")
	}
}

// TestNamespace_IsInTheHeader chooses a namespace: every pane says so, at every width.
func TestNamespace_IsInTheHeader(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {140, 40}} {
		s := newSession(t, size[0], size[1]).lacks("ns shop")
		s.keys(":").typeText("ns shop").keys("enter")
		for _, key := range []string{"1", "2", "3", "9", "0", "?"} {
			line, _, _ := strings.Cut(s.keys(key).plain(), "\n")
			if !strings.Contains(line, "ns shop") || !strings.Contains(line, "DEMO") {
				t.Errorf("at %v after %s the first line is %q", size, key, line)
			}
			s.keys("esc")
		}
		s.keys(":").typeText("ns").keys("enter").lacks("ns shop")
	}
}
