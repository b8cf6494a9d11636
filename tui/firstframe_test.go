package tui

import (
	"testing"

	"orrery/views"
)

// A large recording takes a moment until its first frame is there; what it opens on is drawn meanwhile.
func TestScreen_DrawsBeforeFirstFrame(t *testing.T) {
	for _, p := range views.Panes() {
		for _, node := range []string{"", "n1"} {
			s := newSession(t, 80, 24)
			s.screen.frame = nil
			s.screen.openPane(p.ID)
			s.screen.top().node = node
			s.screen.draw()
			if s.plain() == "" {
				t.Errorf("%s draws nothing", p.ID)
			}
		}
	}
}
