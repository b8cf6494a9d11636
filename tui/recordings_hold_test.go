package tui

import (
	"testing"
	"time"

	"orrery/core/testing/race"
	"orrery/demo"
)

// TestScreen_RecordingsHold draws every pane of every built-in recording at several moments and sizes: no row leaves the screen,
// and no box is broken.
func TestScreen_RecordingsHold(t *testing.T) {
	moments := race.Few(3, 1)
	for _, recording := range demo.Traces() {
		t.Run(recording.Name, func(t *testing.T) {
			d := builtIn(t, recording.Name)
			for i := range moments {
				d.Recording.SeekTo(d.Start().Add(recording.Length / time.Duration(moments) * time.Duration(i+1)))
				for _, size := range albumSizes[1:] {
					for _, keys := range keysToPanes {
						s := watch(t, d, size[0], size[1]).keys(keys...)
						checkSize(t, s)
						if s.screen.menu == nil && s.screen.prompt == nil { // these cover a part of a box
							checkBoxes(t, s)
						}
						if t.Failed() {
							t.Fatalf("at moment %d, %v, after %v:\n%s", i, size, keys, s.plain())
						}
					}
				}
			}
		})
	}
}
