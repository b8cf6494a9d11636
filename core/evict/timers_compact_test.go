package evict

import (
	"testing"
	"time"
)

func TestTimers_StoppedAreCompacted(t *testing.T) {
	timers := NewTimers[int]()
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 10_000 {
		timers.Set(i%3, began.Add(time.Duration(i)))
		if most := 2*3 + maxStoppedTimers + 1; len(timers.heap) > most {
			t.Fatalf("three timers that were set %d times hold %d places, want at most %d", i+1, len(timers.heap), most)
		}
	}
	for last := range 3 {
		key, at, ok := timers.Pop(began.Add(time.Hour))
		if i := 9997 + last; !ok || key != i%3 || at.Sub(began) != time.Duration(i) {
			t.Errorf("timer %d goes off, set to %v; want timer %d at %v", key, at.Sub(began), i%3, time.Duration(i))
		}
	}
}
