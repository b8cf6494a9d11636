package leader

import (
	"math/rand/v2"
	"time"
)

// A term, from the first success to the end:
//
//	acquiring ──success──► round ──success──► wait ──► round ... ──deadline or Cancel──► release ──► done
//
// A round is a series of renewal attempts, the first immediately and then one per tick, until one succeeds or the deadline
// passes.

// succeed follows an attempt that wrote the lease.
func (c *Candidate) succeed(now time.Time) {
	trusted := c.attempt.start.Add(c.settings.RenewDeadline)
	if c.settings.Strict && (due(trusted, now) || due(trusted, now.Add(c.wallLead-c.attempt.wallLead))) {
		c.fail(now) // others may have waited for most of the lease by now
		return
	}
	c.reportLeader(now)
	c.ticks, c.deadline = ticker{}, time.Time{}
	if c.settings.Strict {
		c.deadline, c.deadlineLead = trusted, c.attempt.wallLead
	}
	if c.phase == renewing {
		c.next = c.nextRound(now)
		return
	}
	c.phase, c.leading, c.next = renewing, true, now
	c.notify(now, LeaseEvent, c.settings.Identity+" became leader")
	c.notify(now, StartedLeading, "")
}

// nextRound is when the round after a successful one starts.
func (c *Candidate) nextRound(now time.Time) time.Time {
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
		c.reportLeader(now)
		r := rand.New(&c.jitter)
		period := c.settings.RetryPeriod
		c.next = now.Add(period + time.Duration(r.Float64()*JitterFactor*float64(period)))
	case c.settings.Strict && !c.holds():
		c.stopRenewing(now)
	default:
		c.next = c.ticks.next(now, c.settings.RetryPeriod)
	}
}

// startRound counts a renewal attempt that starts now, the first of its round or a later one.
func (c *Candidate) startRound(now time.Time) {
	if !c.ticks.start.IsZero() {
		c.ticks.take(now, c.settings.RetryPeriod)
		return
	}
	c.ticks.start = now
	if !c.settings.Strict {
		c.deadline = now.Add(c.settings.RenewDeadline)
	}
}

// expire handles the deadline: of the round, of the leadership when strict, or of the release.
func (c *Candidate) expire(now time.Time) {
	if c.phase == releasing {
		c.finish(now)
		return
	}
	c.stopRenewing(now)
}

// stopRenewing ends the renewals. The leader's work goes on until the lease has been released, unless the candidate is
// strict or was cancelled.
func (c *Candidate) stopRenewing(now time.Time) {
	c.attempt.step, c.next = idle, time.Time{}
	c.reportLeader(now)
	if c.settings.Strict {
		c.stopLeading(now)
	}
	if !c.settings.ReleaseOnCancel {
		c.finish(now)
		return
	}
	c.phase = releasing
	c.deadline = now.Add(c.settings.RenewDeadline)
	c.send(now, releaseReading, Get, nil)
}

// releaseLease releases the lease if this candidate holds it: by the observed record, or by the Lease itself when strict.
func (c *Candidate) releaseLease(now time.Time, a Response) {
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
	c.update(now, releaseWriting)
}

func (c *Candidate) stopLeading(now time.Time) {
	if c.leading {
		c.leading = false
		c.notify(now, StoppedLeading, "")
	}
}

func (c *Candidate) finish(now time.Time) {
	if c.phase != acquiring {
		c.notify(now, LeaseEvent, c.settings.Identity+" stopped leading")
	}
	c.stopLeading(now)
	c.phase, c.attempt.step, c.next, c.deadline = done, idle, time.Time{}, time.Time{}
	c.notify(now, CandidacyEnded, "")
}

// ticker ticks every period from start on. It keeps one tick that comes during an attempt.
type ticker struct {
	start time.Time
	// taken is how many ticks there were when the latest attempt began.
	taken int64
}

func (t *ticker) count(now time.Time, period time.Duration) int64 {
	return int64(now.Sub(t.start) / period)
}

func (t *ticker) take(now time.Time, period time.Duration) { t.taken = t.count(now, period) }

// next is when the attempt after one that ended now starts.
func (t *ticker) next(now time.Time, period time.Duration) time.Time {
	ticks := t.count(now, period)
	if ticks > t.taken {
		return now
	}
	return t.start.Add(time.Duration(ticks+1) * period)
}
