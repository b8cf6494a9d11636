package leader

import (
	"math/rand/v2"
	"time"
)

// A term, from the first success to the end:
//
//	acquiring ──success──► round ──success──► wait ──► round ... ──deadline or Cancel──► release ──► done
//
// A round is attempts at renewing, the first at once and then one at every tick, until one succeeds or the deadline
// comes.

// succeed follows an attempt that wrote the lease.
func (c *Candidate) succeed(now time.Time) {
	trusted := c.attempt.start.Add(c.settings.RenewDeadline)
	if c.settings.Strict && due(trusted, now) {
		c.fail(now) // the attempt took so long that others may have waited for most of it
		return
	}
	c.report(now)
	c.ticks, c.deadline = ticker{}, time.Time{}
	if c.settings.Strict {
		c.deadline = trusted
	}
	if c.phase == renewing {
		c.next = c.rest(now)
		return
	}
	c.phase, c.leading, c.next = renewing, true, now
	c.notify(now, Announced, c.settings.Identity+" became leader")
	c.notify(now, StartedLeading, "")
}

// rest is when the round after a successful one starts.
func (c *Candidate) rest(now time.Time) time.Time {
	if !c.settings.Strict {
		return now.Add(c.settings.RetryPeriod)
	}
	next := c.attempt.start.Add(c.settings.RetryPeriod)
	if next.Before(now) {
		return now
	}
	return next
}

// fail follows an attempt that did not write the lease.
func (c *Candidate) fail(now time.Time) {
	switch {
	case c.phase == acquiring:
		c.report(now)
		r := rand.New(&c.jitter)
		period := c.settings.RetryPeriod
		c.next = now.Add(period + time.Duration(r.Float64()*JitterFactor*float64(period)))
	case c.settings.Strict && !c.holds():
		c.lose(now)
	default:
		c.next = c.ticks.next(now, c.settings.RetryPeriod)
	}
}

// round counts a renewing attempt that starts now, the first of its round or a later one.
func (c *Candidate) round(now time.Time) {
	if !c.ticks.start.IsZero() {
		c.ticks.take(now, c.settings.RetryPeriod)
		return
	}
	c.ticks.start = now
	if !c.settings.Strict {
		c.deadline = now.Add(c.settings.RenewDeadline)
	}
}

// expire is the deadline: of the round, of the whole leadership when strict, or of the release.
func (c *Candidate) expire(now time.Time) {
	if c.phase == releasing {
		c.finish(now)
		return
	}
	c.lose(now)
}

// lose ends the renewing. The leader's work goes on until the lease has been released, unless the candidate is strict or
// was cancelled.
func (c *Candidate) lose(now time.Time) {
	c.attempt.step, c.next = idle, time.Time{}
	c.report(now)
	if c.settings.Strict {
		c.endLeading(now)
	}
	if !c.settings.ReleaseOnCancel {
		c.finish(now)
		return
	}
	c.phase = releasing
	c.deadline = now.Add(c.settings.RenewDeadline)
	c.send(now, readingLast, Get, nil)
}

// foundLast releases the lease if it is this candidate's: by what was observed, or when strict by what it says.
func (c *Candidate) foundLast(now time.Time, a Answer) {
	if !a.Outcome.OK() || !c.holds() {
		c.finish(now)
		return
	}
	r := RecordOf(a.Lease)
	if c.settings.Strict && r.Holder != c.settings.Identity {
		c.finish(now)
		return
	}
	c.cached = a.Lease
	c.attempt.record = Record{LeaseSeconds: 1, AcquireTime: now, RenewTime: now, Transitions: r.Transitions}
	c.update(now, writingLast)
}

func (c *Candidate) endLeading(now time.Time) {
	if c.leading {
		c.leading = false
		c.notify(now, EndedLeading, "")
	}
}

func (c *Candidate) finish(now time.Time) {
	if c.phase != acquiring {
		c.notify(now, Announced, c.settings.Identity+" stopped leading")
	}
	c.endLeading(now)
	c.phase, c.attempt.step, c.next, c.deadline = done, idle, time.Time{}, time.Time{}
	c.notify(now, Stopped, "")
}

// ticker ticks every period from start on. A tick that comes during an attempt is kept until its end, but only one.
type ticker struct {
	start time.Time
	// taken is how many ticks there had been when the latest attempt began.
	taken int64
}

func (t *ticker) count(now time.Time, period time.Duration) int64 {
	return int64(now.Sub(t.start) / period)
}

func (t *ticker) take(now time.Time, period time.Duration) { t.taken = t.count(now, period) }

// next is when the next attempt starts, after one that ended now.
func (t *ticker) next(now time.Time, period time.Duration) time.Time {
	ticks := t.count(now, period)
	if ticks > t.taken {
		return now
	}
	return t.start.Add(time.Duration(ticks+1) * period)
}
