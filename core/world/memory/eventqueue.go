package memory

import (
	"slices"
	"time"

	"orrery/core/safe/heap"
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

// eventQueue is a heap of events, by time and then by insertion.
type eventQueue struct{ heap.Heap[queuedEvent] }

func newEventQueue() eventQueue { return eventQueue{heap.Heap[queuedEvent]{Less: queuedEvent.before}} }

// next removes and returns the first event.
func (a *eventQueue) next() queuedEvent {
	first := a.Pop()
	if cap(a.Items) > maxIdle && len(a.Items) < cap(a.Items)/4 {
		a.Items = slices.Clone(a.Items) // a burst is over
	}
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
	c.queue.Push(queuedEvent{at: at, seq: c.seq, event: what})
}
