package sim

import (
	"orrery/core/process/leader"
	"orrery/core/safe/heap"
)

// event is a future event.
type event struct {
	at  int64
	seq uint64
	// replica is the receiver; incarnation is the process of it that the event is for.
	replica     *Replica
	incarnation uint64
	kind        eventKind
	call        leader.Call
	response    leader.Response
	run         func()
}

type eventKind uint8

const (
	wakeEvent eventKind = iota
	requestEvent
	responseEvent
	scriptEvent
)

// eventQueue is a heap of events, by time and then by insertion.
type eventQueue struct {
	heap.Heap[*event]
	seq  uint64
	free []*event
}

func newEventQueue() eventQueue {
	return eventQueue{Heap: heap.Heap[*event]{Less: func(a, b *event) bool {
		return a.at < b.at || (a.at == b.at && a.seq < b.seq)
	}}}
}

// push adds an event that the caller then fills in; its time must not be changed.
func (a *eventQueue) push(at int64, kind eventKind) *event {
	var e *event
	if n := len(a.free); n > 0 {
		e, a.free = a.free[n-1], a.free[:n-1]
	} else {
		e = &event{}
	}
	a.seq++
	*e = event{at: at, seq: a.seq, kind: kind}
	a.Push(e)
	return e
}

// recycle returns an event that was popped.
func (a *eventQueue) recycle(e *event) { a.free = append(a.free, e) }
