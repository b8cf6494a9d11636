package tui

import (
	"strings"
	"testing"

	"orrery/views"
)

// TestHelp_ScrollsToEveryKey opens the help at every size: every key and its whole sentence come into view, and what is below
// is announced. So do what the pane shows, the filters, the commands and the panes.
func TestHelp_ScrollsToEveryKey(t *testing.T) {
	for _, size := range [][2]int{{60, 16}, {80, 24}, {120, 40}, {220, 60}} {
		s := newSession(t, size[0], size[1]).keys("2", "?")
		seen, pages := "", 0
		for {
			plain := s.plain()
			seen += strings.Join(strings.Fields(strings.Map(blankBorders, plain)), " ")
			if pages++; pages > 40 {
				t.Fatalf("at %v the help has no end:\n%s", size, plain)
			}
			if !strings.Contains(plain, " more row") {
				break
			}
			s.keys("pgdown")
		}
		if pages > 1 && size[1] >= 60 {
			t.Errorf("at %v the help has %d pages, and there is room for all:\n%s", size, pages, s.plain())
		}
		if pages == 1 && size[1] < 40 {
			t.Errorf("at %v the help is said to be whole:\n%s", size, s.plain())
		}
		for _, g := range helpOf(views.QueuePane, "read-only: this is a recording") {
			for _, k := range g.Keys {
				for word := range strings.FieldsSeq(g.About + " " + k.Key + " " + k.Action) {
					if !strings.Contains(seen, word) {
						t.Errorf("at %v the help never shows %q of %q:\n%s", size, word, k.Key+" "+k.Action, s.plain())
					}
				}
			}
		}
		if strings.Contains(seen, "…") {
			t.Errorf("at %v the help is cut:\n%s", size, s.plain())
		}
		s.keys("g").shows("Navigation").keys("esc").shows("2 Queue")
	}
}

func blankBorders(r rune) rune {
	if r == '│' {
		return ' '
	}
	return r
}
