package tui

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"orrery/views"
)

// TestRemember_NextSessionHasWhatWasChosen chooses a theme, hides the preview and sorts two lists; the next session begins with that.
func TestRemember_NextSessionHasWhatWasChosen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "screen.yaml")
	set := settings(t, "remember: true\npanes:\n  queue: {sort: pending, columns: [state, pod]}\n")
	s := watchWith(t, Options{Source: newSession(t, 80, 24).loop.source, Settings: set}, 220, 60)
	s.keys("3", "v").typeText(":theme mono").keys("enter", "2", "s", "7", "r", ":").typeText("columns pod, node, or reason").keys("enter")
	if err := s.screen.keepChoices(path); err != nil {
		t.Fatal(err)
	}
	next := settings(t, "remember: true\npanes:\n  queue: {sort: pending, columns: [state, pod]}\n")
	next.Recall(path)
	if next.Theme != "mono" || next.Preview == nil || *next.Preview || next.Panes["queue"].Sort == "pending" || len(next.Panes["queue"].Columns) != 2 || !next.Panes["decisions"].Reverse || !slices.Equal(next.Panes["decisions"].Columns, []string{"pod", "node, or reason"}) {
		written, _ := os.ReadFile(path)
		t.Errorf("the next session has %+v of\n%s", next, written)
	}
	if list := next.listOf(views.DecisionsPane); !list.reverse {
		t.Error("the order of the decisions is not that which was chosen")
	}
}

// TestRemember_OnlyIfAsked writes and reads nothing without the setting, and forgets a file that is wrong.
func TestRemember_OnlyIfAsked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "screen.yaml")
	if err := newSession(t, 80, 24).screen.keepChoices(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it remembers what nobody asked it to")
	}
	for _, text := range []string{"theme: [", "panes:\n  queue: {sort: gone}\n", "\xff\x00"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := &Settings{Remember: true, Theme: "dark"}
		if s.Recall(path); s.Theme != "dark" || len(s.Panes) > 0 {
			t.Errorf("%q is recalled as %+v", text, s)
		}
	}
}
