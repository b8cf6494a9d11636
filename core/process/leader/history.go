package leader

import (
	"slices"
	"time"

	"orrery/core/objects/saturating"
)

// How much a Watcher remembers.
const (
	//orrery:limit scheduler; terms of leaders of a lease that are remembered; the oldest goes
	maxTenures = 64 // a day of upgrades and failures
	//orrery:limit scheduler; overlaps of two leaders that are remembered; the oldest goes
	maxOverlaps = 32 // a longer list is one problem
	//orrery:limit scheduler; renewals by which a holder's clock is measured; the oldest goes
	maxHeartbeats = 128 // about four minutes at the default retry period, enough to know a clock's rate to half a percent
)

// History is the list of holders, oldest first. It is bounded: of older tenures only the count remains.
type History struct {
	Tenures  []Tenure
	Overlaps []Overlap
	// Forgotten counts the tenures that were dropped.
	Forgotten int
}

// Tenure is a span in which a lease named one holder, as seen by an observer. Times are the observer's unless stated
// otherwise.
type Tenure struct {
	// Holder is empty while the lease is free after a release.
	Holder string
	// From is when the holder was first seen, Until when its end was; zero while it lasts.
	From, Until time.Time
	// Acquired is a time of the holder's clock, Transitions the count in the Lease.
	Acquired    time.Time
	Transitions int
	// Renewals counts the renewals after the first observation; Last is when the latest was seen, LongestGap the longest
	// time between two.
	Renewals   int
	Last       time.Time
	LongestGap time.Duration
	// LateRenewals counts how often the holder renewed a lease that had expired.
	LateRenewals int
	// End is how it ended, SinceRenewal the time from the last renewal to the end.
	End          End
	SinceRenewal time.Duration
	// Clock is the rate of the holder's clock.
	Clock ClockRate
}

// End is how a tenure ended.
type End uint8

const (
	// Ongoing: it has not ended.
	Ongoing End = iota
	// Released: the holder released the lease.
	Released
	// AcquiredFree: a candidate acquired the free lease.
	AcquiredFree
	// TakenAfterExpiry: another candidate took over the expired lease.
	TakenAfterExpiry
	// TakenEarly: another candidate took over before the lease had expired by the observer's clock, or the Lease was edited
	// by hand.
	TakenEarly
	// TermEnded: the control plane preferred another holder, and the lease changed hands.
	TermEnded
	// Deleted: the Lease was deleted.
	Deleted
)

func (e End) String() string {
	return [...]string{
		"ongoing", "released", "acquired (lease was free)", "taken over after expiry", "taken over before expiry", "term ended", "deleted",
	}[e]
}

// Overlap is a span in which two replicas may both have believed that they lead.
type Overlap struct {
	Old, New string
	// From is when the new holder was seen, Until the latest time at which the old one has stopped, by the measured rate of
	// its clock.
	From, Until time.Time
}

// ClockRate is the rate of another clock relative to the observer's: between Low and High; both zero if unknown.
type ClockRate struct{ Low, High float64 }

// Known reports whether the rate was measured.
func (r ClockRate) Known() bool { return r.High > 0 }

// heartbeat is one renewal: when the observer saw it, and the holder's time in it.
type heartbeat struct{ seen, renewed time.Time }

// rateOf compares two clocks by heartbeats, each of which may be seen late by up to delay. Nothing is known until they span
// ten times the delay.
func rateOf(beats []heartbeat, delay time.Duration) ClockRate {
	if len(beats) < 2 {
		return ClockRate{}
	}
	first, last := beats[0], beats[len(beats)-1]
	theirs, ours := last.renewed.Sub(first.renewed), last.seen.Sub(first.seen)
	if ours < 10*max(delay, time.Millisecond) || theirs <= 0 {
		return ClockRate{}
	}
	return ClockRate{Low: float64(theirs) / float64(saturating.Add(ours, delay)), High: float64(theirs) / float64(ours-delay)}
}

// appendBounded appends to a bounded list and returns how many of the oldest were dropped.
func appendBounded[T any](list []T, item T, most int) ([]T, int) {
	list = append(list, item)
	if over := len(list) - most; over > 0 {
		return slices.Delete(list, 0, over), over
	}
	return list, 0
}
