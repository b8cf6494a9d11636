package views

import "time"

// Health is what tells whether the scheduler and its cluster are well. The zero value is that of an engine that was not read.
type Health struct {
	Known bool
	// Holder holds the scheduler's lease, last renewed at Renewed; Lease is zero if there is no election.
	Holder       string
	Renewed      time.Time
	Lease, Retry time.Duration
	// Unbound is how many pods have a place in this scheduler and wait for another to bind them, for longer than that takes. Unheld is the lease
	// that no scheduler holds, if that is known to be so.
	Unbound int
	Unheld  string
	// Nodes is how many nodes there are, NotReady and Pressed how many of them are not ready, or short of memory, disk or
	// process IDs; OnePressed is the first of the latter, with its key.
	Nodes, NotReady, Pressed  int
	OnePressed, OnePressedKey string
	// Unplaced is how many pods were tried and have no node. Stuck is the one that has been pending for the longest, since
	// StuckSince, and was rejected for StuckReason on StuckOn nodes, 0 if that is not known.
	Unplaced                     int
	Stuck, StuckKey, StuckReason string
	StuckOn                      int
	StuckSince                   time.Time
	// Evicting is how many devices evict pods by a taint, EvictingPods how many pods those are, and OneEvicting the first device.
	Evicting, EvictingPods int
	OneEvicting            string
	// UnmetClaims is how many claims for devices were rejected with their pods.
	UnmetClaims int
	// TimedOutGangs is how many gangs gave their places back in vain, HoldingGangs how many hold places while others of their pods
	// find none. OneTimedOut is the first of those, and OneHolding the first of these to give its places up, at HoldsUntil.
	TimedOutGangs, HoldingGangs int
	OneTimedOut, OneHolding     string
	HoldsUntil                  time.Time
	// Reading means that not all devices, claims and gangs were read: the next model has more.
	Reading bool
	// Panics is how often plugins have panicked lately, LastPanic the last of them in words.
	Panics    int
	LastPanic string
	// Refused is how many objects the scheduler has lately refused, or uses without a field, LastRefused the last of them in words.
	Refused     int
	LastRefused string
	// Blocked is how many evictions a PodDisruptionBudget does not allow, with the reason of the first; Overdue how many
	// predicted ones have not happened.
	Blocked, Overdue int
	BlockedReason    string
}
