package leader

import (
	"math"
	"time"
)

// State is what has become of a lease.
type State uint8

const (
	// Absent: there is no Lease.
	Absent State = iota
	// Free: nobody holds it, and anyone may take it at once.
	Free
	// Held: it was renewed in time.
	Held
	// Expired: it was not renewed in time, and whoever notices first takes it over.
	Expired
)

func (s State) String() string { return [...]string{"absent", "free", "held", "expired"}[s] }

// Reading is what a Watcher makes of it all at one moment.
type Reading struct {
	State  State
	Record Record
	// Tenure is the latest; its zero value if there was none yet.
	Tenure Tenure
	// ExpiresIn is the time left by the observer's clock, negative once the lease has expired.
	ExpiresIn time.Duration
	// TakeoverFrom is when another candidate may take over at the earliest, should there be no more renewals: one that
	// sees every renewal at once, and whose clock is the fastest seen so far or the observer's.
	TakeoverFrom time.Time
	// Tolerance is how many times faster than the slowest clock the fastest may run, lest two candidates both believe
	// that they lead: the lease's duration by the time a leader goes on without renewing.
	Tolerance float64
	// ClockRatio is how many times faster than the slowest holder's clock the fastest holder's is, at least.
	ClockRatio float64
	// RenewsInTime tells whether the holder never was silent for as long as it takes it to give up.
	RenewsInTime bool
	// Overlap is set while two replicas might both believe that they lead.
	Overlap *Overlap
}

// WithinTolerance tells whether, by all that was seen of a Lease that is there, no two replicas can both believe that they
// lead.
func (r Reading) WithinTolerance() bool { return r.State == Absent || r.ClockRatio <= r.Tolerance }

// Read tells how things stand now.
func (w *Watcher) Read(now time.Time) Reading {
	r := Reading{Record: w.record, ClockRatio: w.clockRatio(), RenewsInTime: true}
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
	r.Tolerance = ratio(w.record.Duration(), w.settings.GivesUpAfter())
	if w.record.Holder == "" {
		r.State, r.TakeoverFrom = Free, w.current().From
		return r
	}
	expiry := w.expiry(w.record)
	r.State, r.ExpiresIn = Held, expiry.Sub(now)
	if !now.Before(expiry) {
		r.State = Expired
	}
	wait := time.Duration(float64(w.record.Duration()) / w.fastest())
	r.TakeoverFrom = r.Tenure.Last.Add(wait - w.delay)
	silence := max(r.Tenure.LongestGap, now.Sub(r.Tenure.Last))
	r.RenewsInTime = silence < w.settings.GivesUpAfter()
	return r
}

// fastest is the highest rate that the clock of another candidate than the holder is seen to have, or may have by what
// was seen.
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

// clockRatio is how far apart the holders' clocks are for certain.
func (w *Watcher) clockRatio() float64 {
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
