package leader

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// Candidate is one replica in the election: a state machine over the records of one Lease. See the package comment for
// how it is driven.
type Candidate struct {
	settings Settings
	jitter   rand.PCG

	phase     phase
	leading   bool
	cancelled bool
	notices   []Notice
	slowPaths uint64

	// What the candidate believes of the lease, and since when by its own clock.
	observed   Record
	observedAt time.Time
	// read is the record that was read last. Own writes leave it as it is, so the first look after them always finds
	// something new.
	read     Record
	hasRead  bool
	reported string
	// cached is the Lease that the next update is made to.
	cached *coordinationv1.Lease

	attempt attempt
	ticks   ticker
	// next is when the next attempt starts, zero while one is under way.
	next time.Time
	// deadline is when a leader gives up, or a release does; zero when neither is to be.
	deadline time.Time
}

type phase uint8

const (
	acquiring phase = iota
	renewing
	releasing
	done
)

// New is a candidate that makes its first attempt at once.
func New(s Settings, now time.Time) (*Candidate, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("electing a leader by the lease %s/%s: %w", s.Namespace, s.Name, err)
	}
	return &Candidate{settings: s, jitter: *rand.NewPCG(s.Seed, 0), next: now}, nil
}

// Fork is a second candidate with the same past.
func (c *Candidate) Fork() *Candidate {
	fork := *c
	fork.notices = slices.Clone(c.notices)
	return &fork
}

// Wake tells the time. Whatever was due at or before it happens now: a process that was stopped for a while finds its
// timers gone off, the one that makes it give up before any other.
func (c *Candidate) Wake(now time.Time) {
	switch {
	case due(c.deadline, now):
		c.expire(now)
	case c.attempt.step != idle && due(c.attempt.call.Until, now):
		c.ended(now, timedOut)
	case c.attempt.step == idle && due(c.next, now):
		c.begin(now)
	}
}

func due(timer, now time.Time) bool { return !timer.IsZero() && !now.Before(timer) }

// NextWake is when the candidate wants to be woken; ok is false if it only waits for an answer, or has ended.
func (c *Candidate) NextWake() (at time.Time, ok bool) {
	timer := c.next
	if c.attempt.step != idle {
		timer = c.attempt.call.Until
	}
	if timer.IsZero() || (!c.deadline.IsZero() && c.deadline.Before(timer)) {
		timer = c.deadline
	}
	return timer, !timer.IsZero()
}

// Call hands over, once, the call that is to be made. There is never more than one under way.
func (c *Candidate) Call() (Call, bool) {
	if c.attempt.step == idle || c.attempt.made {
		return Call{}, false
	}
	c.attempt.made = true
	return c.attempt.call, true
}

// Answer tells how a call ended. A timer that was due by now goes off first, and may have made an end of the call.
func (c *Candidate) Answer(now time.Time, a Answer) {
	if due(c.deadline, now) || due(c.attempt.call.Until, now) {
		c.Wake(now)
	}
	if c.attempt.step != idle && a.Call == c.attempt.call.ID {
		c.ended(now, a)
	}
}

// Cancel ends the candidacy. A leader stops leading at once, and then releases the lease if it should.
func (c *Candidate) Cancel(now time.Time) {
	if c.cancelled || c.phase == done {
		return
	}
	c.cancelled = true
	c.endLeading(now)
	switch c.phase {
	case acquiring:
		c.report(now)
		c.finish(now)
	case renewing:
		c.lose(now)
	}
}

// Notices hands over what happened since the last call, in order.
func (c *Candidate) Notices() []Notice {
	handed := c.notices
	c.notices = nil
	return handed
}

func (c *Candidate) notify(now time.Time, kind NoticeKind, text string) {
	c.notices = append(c.notices, Notice{At: now, Kind: kind, Text: text})
}

// Settings are those the candidate was made with.
func (c *Candidate) Settings() Settings { return c.settings }

// Leading tells whether the candidate believes that it leads: the leader's work has begun and was not told to end.
func (c *Candidate) Leading() bool { return c.leading }

// Leader is who holds the lease by what the candidate last read or wrote; empty for nobody. It may name the candidate
// itself while it does not lead, and another while it still does.
func (c *Candidate) Leader() string { return c.observed.Holder }

// Observed is the record that the candidate goes by, and since when by its own clock.
func (c *Candidate) Observed() (Record, time.Time) { return c.observed, c.observedAt }

// SlowPaths counts the renewals that had to read the Lease first.
func (c *Candidate) SlowPaths() uint64 { return c.slowPaths }

// LostLease is what the process ends with when its candidate has ended.
const LostLease = "lost lease"

// ExitCode is how the process ends: 0 after Cancel and 1 after a loss. ok is false while the candidacy goes on.
func (c *Candidate) ExitCode() (code int, ok bool) {
	if c.phase != done {
		return 0, false
	}
	if c.cancelled {
		return 0, true
	}
	return 1, true
}

// Health is the error of a leader that neither renewed nor gave up in time, by more than grace: its process hangs and
// should be restarted. Everybody else is well.
func (c *Candidate) Health(now time.Time, grace time.Duration) error {
	if c.holds() && now.Sub(c.observedAt) > c.settings.LeaseDuration+grace {
		return fmt.Errorf("failed election to renew leadership on lease %s", c.settings.Name)
	}
	return nil
}

// holds tells whether the lease names this candidate, as far as it knows.
func (c *Candidate) holds() bool { return c.observed.Holder == c.settings.Identity }

// good tells whether the lease had not expired at a time.
func (c *Candidate) good(now time.Time) bool {
	duration := c.observed.Duration()
	if c.settings.OwnDuration {
		duration = c.settings.LeaseDuration
	}
	return c.observedAt.Add(duration).After(now)
}

func (c *Candidate) observe(now time.Time, r Record) { c.observed, c.observedAt = r, now }

// report says that the leader is another than the one last reported.
func (c *Candidate) report(now time.Time) {
	if c.observed.Holder != c.reported {
		c.reported = c.observed.Holder
		c.notify(now, NewLeader, c.reported)
	}
}
