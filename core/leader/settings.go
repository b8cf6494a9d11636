package leader

import (
	"errors"
	"fmt"
	"time"
)

// JitterFactor stretches the wait between two attempts to acquire the lease: to between RetryPeriod and
// RetryPeriod*(1+JitterFactor).
const JitterFactor = 1.2

// Settings are what a candidate is told of the election. All durations are by the candidate's own clock.
type Settings struct {
	// Identity tells this candidate from all others. Two candidates of one identity both believe that they lead.
	Identity string
	// Namespace and Name are those of the Lease.
	Namespace, Name string

	// LeaseDuration is how long the others wait after the last renewal they saw before they take over. It is written
	// into the Lease in whole seconds, cut off.
	LeaseDuration time.Duration
	// RenewDeadline is how long a leader tries to renew before it gives up.
	RenewDeadline time.Duration
	// RetryPeriod is the time between two attempts, of the leader to renew and of the others to acquire.
	RetryPeriod time.Duration
	// CallTimeout is how long one call to the API server may take; zero is for ever, or until the renew deadline.
	CallTimeout time.Duration

	// ReleaseOnCancel gives the lease up at the end, so that nobody needs to wait until it has expired.
	ReleaseOnCancel bool
	// Coordinated leaves it to the control plane to choose a leader: the candidate never takes the lease, it only
	// renews one that names it, and not beyond the end of its term.
	Coordinated bool

	// OwnDuration judges the lease of another by this candidate's LeaseDuration and not by the seconds written in the
	// record, as client-go did once.
	OwnDuration bool
	// Strict gives leadership up early enough that LeaseDuration:RenewDeadline is the ratio of clock rates that is
	// tolerated, whatever calls and pauses come between; see the package comment.
	Strict bool

	// Seed decides the jitter, which is drawn from a math/rand/v2 PCG of (Seed, 0).
	Seed uint64
}

// Defaults are kube-scheduler's.
func Defaults(identity string) Settings {
	return Settings{
		Identity: identity, Namespace: "kube-system", Name: "kube-scheduler",
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		CallTimeout: CallTimeoutOf(10 * time.Second), ReleaseOnCancel: true,
	}
}

// CallTimeoutOf is kube-scheduler's timeout of a call on the Lease: half the renew deadline, so that one call that hangs
// does not cost leadership, and at least a second.
func CallTimeoutOf(renewDeadline time.Duration) time.Duration {
	return max(renewDeadline/2, time.Second)
}

// Check says what is wrong with the settings, in client-go's words and order.
func (s Settings) Check() error {
	switch {
	case s.LeaseDuration <= s.RenewDeadline:
		return errors.New("leaseDuration must be greater than renewDeadline")
	case s.RenewDeadline <= time.Duration(JitterFactor*float64(s.RetryPeriod)):
		return errors.New("renewDeadline must be greater than retryPeriod*JitterFactor")
	case s.LeaseDuration < 1:
		return errors.New("leaseDuration must be greater than zero")
	case s.RenewDeadline < 1:
		return errors.New("renewDeadline must be greater than zero")
	case s.RetryPeriod < 1:
		return errors.New("retryPeriod must be greater than zero")
	case s.Namespace == "" || s.Name == "":
		//lint:ignore ST1005 these are client-go's own words
		return errors.New("Lock must not be nil.")
	case s.Identity == "":
		//lint:ignore ST1005 these are client-go's own words
		return errors.New("Lock identity is empty")
	}
	return nil
}

// CheckLock says what is wrong with a resourceLock of a configuration: only Leases are locks.
func CheckLock(kind string) error {
	switch kind {
	case "leases":
		return nil
	case "endpoints", "configmaps", "endpointsleases":
		return fmt.Errorf("%s lock is removed, migrate to leases", kind)
	case "configmapsleases":
		return fmt.Errorf("%s lock is removed, migrated to leases", kind)
	}
	//lint:ignore ST1005 these are client-go's own words
	return fmt.Errorf("Invalid lock-type %s", kind)
}

// GivesUpAfter is how long a leader goes on that can no longer renew: from its last renewal to its giving up, when
// calls take no time.
func (s Settings) GivesUpAfter() time.Duration {
	if s.Strict {
		return s.RenewDeadline
	}
	return s.RetryPeriod + s.RenewDeadline
}

// HoldsOn is the longest that a candidate may believe that it leads, from the start of its last successful attempt, when
// calls take as long as they may.
func (s Settings) HoldsOn() time.Duration {
	if s.Strict {
		return s.RenewDeadline
	}
	call := s.RenewDeadline
	if s.CallTimeout > 0 {
		call = min(call, s.CallTimeout)
	}
	slowest := min(3*call, s.RenewDeadline) // update, get and update again
	held := slowest + s.GivesUpAfter()
	if s.ReleaseOnCancel {
		held += min(2*call, s.RenewDeadline) // get and update
	}
	return held
}

// Tolerance is how many times faster than the slowest clock the fastest may run, lest two candidates both believe that
// they lead, if calls take as long as they may. Below 1 not even equal clocks are enough. It is 0 where the lease is
// released before the leader's work has ended, so that another may begin as soon as it sees that.
func (s Settings) Tolerance() float64 {
	if s.ReleaseOnCancel && !s.Strict {
		return 0
	}
	return float64(s.LeaseDuration.Truncate(time.Second)) / float64(s.HoldsOn())
}
