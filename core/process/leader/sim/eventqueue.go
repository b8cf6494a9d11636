package sim

import "orrery/core/process/leader"

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
	seq    uint64
	events []*event
	free   []*event
}

func (a *eventQueue) less(i, j int) bool {
	x, y := a.events[i], a.events[j]
	return x.at < y.at || (x.at == y.at && x.seq < y.seq)
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
	a.events = append(a.events, e)
	for i := len(a.events) - 1; i > 0; {
		parent := (i - 1) / 2
		if !a.less(i, parent) {
			break
		}
		a.events[i], a.events[parent] = a.events[parent], a.events[i]
		i = parent
	}
	return e
}

// pop removes the first event. The caller returns it with recycle.
func (a *eventQueue) pop() *event {
	first, last := a.events[0], len(a.events)-1
	a.events[0] = a.events[last]
	a.events[last] = nil
	a.events = a.events[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if a.less(child, least) {
				least = child
			}
		}
		if least == i {
			return first
		}
		a.events[i], a.events[least] = a.events[least], a.events[i]
		i = least
	}
}

func (a *eventQueue) recycle(e *event) { a.free = append(a.free, e) }
