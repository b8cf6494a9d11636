package queue

import (
	"slices"
	"time"

	"orrery/core/objects/saturating"
)

// The periods of the queue's two timers, which are not configurable.
const (
	backoffPeriod  = time.Second      // release pods whose back-off is over
	leftoverPeriod = 30 * time.Second // move pods that have been in unschedulablePods for too long
)

// startTimers starts the timers once.
func (q *Queue) startTimers(start time.Time) {
	if q.start.IsZero() && !start.IsZero() {
		q.start, q.now = start, start
	}
}

// NextWake returns the next tick that has something to do. It may be in the past if Flush is overdue.
func (q *Queue) NextWake(_ time.Time) (at time.Time, ok bool) {
	at, _, _, ok = q.nextTick()
	return at, ok
}

// Flush runs the timers up to now. Every method with a time does this first, so the result does not depend on how often
// Flush is called.
func (q *Queue) Flush(now time.Time) { q.advance(now) }

// advance runs the timers up to now: each tick at its own time, and back-off before leftovers.
func (q *Queue) advance(now time.Time) {
	q.startTimers(now)
	for {
		at, backoff, leftover, ok := q.nextTick()
		if !ok || at.After(now) {
			break
		}
		q.now = at
		if backoff {
			q.flushBackoffQCompleted()
		}
		if leftover {
			q.flushUnschedulablePodsLeftover()
		}
	}
	if now.After(q.now) {
		q.now = now
	}
}

// nextTick returns the next time at which a tick has something to do, and the timers that tick then.
func (q *Queue) nextTick() (at time.Time, backoff, leftover, ok bool) {
	if ends, waits := q.firstExpiration(); waits {
		at, backoff = q.tick(q.firstBackoffTick(), backoffPeriod, ends), true
	}
	if p := q.oldestLeftover(); p != nil {
		left := q.tick(q.start, leftoverPeriod, q.unschedulableUntil(p))
		switch {
		case !backoff || left.Before(at):
			at, backoff, leftover = left, false, true
		case left.Equal(at):
			leftover = true
		}
	}
	return at, backoff, leftover, backoff || leftover
}

// oldestLeftover returns the pod that decides the next leftover flush. An overdue gated pod does not move, but its
// flush is still an in-flight event, which sends failing pods to backoffQ.
func (q *Queue) oldestLeftover() *Pod {
	p := q.unschedulablePods.leftovers.head()
	if len(q.inFlightEvents.markers) == 0 {
		return p
	}
	if held := q.unschedulablePods.exempt.head(); held != nil && (p == nil || held.timestamp.Before(p.timestamp)) {
		return held
	}
	return p
}

// tick returns a timer's first tick after both t and the present.
func (q *Queue) tick(first time.Time, period time.Duration, t time.Time) time.Time {
	if t.Before(q.now) {
		t = q.now
	}
	if t.Before(first) {
		return first
	}
	return saturating.NextTick(first, period, t.Add(1))
}

// firstBackoffTick is one second after the start, cut to the whole second with PopFromBackoff.
func (q *Queue) firstBackoffTick() time.Time { return q.alignToWindow(q.start.Add(backoffPeriod)) }

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

func (q *Queue) flushBackoffQCompleted() {
	for _, h := range [...]*podHeap{&q.backoff, &q.errored} {
		for p := h.head(); p != nil && !q.isBackingOff(p); p = h.head() {
			q.detach(p)
			q.moveToActiveQ(p, BackoffComplete, "", q.opts.PopFromBackoff)
		}
	}
}

// unschedulableUntil is the last moment at which the leftover flush does not move the pod.
func (q *Queue) unschedulableUntil(p *Pod) time.Time {
	limit := p.waitsSince().Add(q.opts.MaxInUnschedulable)
	if q.opts.RequeueRule == MoveRequestCycle {
		return limit.Add(-time.Nanosecond) // the older rule also moves a pod at exactly the limit
	}
	return limit
}

// RetryBy is when the timers put a pod into activeQ if no event does it earlier; for a pod in activeQ it is the present.
// It is false for gated pods, which no timer moves, and for pods outside the queue.
func (q *Queue) RetryBy(p *Pod) (at time.Time, ok bool) {
	switch {
	case p.gate != "":
		return time.Time{}, false
	case p.queuedIn == Active:
		return q.now, true
	case p.queuedIn == Backoff || p.queuedIn == ErrorBackoff:
		return q.backoffTick(p), true
	case p.queuedIn != Unschedulable:
		return time.Time{}, false
	}
	flush := q.tick(q.start, leftoverPeriod, q.unschedulableUntil(p))
	if p.backoffExpiration.Before(q.alignToWindow(flush)) {
		return flush, true
	}
	return q.backoffTick(p), true
}

// backoffTick is the tick that ends a pod's back-off.
func (q *Queue) backoffTick(p *Pod) time.Time {
	return q.tick(q.firstBackoffTick(), backoffPeriod, p.backoffExpiration)
}

func (q *Queue) flushUnschedulablePodsLeftover() {
	in := q.matchFor(EventUnschedulableTimeout)
	for _, p := range q.overdue() {
		p.wasFlushed = q.opts.NoteFlushed
		if q.opts.FlushGated {
			q.unschedulablePods.restartClock(p, q.now)
		}
		q.moveOne(p, in, nil, nil)
	}
	q.recordMoveRequest(in, nil, nil)
}

// overdue returns the pods that the leftover flush moves now, in the order of arrival.
func (q *Queue) overdue() []*Pod {
	q.scratch = q.scratch[:0]
	for _, p := range q.unschedulablePods.leftovers.Items {
		if q.unschedulableUntil(p).Before(q.now) {
			q.scratch = append(q.scratch, p)
		}
	}
	slices.SortFunc(q.scratch, byUnschedulableSeq)
	return q.scratch
}
