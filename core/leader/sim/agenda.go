package sim

import "orrery/core/leader"

// event is something that is going to happen.
type event struct {
	at  int64
	seq uint64
	// replica is whom it is about; life tells which of its processes.
	replica *Replica
	life    uint64
	kind    eventKind
	call    leader.Call
	answer  leader.Answer
	act     func()
}

type eventKind uint8

const (
	wakes eventKind = iota
	arrives
	answers
	acts
)

// agenda is a heap of events, by time and then by the order of being put there.
type agenda struct {
	seq    uint64
	events []*event
	free   []*event
}

func (a *agenda) before(i, j int) bool {
	x, y := a.events[i], a.events[j]
	return x.at < y.at || (x.at == y.at && x.seq < y.seq)
}

// put adds an event that the caller then fills in; its time must not be changed.
func (a *agenda) put(at int64, kind eventKind) *event {
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
		if !a.before(i, parent) {
			break
		}
		a.events[i], a.events[parent] = a.events[parent], a.events[i]
		i = parent
	}
	return e
}

// take removes the first event. It is to be given back with done.
func (a *agenda) take() *event {
	first, last := a.events[0], len(a.events)-1
	a.events[0] = a.events[last]
	a.events[last] = nil
	a.events = a.events[:last]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if a.before(child, least) {
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

func (a *agenda) done(e *event) { a.free = append(a.free, e) }
