package queue

import (
	"slices"
	"time"
)

// The queue's two timers, which are not configurable.
const (
	backoffPeriod  = time.Second      // release pods whose back-off is over
	leftoverPeriod = 30 * time.Second // move pods that no event has moved for long
)

// begin starts the timers, unless they run.
func (q *Queue) begin(start time.Time) {
	if q.start.IsZero() && !start.IsZero() {
		q.start, q.now = start, start
	}
}

// NextWake is when a timer next has something to do; ticks that would find nothing are left out. It may be in the past,
// when Flush is overdue.
func (q *Queue) NextWake(_ time.Time) (at time.Time, ok bool) {
	at, _, _, ok = q.due()
	return at, ok
}

// Flush lets the timers tick up to now. Every method that is given a time does this first, so that it makes no
// difference how often Flush is called.
func (q *Queue) Flush(now time.Time) { q.advance(now) }

// advance carries the queue to now: each tick on the way happens at its own time, and back-off before leftovers.
func (q *Queue) advance(now time.Time) {
	q.begin(now)
	for {
		at, backoff, leftover, ok := q.due()
		if !ok || at.After(now) {
			break
		}
		q.now = at
		if backoff {
			q.flushBackoff()
		}
		if leftover {
			q.flushLeftover()
		}
	}
	if now.After(q.now) {
		q.now = now
	}
}

// due is the next time at which a tick has something to do, and which timers tick then.
func (q *Queue) due() (at time.Time, backoff, leftover, ok bool) {
	if ends, any := q.firstExpiration(); any {
		at, backoff = q.tick(q.firstBackoffTick(), backoffPeriod, ends), true
	}
	if p := q.oldestLeftover(); p != nil {
		left := q.tick(q.start, leftoverPeriod, q.stays(p))
		switch {
		case !backoff || left.Before(at):
			at, backoff, leftover = left, false, true
		case left.Equal(at):
			leftover = true
		}
	}
	return at, backoff, leftover, backoff || leftover
}

// oldestLeftover is the pod that decides when the leftover flush next matters. An overdue gated pod does not move, yet
// like any other it makes the flush an event, which sends pods in flight to backoffQ when they fail.
func (q *Queue) oldestLeftover() *Pod {
	p := q.parked.leftover.head()
	if len(q.flights.at) == 0 {
		return p
	}
	if held := q.parked.held.head(); held != nil && (p == nil || held.timestamp.Before(p.timestamp)) {
		return held
	}
	return p
}

// tick is the first tick of a timer after t and after everything that has been.
func (q *Queue) tick(first time.Time, period time.Duration, t time.Time) time.Time {
	if t.Before(q.now) {
		t = q.now
	}
	if t.Before(first) {
		return first
	}
	return first.Add((t.Sub(first)/period + 1) * period)
}

// firstBackoffTick is one second after the start or, where there are windows, the first window that begins after it.
func (q *Queue) firstBackoffTick() time.Time { return q.align(q.start.Add(backoffPeriod)) }

func (q *Queue) firstExpiration() (time.Time, bool) {
	b, e := q.backoff.head(), q.errored.head()
	switch {
	case b == nil && e == nil:
		return time.Time{}, false
	case e == nil || (b != nil && b.backoffExpiration.Before(e.backoffExpiration)):
		return b.backoffExpiration, true
	}
	return e.backoffExpiration, true
}

func (q *Queue) flushBackoff() {
	for _, h := range [...]*podHeap{&q.backoff, &q.errored} {
		for p := h.head(); p != nil && !q.backingOff(p); p = h.head() {
			q.detach(p)
			q.toActive(p, BackoffComplete, "", q.opts.PopFromBackoff)
		}
	}
}

// stays is the last moment at which a parked pod is left alone by the leftover flush.
func (q *Queue) stays(p *Pod) time.Time {
	limit := p.timestamp.Add(q.opts.MaxInUnschedulable)
	if q.opts.Rule == MoveRequestCycle {
		return limit.Add(-time.Nanosecond) // the older rule moves a pod that has stayed exactly as long
	}
	return limit
}

func (q *Queue) flushLeftover() {
	in := q.interestIn(EventUnschedulableTimeout)
	for _, p := range q.overdue() {
		q.moveOne(p, in, nil, nil)
	}
	q.moved(in, nil, nil)
}

// overdue are the pods that the leftover flush moves now, in the order in which they were parked.
func (q *Queue) overdue() []*Pod {
	q.scratch = q.scratch[:0]
	for _, p := range q.parked.leftover.pods {
		if q.stays(p).Before(q.now) {
			q.scratch = append(q.scratch, p)
		}
	}
	slices.SortFunc(q.scratch, byParking)
	return q.scratch
}
