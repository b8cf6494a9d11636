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
	if fix := s.screen.selectedFix(); fix == nil || !strings.HasPrefix(fix.Words, "requests default/web-") {
		t.Fatalf("the first fix is not selected: %+v", fix)
	}
	if !strings.Contains(s.selected(), "▌ → lower its requests") {
		t.Errorf("the cursor is on %q", s.selected())
	}
	s.keys("down").keys("up", "up")
	if got := s.screen.top().fix; got != 0 {
		t.Errorf("the cursor is on fix %d, want the first", got)
	}
	s.keys("y").shows("copied orrery whatif --trace minute.orrery --at", "requests default/web-")
	if len(s.raw) != 1 {
		t.Fatalf("written to the terminal: %q", s.raw)
	}
	_, text, _ := strings.Cut(s.raw[0], "52;c;")
	command, err := base64.StdEncoding.DecodeString(strings.TrimRight(text, "\a\x1b\\"))
	if err != nil || string(command) != s.screen.selectedFix().Command {
		t.Errorf("copied %q (%v), want %q", command, err, s.screen.selectedFix().Command)
	}
	pod := s.screen.top().pod
	s.keys("enter").shows("What-if", "requests "+pod.String())
	if got := s.screen.top(); got.pane != views.WhatIfPane || got.answer.Changes.Total == 0 || got.answer.Changes.Rows[0].Pod != pod.String() {
		t.Errorf("the what-if is %+v", got.answer)
	}
	s.keys("esc").shows("fixes, tried on a copy")
	for range len(s.screen.fixes()) {
		s.keys("down")
	}
	node, ok := s.screen.selectedNode()
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

// A filter is about the nodes.
func TestFixes_FilterGoesToNodes(t *testing.T) {
	s := atUnschedulable(t).keys("2", "e", "/").typeText("node-1").keys("enter")
	if s.screen.selectedFix() != nil {
		t.Error("the cursor is on a fix while the nodes are filtered")
	}
	s.keys("enter").shows("Node", "node-1")
}
