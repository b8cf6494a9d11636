package memory

import (
	"slices"
	"time"
)

// simEvent is a scheduled event. It is plain data and immutable once queued, so that a fork can share it; it looks up
// everything else in the cluster passed to fire.
type simEvent interface{ fire(c *Cluster) }

// queuedEvent is an entry of the event queue.
type queuedEvent struct {
	at    time.Time
	seq   uint64
	event simEvent
}

func (e queuedEvent) before(o queuedEvent) bool {
	if e.at.Equal(o.at) {
		return e.seq < o.seq
	}
	return e.at.Before(o.at)
}

// eventQueue is a binary heap of events, by time and then by insertion.
type eventQueue []queuedEvent

func (a *eventQueue) push(e queuedEvent) {
	h := append(*a, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			break
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
	*a = h
}

func (a *eventQueue) pop() queuedEvent {
	h := *a
	first := h[0]
	last := len(h) - 1
	h[0] = h[last]
	h[last] = queuedEvent{}
	h = h[:last]
	i := 0
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child].before(h[least]) {
				least = child
			}
		}
		if least == i {
			break
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
	if cap(h) > maxIdle && len(h) < cap(h)/4 {
		h = slices.Clone(h) // a burst is over
	}
	*a = h
	return first
}

// maxIdle is how many entries' worth of memory a queue keeps that it does not need.
//
//orrery:limit scenarios; entries' worth of memory that a simulated cluster keeps for timers; it is freed
const maxIdle = 1 << 12

// schedule queues an event, never earlier than now.
func (c *Cluster) schedule(at time.Time, what simEvent) {
	if at.Before(c.now) {
		at = c.now
	}
	c.seq++
	c.queue.push(queuedEvent{at: at, seq: c.seq, event: what})
}
