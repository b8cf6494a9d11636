package evict

import (
	"maps"
	"slices"
	"time"

	"orrery/core/safe/heap"
)

// Timers holds one time per key. Timers due at the same time fire in the order in which they were set.
type Timers[K comparable] struct {
	set  map[K]timer
	heap heap.Heap[heapEntry[K]] // by time, then number; stopped and reset timers stay until compact or Next drops them
	last uint64
}

type timer struct {
	at     time.Time
	number uint64
}

type heapEntry[K comparable] struct {
	timer
	key K
}

// maxStoppedTimers is how many stopped timers the heap may hold beyond the number of running ones before it is compacted.
//
//orrery:limit scheduler; stopped timers beyond the running ones; they are removed
const maxStoppedTimers = 64

// NewTimers returns an empty set of timers.
func NewTimers[K comparable]() Timers[K] {
	return Timers[K]{
		set:  map[K]timer{},
		heap: heap.Heap[heapEntry[K]]{Less: func(a, b heapEntry[K]) bool { return a.before(b.timer) }},
	}
}

// Len returns the number of running timers.
func (t *Timers[K]) Len() int { return len(t.set) }

// Set starts or resets the key's timer.
func (t *Timers[K]) Set(key K, at time.Time) {
	t.last++
	t.set[key] = timer{at, t.last}
	if len(t.heap.Items) > 2*len(t.set)+maxStoppedTimers {
		t.compact()
	}
	t.heap.Push(heapEntry[K]{timer{at, t.last}, key})
}

// SetNoLater starts the key's timer unless it runs and fires by then.
func (t *Timers[K]) SetNoLater(key K, at time.Time) {
	if due, runs := t.set[key]; !runs || at.Before(due.at) {
		t.Set(key, at)
	}
}

// Stop stops the key's timer and reports whether it ran.
func (t *Timers[K]) Stop(key K) bool {
	_, ran := t.set[key]
	delete(t.set, key)
	return ran
}

// At returns when the key's timer fires.
func (t *Timers[K]) At(key K) (time.Time, bool) {
	due, runs := t.set[key]
	return due.at, runs
}

// Next returns when the first timer fires.
func (t *Timers[K]) Next() (time.Time, bool) {
	for len(t.heap.Items) > 0 {
		first := t.heap.Items[0]
		if t.set[first.key] == first.timer {
			return first.at, true
		}
		t.heap.Pop()
	}
	return time.Time{}, false
}

// Pop removes and returns the first timer that is due.
func (t *Timers[K]) Pop(now time.Time) (key K, at time.Time, ok bool) {
	at, ok = t.Next()
	if !ok || at.After(now) {
		return key, at, false
	}
	key = t.heap.Pop().key
	delete(t.set, key)
	return key, at, true
}

// Clone returns an independent copy.
func (t *Timers[K]) Clone() Timers[K] {
	twin := Timers[K]{set: maps.Clone(t.set), heap: t.heap, last: t.last}
	twin.heap.Items = slices.Clone(t.heap.Items)
	return twin
}

func (a timer) before(b timer) bool {
	if !a.at.Equal(b.at) {
		return a.at.Before(b.at)
	}
	return a.number < b.number
}

// compact removes stopped timers from the heap, in place: it never writes past what it has read.
func (t *Timers[K]) compact() {
	old := t.heap.Items
	t.heap.Items = old[:0]
	for _, a := range old {
		if t.set[a.key] == a.timer {
			t.heap.Push(a)
		}
	}
}

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
