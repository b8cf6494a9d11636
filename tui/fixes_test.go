package tui

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"orrery/views"
)

// The cursor of an explanation goes through the fixes and on to the nodes: enter tries a fix, y copies its command.
func TestFixes_CursorTriesAndCopies(t *testing.T) {
	s := atUnschedulable(t).keys("2", "e").shows("fixes, tried on a copy", "→ lower its requests to cpu=")
	if fix := s.screen.selectedFix(); fix == nil || !strings.HasPrefix(fix.Change, "add 1 node like ") {
		t.Fatalf("the first fix is not selected: %+v", fix)
	}
	if !strings.Contains(s.selected(), "▌ → add one more node") {
		t.Errorf("the cursor is on %q", s.selected())
	}
	s.keys("down").keys("up", "up")
	if got := s.screen.top().fix; got != 0 {
		t.Errorf("the cursor is on fix %d, want the first", got)
	}
	s.keys("y").shows("copied orrery whatif --trace minute.orrery --at", "add 1 node like ")
	if len(s.raw) != 1 {
		t.Fatalf("written to the terminal: %q", s.raw)
	}
	_, text, _ := strings.Cut(s.raw[0], "52;c;")
	command, err := base64.StdEncoding.DecodeString(strings.TrimRight(text, "\a\x1b\\"))
	if err != nil || string(command) != s.screen.selectedFix().Command {
		t.Errorf("copied %q (%v), want %q", command, err, s.screen.selectedFix().Command)
	}
	s.keys("enter").shows("What-if", "add 1 node like ")
	if got := s.screen.top(); got.pane != views.WhatIfPane || got.answer.Changes.Total == 0 {
		t.Errorf("the what-if is %+v", got.answer)
	}
	s.keys("esc").shows("fixes, tried on a copy")
	node, ok := s.screen.selectedNode()
	for downs := 0; !ok && downs < 80; downs++ { // through the fixes, and what is below them
		s.keys("down")
		node, ok = s.screen.selectedNode()
	}
	if s.screen.selectedFix() != nil || !ok {
		t.Fatalf("below the fixes the cursor is on no node:\n%s", s.plain())
	}
	s.keys("down").keys("enter").shows("Node")
	if opened := s.screen.top().node; opened == node || opened == "" {
		t.Errorf("the second node opens %q, the first is %q", opened, node)
	}
	s.keys("esc", "g").shows("fixes")
	if s.screen.selectedFix() == nil {
		t.Error("g does not go back to the fixes")
	}
	s.keys("G", "up", "g")
	if _, ok := s.screen.selectedNode(); ok {
		t.Error("a node is selected beside a fix")
	}
}

// On a narrow screen the nodes take the place of the reasons once the cursor is among them.
func TestFixes_NarrowScreenShowsNodes(t *testing.T) {
	s := newSession(t, 80, 24).keys("space").advance(48*time.Second).keys("space", "esc").keys("2", "e").shows("fixes, tried on a copy").lacks("filter results by node")
	s.keys("G").shows("filter results by node").lacks("fixes, tried on a copy")
	s.keys("g").shows("fixes, tried on a copy")
}

// TestFixes_FilterGoesToNodes filters in the list of nodes; elsewhere "/" searches the text, and fixes stay selected.
func TestFixes_FilterGoesToNodes(t *testing.T) {
	s := atUnschedulable(t).keys("2", "e", "G", "/").typeText("node-1").keys("enter")
	if s.screen.selectedFix() != nil {
		t.Error("the cursor is on a fix while the nodes are filtered")
	}
	s.keys("enter").shows("Node", "node-1")
	s = atUnschedulable(t).keys("2", "e", "/").typeText("Insufficient").keys("enter").shows("/Insufficient")
	if s.screen.selectedFix() == nil {
		t.Errorf("a search of the text takes the cursor off the fix:\n%s", s.plain())
	}
}

// At 80x24 an explanation scrolls: a sign says how much is above and below, every part comes into view, and a fix that is out
// of sight is not tried.
func TestExplain_ScrollsAtSmallSizes(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {110, 24}} {
		s := watch(t, builtIn(t, "morning-rush"), size[0], size[1])
		s.keys(":").typeText("goto 64s").keys("enter", "2", "G", "e").shows(" more rows · down, ctrl+d", "fixes, tried on a copy").lacks("above")
		for _, part := range []string{"reasons", "evidence", "what would help", "preemption", "known besides"} {
			s.keys("g")
			for i := 0; !strings.Contains(s.plain(), part+" ──"); i++ {
				if s.keys("down"); i > 200 || s.screen.top().onNodes {
					t.Fatalf("at %v %q never comes into view:\n%s", size, part, s.plain())
				}
			}
		}
		s.shows("↑ ", " above · ").keys("enter")
		if pane := s.screen.top().pane; pane != views.ExplainPane {
			t.Errorf("at %v enter opens %q with no fix in view", size, pane)
		}
		for i := 0; !s.screen.top().onNodes; i++ {
			if s.keys("ctrl+d"); i > 20 {
				t.Fatalf("at %v the text never ends:\n%s", size, s.plain())
			}
		}
		s.shows("filter results by node").keys("up").shows("the end", " above · ")
		if s.screen.top().onNodes {
			t.Errorf("at %v up does not go back from the nodes to the text", size)
		}
		for range 150 {
			s.keys("up")
		}
		s.shows("fixes, tried on a copy").lacks("above")
		if s.screen.selectedFix() == nil || s.screen.top().fix != 0 {
			t.Errorf("at %v the cursor is on fix %d, want the first", size, s.screen.top().fix)
		}
	}
}
