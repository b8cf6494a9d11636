package leader

import (
	"slices"
	"time"
)

// How much a Watcher remembers.
const (
	tenuresKept   = 64  // a day of scheduler upgrades and mishaps
	overlapsKept  = 32  // each is worth a look, and more are one problem
	heartbeatKept = 128 // some four minutes at the default retry period, enough to tell a clock's rate to half a percent
)

// History is who held a lease, oldest first. It is bounded: of what is too long ago only the counts remain.
type History struct {
	Tenures  []Tenure
	Overlaps []Overlap
	// Forgotten counts the tenures that are not kept any more.
	Forgotten int
}

// Tenure is the time in which a lease named one holder, as an observer saw it: by the observer's clock if not said
// otherwise.
type Tenure struct {
	// Holder is empty while nobody held the lease after a release.
	Holder string
	// From is when the holder was first seen, Until when the end was; zero while it goes on.
	From, Until time.Time
	// Acquired is by the holder's own clock, and Transitions the count in the Lease.
	Acquired    time.Time
	Transitions int
	// Renewals counts those seen after the first look, Last is when the latest was seen, and LongestGap the longest time
	// between two.
	Renewals   int
	Last       time.Time
	LongestGap time.Duration
	// Lapses counts how often the holder renewed a lease that had expired.
	Lapses int
	// End is how it ended, and Silence the time from the last renewal to it.
	End     End
	Silence time.Duration
	// Clock is how fast the holder's clock goes.
	Clock Rate
}

// End is how a tenure ended.
type End uint8

const (
	// Ongoing is no end.
	Ongoing End = iota
	// Released: the holder gave the lease up.
	Released
	// TakenFree: somebody took a lease that nobody held.
	TakenFree
	// TakenAfterSilence: somebody else took the lease over once it had expired.
	TakenAfterSilence
	// TakenEarly: somebody else took the lease over while it was good by the observer's clock, or somebody wrote the
	// Lease by hand.
	TakenEarly
	// TermEnded: the control plane wanted another holder, and that one or another took the lease.
	TermEnded
	// Deleted: the Lease was deleted.
	Deleted
)

func (e End) String() string {
	return [...]string{
		"goes on", "released", "taken, being free", "taken over after silence", "taken over early", "term ended", "deleted",
	}[e]
}

// Overlap says that two replicas might have believed at the same time that they lead.
type Overlap struct {
	Old, New string
	// From is when the new holder was seen, Until when the old one has given up at the latest, if its clock goes as it
	// did.
	From, Until time.Time
}

// Rate is how fast another clock goes by the observer's: somewhere between Low and High, both zero if not known yet.
type Rate struct{ Low, High float64 }

// Known tells whether anything is known of the clock.
func (r Rate) Known() bool { return r.High > 0 }

// heartbeat is one renewal: when the observer saw it, and the time it bears, of the holder's clock.
type heartbeat struct{ seen, renewed time.Time }

// rateOf compares two clocks by heartbeats. One may have been seen later than another by as much as delay; until they
// span that time tenfold, nothing is known.
func rateOf(beats []heartbeat, delay time.Duration) Rate {
	if len(beats) < 2 {
		return Rate{}
	}
	first, last := beats[0], beats[len(beats)-1]
	theirs, ours := last.renewed.Sub(first.renewed), last.seen.Sub(first.seen)
	if ours < 10*max(delay, time.Millisecond) || theirs <= 0 {
		return Rate{}
	}
	return Rate{Low: float64(theirs) / float64(ours+delay), High: float64(theirs) / float64(ours-delay)}
}

// keep appends to a bounded list and tells how many of the oldest it let go.
func keep[T any](list []T, item T, most int) ([]T, int) {
	list = append(list, item)
	if over := len(list) - most; over > 0 {
		return slices.Delete(list, 0, over), over
	}
	return list, 0
}
