package tui

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"
)

// K tries the next release on a copy, side by side with what is, and the one after it when pressed again.
func TestUpgrade_KeyChangesTheRelease(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}, {220, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			s := openStory(t, "upgrade", size[0], size[1]).keys("esc").advance(5*time.Second).keys("space", "K")
			s.shows("WHAT-IF", "⚑ what-if: upgrade 1.36", "$ orrery whatif", "upgrade 1.36", "still pending")
			depth := len(s.screen.navStack)
			s.keys("K").shows("⚑ what-if: upgrade 1.37", "lab/benchmark-")
			if size[0] > 80 {
				s.shows("by NamespaceSelectorsResolved", "the rest of the recording: ")
			}
			checkSize(t, s)
			golden(t, filepath.Join("stories", "upgrade", fmt.Sprintf("whatif-%dx%d.txt", size[0], size[1])), s.plain())
			if got := len(s.screen.navStack); got != depth {
				t.Errorf("%d panes are open after the second release, want %d: the first is replaced", got, depth)
			}
			s.keys("K").shows("⚑ what-if: upgrade 1.36") // after the newest comes the oldest that is not the recording's
			s.keys("esc").lacks("⚑ what-if")
		})
	}
}
