package evict

import "time"

// Timers are the moments at which something is due, one for each key. Those due at the same moment go off in the order
// in which they were set. It is plain data: Clone makes a copy that goes its own way.
type Timers[K comparable] struct {
	set  map[K]timer
	heap []alarm[K] // by time, then number; those that were stopped or set anew are still in it
	last uint64
}

type timer struct {
	at     time.Time
	number uint64
}

type alarm[K comparable] struct {
	timer
	key K
}

// heapSlack is how many stopped timers may lie about beyond the number of running ones before they are swept out.
const heapSlack = 64

// NewTimers is a set of timers of which none runs.
func NewTimers[K comparable]() Timers[K] { return Timers[K]{set: map[K]timer{}} }

// Len is how many run.
func (t *Timers[K]) Len() int { return len(t.set) }

// Set starts the key's timer, or sets it anew.
func (t *Timers[K]) Set(key K, at time.Time) {
	t.last++
	t.set[key] = timer{at, t.last}
	if len(t.heap) > 2*len(t.set)+heapSlack {
		t.sweep()
	}
	t.push(alarm[K]{timer{at, t.last}, key})
}

// SetBy starts the key's timer unless it goes off by then anyway.
func (t *Timers[K]) SetBy(key K, at time.Time) {
	if due, runs := t.set[key]; !runs || at.Before(due.at) {
		t.Set(key, at)
	}
}

// Stop stops the key's timer and says whether it ran.
func (t *Timers[K]) Stop(key K) bool {
	_, ran := t.set[key]
	delete(t.set, key)
	return ran
}

// At is when the key's timer goes off.
func (t *Timers[K]) At(key K) (time.Time, bool) {
	due, runs := t.set[key]
	return due.at, runs
}

// Next is when the first of them goes off.
func (t *Timers[K]) Next() (time.Time, bool) {
	for len(t.heap) > 0 {
		first := t.heap[0]
		if t.set[first.key] == first.timer {
			return first.at, true
		}
		t.pop()
	}
	return time.Time{}, false
}

// Pop takes the first one that is due by now.
func (t *Timers[K]) Pop(now time.Time) (key K, at time.Time, ok bool) {
	at, ok = t.Next()
	if !ok || at.After(now) {
		return key, at, false
	}
	key = t.pop().key
	delete(t.set, key)
	return key, at, true
}

// Clone is a copy.
func (t *Timers[K]) Clone() Timers[K] {
	twin := Timers[K]{set: make(map[K]timer, len(t.set)), heap: append([]alarm[K](nil), t.heap...), last: t.last}
	for key, due := range t.set {
		twin.set[key] = due
	}
	return twin
}

func (a timer) before(b timer) bool {
	if !a.at.Equal(b.at) {
		return a.at.Before(b.at)
	}
	return a.number < b.number
}

func (t *Timers[K]) push(a alarm[K]) {
	t.heap = append(t.heap, a)
	for i := len(t.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !t.heap[i].before(t.heap[parent].timer) {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *Timers[K]) pop() alarm[K] {
	first, end := t.heap[0], len(t.heap)-1
	t.heap[0] = t.heap[end]
	t.heap = t.heap[:end]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < end; child++ {
			if t.heap[child].before(t.heap[least].timer) {
				least = child
			}
		}
		if least == i {
			return first
		}
		t.heap[i], t.heap[least] = t.heap[least], t.heap[i]
		i = least
	}
}

// sweep takes out of the heap what no longer runs. The new heap grows in the old one's place, never past what was read.
func (t *Timers[K]) sweep() {
	old := t.heap
	t.heap = t.heap[:0]
	for _, a := range old {
		if t.set[a.key] == a.timer {
			t.push(a)
		}
	}
}
