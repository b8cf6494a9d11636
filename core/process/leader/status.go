package leader

import (
	"math"
	"time"
)

// State is the state of a lease.
type State uint8

const (
	// Absent: there is no Lease.
	Absent State = iota
	// Free: it has no holder, and any candidate may acquire it.
	Free
	// Held: it was renewed in time.
	Held
	// Expired: it was not renewed in time; the first candidate to notice takes it over.
	Expired
)

func (s State) String() string { return [...]string{"absent", "free", "held", "expired"}[s] }

// Status is a Watcher's view at one time.
type Status struct {
	State  State
	Record Record
	// Tenure is the latest one; zero if there was none yet.
	Tenure Tenure
	// ExpiresIn is the time left by the observer's clock, negative once the lease has expired.
	ExpiresIn time.Duration
	// FailoverAt is the earliest time at which another candidate may take over if there is no further renewal: one that
	// sees every renewal without delay, and whose clock is the fastest seen, or the observer's.
	FailoverAt time.Time
	// MaxClockSkew is the highest ratio of the fastest to the slowest clock at which two candidates never both believe that
	// they lead: the lease duration divided by the time that a leader leads on without renewing.
	MaxClockSkew float64
	// ClockSkew is the ratio of the fastest to the slowest holder's clock, at least.
	ClockSkew float64
	// RenewsInTime reports whether the holder's gaps between renewals stayed below its renew timeout.
	RenewsInTime bool
	// Overlap is set while two replicas might both believe that they lead.
	Overlap *Overlap
}

// SkewTolerated reports whether the observed clock skew rules out two leaders; true if there is no Lease.
func (r Status) SkewTolerated() bool { return r.State == Absent || r.ClockSkew <= r.MaxClockSkew }

// Status returns the lease's state now.
func (w *Watcher) Status(now time.Time) Status {
	r := Status{Record: w.record, ClockSkew: w.clockSkew(), RenewsInTime: true}
	for i, o := range w.history.Overlaps {
		if !now.Before(o.From) && now.Before(o.Until) {
			r.Overlap = &w.history.Overlaps[i]
		}
	}
	if len(w.history.Tenures) > 0 {
		r.Tenure = *w.current()
	}
	if w.lease == nil {
		return r
	}
	r.MaxClockSkew = ratio(w.record.Duration(), w.settings.RenewTimeout())
	if w.record.Holder == "" {
		r.State, r.FailoverAt = Free, w.current().From
		return r
	}
	expiry := w.expiry(w.record)
	r.State, r.ExpiresIn = Held, expiry.Sub(now)
	if !now.Before(expiry) {
		r.State = Expired
	}
	wait := time.Duration(float64(w.record.Duration()) / w.fastest())
	r.FailoverAt = r.Tenure.Last.Add(wait - w.delay)
	gap := max(r.Tenure.LongestGap, now.Sub(r.Tenure.Last))
	r.RenewsInTime = gap < w.settings.RenewTimeout()
	return r
}

// fastest is the highest rate that the clock of a candidate other than the holder may have by its renewals; at least the
// observer's own.
func (w *Watcher) fastest() float64 {
	rate := 1.0
	for i := range w.history.Tenures {
		t := &w.history.Tenures[i]
		if t.Holder == w.record.Holder {
			continue
		}
		rate = max(rate, t.Clock.Low)
		if !math.IsInf(t.Clock.High, 1) {
			rate = max(rate, t.Clock.High)
		}
	}
	return rate
}

// clockSkew is the ratio of the fastest to the slowest holder's clock, at least.
func (w *Watcher) clockSkew() float64 {
	fast, slow := 0.0, 0.0
	for i := range w.history.Tenures {
		clock := w.history.Tenures[i].Clock
		if !clock.Known() {
			continue
		}
		fast = max(fast, clock.Low)
		if slow == 0 || clock.High < slow {
			slow = clock.High
		}
	}
	if slow == 0 {
		return 1
	}
	return max(1, fast/slow)
}
