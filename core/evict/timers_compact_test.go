package evict

import (
	"testing"
	"time"
)

func TestTimers_StoppedAreCompacted(t *testing.T) {
	timers := NewTimers[int]()
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 10_000 {
		timers.Set(i%3, start.Add(time.Duration(i)))
		if most := 2*3 + maxStoppedTimers + 1; len(timers.heap.Items) > most {
			t.Fatalf("after three timers were set %d times the heap has %d entries, want at most %d", i+1, len(timers.heap.Items), most)
		}
	}
	for last := range 3 {
		key, at, ok := timers.Pop(start.Add(time.Hour))
		if i := 9997 + last; !ok || key != i%3 || at.Sub(start) != time.Duration(i) {
			t.Errorf("timer %d fires, set to %v; want timer %d at %v", key, at.Sub(start), i%3, time.Duration(i))
		}
	}
}
