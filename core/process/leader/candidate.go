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

	// observed is the candidate's view of the lease, and since when by its own clock.
	observed   Record
	observedAt time.Time
	// read is the record that was read last. Own writes do not change it, so the first read after them always finds a
	// change.
	read     Record
	hasRead  bool
	reported string
	// cached is the Lease that the next update starts from.
	cached *coordinationv1.Lease

	attempt attempt
	ticks   ticker
	// next is when the next attempt starts; zero while one is running.
	next time.Time
	// deadline is when a leader stops renewing, or when a release is abandoned; zero for none.
	deadline time.Time
	// wallLead is how far the wall clock is ahead of the candidate's own, and deadlineLead what that was when the attempt began that the
	// deadline counts from.
	wallLead, deadlineLead time.Duration
}

type phase uint8

const (
	acquiring phase = iota
	renewing
	releasing
	done
)

// New returns a candidate whose first attempt is due immediately.
func New(s Settings, now time.Time) (*Candidate, error) {
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("electing a leader by the lease %s/%s: %w", s.Namespace, s.Name, err)
	}
	return &Candidate{settings: s, jitter: *rand.NewPCG(s.Seed, 0), next: now}, nil
}

// Fork returns a copy with the same history.
func (c *Candidate) Fork() *Candidate {
	fork := *c
	fork.notices = slices.Clone(c.notices)
	return &fork
}

// Wake advances the time and runs the timers that are due at or before it. After a pause of the process the renew deadline
// comes first.
func (c *Candidate) Wake(now time.Time) {
	switch {
	case c.deadlinePassed(now):
		c.expire(now)
	case c.attempt.step != idle && due(c.attempt.call.Until, now):
		c.finishCall(now, timedOut)
	case c.attempt.step == idle && due(c.next, now):
		c.begin(now)
	}
}

// SetWallLead says how far the wall clock is ahead of the candidate's own, before any of its other inputs. That grows while the machine is
// suspended and the candidate's clock stands still, but the others' clocks do not: a strict leader's deadline is by both clocks.
func (c *Candidate) SetWallLead(lead time.Duration) { c.wallLead = lead }

func (c *Candidate) deadlinePassed(now time.Time) bool {
	return due(c.deadline, now) || c.settings.Strict && c.phase == renewing && due(c.deadline, now.Add(c.wallLead-c.deadlineLead))
}

func due(timer, now time.Time) bool { return !timer.IsZero() && !now.Before(timer) }

// NextWake returns when Wake should be called; ok is false while only a response is awaited, and after the end.
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

// Call returns the call to make, once. At most one is in flight.
func (c *Candidate) Call() (Call, bool) {
	if c.attempt.step == idle || c.attempt.handedOut {
		return Call{}, false
	}
	c.attempt.handedOut = true
	return c.attempt.call, true
}

// HandleResponse ends a call. Timers that are due by now run first, and may have abandoned the call.
func (c *Candidate) HandleResponse(now time.Time, a Response) {
	if c.deadlinePassed(now) || due(c.attempt.call.Until, now) {
		c.Wake(now)
	}
	if c.attempt.step != idle && a.Call == c.attempt.call.ID {
		c.finishCall(now, a)
	}
}

// Cancel ends the candidacy. A leader stops leading immediately, and then releases the lease if the settings say so.
func (c *Candidate) Cancel(now time.Time) {
	if c.cancelled || c.phase == done {
		return
	}
	c.cancelled = true
	c.stopLeading(now)
	switch c.phase {
	case acquiring:
		c.reportLeader(now)
		c.finish(now)
	case renewing:
		c.stopRenewing(now)
	}
}

// Notices returns what happened since the last call, in order.
func (c *Candidate) Notices() []Notice {
	handed := c.notices
	c.notices = nil
	return handed
}

func (c *Candidate) notify(now time.Time, kind NoticeKind, text string) {
	c.notices = append(c.notices, Notice{At: now, Kind: kind, Text: text})
}

// Settings returns the candidate's settings.
func (c *Candidate) Settings() Settings { return c.settings }

// Leading reports whether the candidate believes that it leads: between StartedLeading and StoppedLeading.
func (c *Candidate) Leading() bool { return c.leading }

// Leader is the holder of the lease by the candidate's last read or write; empty for none. It may be the candidate itself
// before it leads, and another one while it still does.
func (c *Candidate) Leader() string { return c.observed.Holder }

// Observed returns the record that the candidate relies on, and since when by its own clock.
func (c *Candidate) Observed() (Record, time.Time) { return c.observed, c.observedAt }

// SlowPaths counts the renewals that had to read the Lease first.
func (c *Candidate) SlowPaths() uint64 { return c.slowPaths }

// LostLease is the error of a process whose candidate lost the lease.
const LostLease = "lost lease"

// ExitCode is the exit code of the process: 0 after Cancel, 1 after a loss. ok is false while the candidacy lasts.
func (c *Candidate) ExitCode() (code int, ok bool) {
	if c.phase != done {
		return 0, false
	}
	if c.cancelled {
		return 0, true
	}
	return 1, true
}

// Health returns an error for a leader that neither renewed nor stopped in time, by more than grace: its process hangs and
// should be restarted.
func (c *Candidate) Health(now time.Time, grace time.Duration) error {
	if c.holds() && now.Sub(c.observedAt) > c.settings.LeaseDuration+grace {
		return fmt.Errorf("failed election to renew leadership on lease %s", c.settings.Name)
	}
	return nil
}

// holds reports whether the lease names this candidate, as far as it knows.
func (c *Candidate) holds() bool { return c.observed.Holder == c.settings.Identity }

// leaseValid reports whether the lease had not expired at a time.
func (c *Candidate) leaseValid(now time.Time) bool {
	duration := c.observed.Duration()
	if c.settings.UseOwnLeaseDuration {
		duration = c.settings.LeaseDuration
	}
	return c.observedAt.Add(duration).After(now)
}

func (c *Candidate) observe(now time.Time, r Record) { c.observed, c.observedAt = r, now }

// reportLeader emits NewLeader if the holder changed since the last report.
func (c *Candidate) reportLeader(now time.Time) {
	if c.observed.Holder != c.reported {
		c.reported = c.observed.Holder
		c.notify(now, NewLeader, c.reported)
	}
}
