package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"orrery/views"
)

// keyPaths lists keys to every level: the overview, every pane of it, and two levels below.
func keyPaths() [][]string {
	all := [][]string{nil}
	for d := 2; d <= 9; d++ {
		key := fmt.Sprint(d)
		all = append(all, []string{key}, []string{key, "enter"}, []string{key, "enter", "enter"})
	}
	return append(all, []string{"0"}, []string{"0", "down"}, []string{"0", "enter"}, []string{"0", "enter", "enter"}, []string{"2", "e"}, []string{"3", "enter", "enter"}, []string{"7", "d"}, []string{"3", "w", "c"}, []string{"?"})
}

// checkSize fails unless a screen is exactly its size.
func checkSize(t *testing.T, s *session) {
	t.Helper()
	s.screen.View()
	lines := strings.Split(s.screen.canvas.Plain(), "\n")
	if len(lines) != s.screen.h {
		t.Fatalf("the screen has %d rows, want %d", len(lines), s.screen.h)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != s.screen.w {
			t.Fatalf("row %d is %d columns wide, want %d: %q", i, w, s.screen.w, line)
		}
	}
}

// TestKeys_EveryKeyEverywhere presses every key in every pane. The screen keeps its size, escape leads back to the
// overview and never quits, and only q quits.
func TestKeys_EveryKeyEverywhere(t *testing.T) {
	keys := map[string]bool{"x": true, "ctrl+q": true, "A": true}
	for i := range bindings {
		for _, k := range bindings[i].keys {
			keys[k] = true
		}
	}
	const mostEscapes = 8
	s := newSession(t, 80, 24).keys("space").advance(48 * time.Second).keys("space")
	for _, way := range keyPaths() {
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if key == "q" || key == "ctrl+c" || key == "ctrl+z" || key == "S" || key == "ctrl+s" {
				continue
			}
			name := strings.Join(append(way, key), " ")
			s.keys(way...)
			s.keys(key)
			checkSize(t, s)
			for n := 0; len(s.screen.navStack) > 1 || s.screen.prompt != nil || s.screen.menu != nil || s.screen.zoom; n++ {
				if n == mostEscapes {
					t.Fatalf("after %s, escape does not lead back to the overview:\n%s", name, s.plain())
				}
				s.keys("esc")
			}
			if s.quit {
				t.Fatalf("%s quit the program", name)
			}
		}
	}
	for _, way := range keyPaths() {
		for _, key := range []string{"q", "ctrl+c"} {
			s := newSession(t, 80, 24).keys(way...).keys(key)
			if !s.quit {
				t.Errorf("%s does not quit", strings.Join(append(way, key), " "))
			}
		}
	}
}

func TestEscape_PopsOneLevel(t *testing.T) {
	s := atUnschedulable(t)
	s.keys("2", "/").typeText("web").keys("enter", "enter", "e", "w")
	depth := func() string {
		return fmt.Sprintf("%d panes, menu %v, filter %q", len(s.screen.navStack), s.screen.menu != nil, s.screen.navStack[min(1, len(s.screen.navStack)-1)].list.filter)
	}
	for _, want := range []string{
		`4 panes, menu true, filter "web"`, `4 panes, menu false, filter "web"`, `3 panes, menu false, filter "web"`,
		`2 panes, menu false, filter "web"`, `2 panes, menu false, filter ""`, `1 panes, menu false, filter ""`, `1 panes, menu false, filter ""`,
	} {
		if got := depth(); got != want {
			t.Fatalf("state: %s, want %s:\n%s", got, want, s.plain())
		}
		s.keys("esc")
	}
	if s.quit {
		t.Error("escape quit the program")
	}
}

// atUnschedulable is a session at a time with unschedulable pods.
func atUnschedulable(t testing.TB) *session {
	return newSession(t, 140, 40).keys("space").advance(48*time.Second).keys("space", "esc")
}

// From a pod to its node, to a pod on it, and so on, the panes below are closed at some time, but for the overview.
func TestNavigation_BoundsOpenPanes(t *testing.T) {
	s := newSession(t, 100, 30)
	for range 3 * maxOpen {
		s.screen.push(navEntry{pane: views.NodesPane})
		s.screen.push(navEntry{pane: views.PodsPane})
	}
	if n := len(s.screen.navStack); n != maxOpen || s.screen.navStack[0].pane != views.Overview || s.screen.top().pane != views.PodsPane {
		t.Errorf("%d panes are open, the first %s, the last %s", n, s.screen.navStack[0].pane, s.screen.top().pane)
	}
	for range maxOpen {
		s.keys("esc")
	}
	if n := len(s.screen.navStack); n != 1 {
		t.Errorf("%d panes are open", n)
	}
}
