package app

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// What is opened is read with few collections, and after the first one that follows they come as often as before, even where a second
// thing was opened before it.
func TestCollectLess_EndsWithTheNextCollection(t *testing.T) {
	t.Setenv("GOGC", "")
	resting := restingPercent()
	defer debug.SetGCPercent(resting)
	for range 2 {
		end := collectLess()
		if got := percentNow(); got != openingPercent {
			t.Errorf("while something is opened the percentage is %d, want %d", got, openingPercent)
		}
		end()
	}
	for percentNow() != resting { // the cleanup runs on a goroutine of its own
		runtime.GC()
		runtime.Gosched()
	}
}

func TestCollectLess_LeavesTheUsersPercentage(t *testing.T) {
	t.Setenv("GOGC", "70")
	before := debug.SetGCPercent(70)
	defer debug.SetGCPercent(before)
	defer collectLess()()
	if got := percentNow(); got != 70 {
		t.Errorf("the percentage is %d, want that of GOGC, 70", got)
	}
}

func TestPercentAbove(t *testing.T) {
	for _, row := range []struct {
		live, heap uint64
		want       int
	}{
		{100, 100, 25}, {100, 400, 400}, {400, 380, 18}, {100, 5000, 900}, {0, 5000, -100},
	} {
		if got := percentAbove(row.live, row.heap); got != row.want {
			t.Errorf("with %d live and a heap of %d the percentage is %d, want %d", row.live, row.heap, got, row.want)
		}
	}
}
