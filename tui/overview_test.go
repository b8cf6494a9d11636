package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
)

// rushHour opens the overview of the default recording in the middle of its rush.
func rushHour(t *testing.T, w, h int) *session {
	t.Helper()
	d := builtIn(t, "morning-rush")
	d.Recording.SeekTo(d.Start().Add(58 * time.Second))
	s := watch(t, d, w, h)
	s.plain() // the rows are known once they are drawn
	return s
}

// TestOverview_EnterOpensAnyRow goes through every row of the overview: each is marked, and enter opens what it is about.
func TestOverview_EnterOpensAnyRow(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {220, 60}} {
		s := rushHour(t, size[0], size[1])
		opened := map[views.PaneID]map[views.PaneID]int{}
		for range views.LayoutOf(s.screen.body(), s.screen.model()) {
			in := s.screen.focus
			opened[in] = map[views.PaneID]int{}
			rows := len(s.screen.focusedRows())
			for i := range rows {
				s.keys("down")
				r := s.screen.selectedRow()
				if r == nil || r.In != in || s.screen.row.at != i || s.selected() == "" {
					t.Fatalf("at %v row %d of %s is not selected:\n%s", size, i, in, s.plain())
				}
				about := r.Pod
				if r.Opens == views.NodePane {
					about = r.Node
				}
				opens := r.Opens
				s.keys("enter")
				top := s.screen.top()
				if top.pane != opens || top.pod.String() != about && top.node != about {
					t.Fatalf("at %v row %d of %s opens %q of %q %q, want %q of %q", size, i, in, top.pane, top.pod, top.node, opens, about)
				}
				opened[in][opens]++
				s.keys("esc")
			}
			s.keys("esc", "tab")
		}
		if n := opened[views.QueuePane]; n[views.JourneyPane] < 3 || n[views.ExplainPane] < 1 {
			t.Errorf("at %v the queue's rows open %v, want pods and decisions", size, n)
		}
		if n := opened[views.EvictionsPane][views.JourneyPane]; n < 5 {
			t.Errorf("at %v %d evictions open a journey, want all 5", size, n)
		}
		if size[0] > 80 && opened[views.SnapshotPane][views.NodePane] < 5 {
			t.Errorf("at %v the snapshot's rows open %v, want nodes", size, opened[views.SnapshotPane])
		}
	}
}

func TestOverview_CursorMovesAndLeaves(t *testing.T) {
	s := rushHour(t, 140, 40)
	s.keys("down", "down", "up", "up")
	if s.screen.row.key != "" || s.screen.focus != views.QueuePane {
		t.Errorf("above the first row the cursor is on %q of %s, want the pane itself", s.screen.row.key, s.screen.focus)
	}
	s.keys("enter").shows("2 Queue").lacks("3 Snapshot").keys("esc")
	s.keys("down")
	pod, _ := s.screen.selectedPod()
	s.keys("e").shows("Explain", pod.Name).keys("esc")
	if got, _ := s.screen.selectedPod(); got != pod {
		t.Errorf("after coming back %s is selected, want %s", got, pod)
	}
	s.keys("right")
	if s.screen.focus != views.SnapshotPane || s.screen.row.key != "" {
		t.Errorf("right of the queue is %s with the row %q", s.screen.focus, s.screen.row.key)
	}
	s.keys("down").keys("p").shows("Pressure", s.screen.top().node).keys("esc", "esc")
	if s.screen.row.key != "" {
		t.Error("esc does not leave the rows")
	}
}

// TestOverview_CursorFollowsItsRow plays on under the cursor: it stays on its pod, and when the pod leaves the queue, on a row.
func TestOverview_CursorFollowsItsRow(t *testing.T) {
	const key = "default/search-77b57dd7d-8qv6c" // waits out eight seconds of back-off
	s := rushHour(t, 140, 40).keys("down", "space")
	for s.screen.row.key != key && s.screen.moveRow(1) {
	}
	s.advance(500 * time.Millisecond)
	if s.plain(); s.screen.row.key != key {
		t.Errorf("half a second later %q is selected, want %q", s.screen.row.key, key)
	}
	for range 60 {
		s.advance(time.Second)
		if s.plain(); len(s.screen.focusedRows()) > 0 && (s.screen.selectedRow() == nil || s.selected() == "") {
			t.Fatalf("no row is selected any more:\n%s", s.plain())
		}
	}
}

func TestOverview_MouseSelectsAndOpensRows(t *testing.T) {
	s := rushHour(t, 140, 40)
	s.plain()
	r := s.screen.focusedRows()[2]
	click := tea.MouseClickMsg{X: r.Rect.X + 3, Y: r.Rect.Y, Button: tea.MouseLeft}
	s.send(click)
	if s.plain(); s.screen.row.key != r.Key {
		t.Errorf("a click on %q selects %q", r.Key, s.screen.row.key)
	}
	s.send(click)
	if top := s.screen.top(); top.pane != views.JourneyPane || top.pod.String() != r.Pod {
		t.Errorf("a second click opens %s of %s", top.pane, top.pod)
	}
}

// TestFeed_TellsDecisionsInWords reads the feed at two sizes.
func TestFeed_TellsDecisionsInWords(t *testing.T) {
	wide := rushHour(t, 220, 60).shows("decisions ───", "→ shop-north-05 (score ", "runner-up shop-north-", " in queue)")
	for line := range strings.SplitSeq(wide.plain(), "\n") {
		if strings.Contains(line, "8qv6c") && strings.Contains(line, "✗ topology spread on 32 of 40 nodes") {
			return
		}
	}
	t.Errorf("no decision says why search-77b57dd7d-8qv6c was not placed:\n%s", wide.plain())
}
