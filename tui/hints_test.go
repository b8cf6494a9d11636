package tui

import (
	"strings"
	"testing"
	"time"

	"orrery/views/draw"
)

// hintLine returns the hints as the last line shows them on a screen of a width.
func hintLine(s *session, width int) string {
	c := draw.New(width, 1)
	c.All(draw.Braille).Hints(s.screen.hints(width - 2))
	return strings.TrimSpace(c.Plain())
}

// TestHints_ByWorth: what one would want next stands first, in each situation.
func TestHints_ByWorth(t *testing.T) {
	calm := func(t *testing.T) *session {
		d := builtIn(t, "morning-rush")
		d.Recording.SeekTo(d.Start().Add(30 * time.Second))
		return watch(t, d, 140, 40)
	}
	rush := func(t *testing.T) *session { return rushHour(t, 140, 40) }
	for _, tt := range []struct {
		name  string
		open  func(*testing.T) *session
		keys  []string
		first string
	}{
		{"a calm overview that plays", calm, []string{"space"}, "enter open pane   arrows rows   / find   space pause"},
		{"a paused recording", calm, nil, "enter open pane   space play   arrows rows"},
		{"the end of a recording", calm, []string{"$"}, "enter open pane   ! trouble   space play again"},
		{"trouble", rush, []string{"space"}, "enter open pane   ! trouble   arrows rows"},
		{"a pod of the overview that waits", rush, []string{"space", "down"}, "e explain   enter open   ! trouble   esc back   arrows rows"},
		{"a queue", rush, []string{"space", "2"}, "e explain   enter open   ! trouble   esc back"},
		{"a filtered queue", rush, []string{"space", "2", "/", "s", "enter"}, "e explain   enter open   esc clear filter   ! trouble"},
		{"a zoomed queue", rush, []string{"space", "2", "z"}, "e explain   enter open   esc unzoom"},
		{"an explanation with a fix", rush, []string{"space", "2", "G", "e"}, "enter try it   "},
		{"the trouble itself", rush, []string{"space", "!"}, "enter "},
		{"a mark", rush, []string{"space", "M"}, "enter go there   "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.open(t).keys(tt.keys...)
			s.plain()
			if got := hintLine(s, 200); !strings.HasPrefix(got, tt.first) {
				t.Errorf("the hints are\n%s, want first\n%s", got, tt.first)
			}
			if tt.name == "the trouble itself" && strings.Contains(hintLine(s, 80), "! trouble") {
				t.Errorf("the key that leads here is still among the first: %s", hintLine(s, 80))
			}
		})
	}
}

// TestHints_FirstDisappearsLast narrows the screen: hints go from the last one on, and the words stay with those that are left.
func TestHints_FirstDisappearsLast(t *testing.T) {
	for _, keys := range [][]string{nil, {"2"}, {"3", "enter"}, {"2", "G", "e"}, {"M"}} {
		s := rushHour(t, 140, 40).keys(keys...)
		s.plain()
		wide := s.screen.hints(400)
		for width := 400; width >= 60; width-- {
			hints := s.screen.hints(width)
			for i, h := range hints[:len(hints)-1] {
				if h != wide[i] {
					t.Fatalf("after %v, %d columns wide, hint %d is %v, want %v", keys, width, i, h, wide[i])
				}
			}
		}
		if got := hintLine(s, 60); !strings.HasPrefix(got, wide[0].Key+" "+wide[0].Action) {
			t.Errorf("after %v a screen of 60 columns has the hints %q, want %v first, in words", keys, got, wide[0])
		}
	}
}
