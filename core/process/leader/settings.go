package leader

import (
	"errors"
	"fmt"
	"time"

	"orrery/core/objects/saturating"
)

// JitterFactor stretches the wait between two attempts to acquire the lease: to between RetryPeriod and
// RetryPeriod*(1+JitterFactor).
const JitterFactor = 1.2

// Settings configure a candidate. All durations are by the candidate's own clock.
type Settings struct {
	// Identity is unique to the candidate: of two with the same identity, both believe that they lead.
	Identity string
	// Namespace and Name are those of the Lease.
	Namespace, Name string

	// LeaseDuration is how long the others wait after the last renewal they saw before they take over. It is written
	// into the Lease in whole seconds, cut off.
	LeaseDuration time.Duration
	// RenewDeadline is how long a leader tries to renew before it stops leading.
	RenewDeadline time.Duration
	// RetryPeriod is the time between two attempts, of the leader to renew and of the others to acquire.
	RetryPeriod time.Duration
	// CallTimeout is how long one call to the API server may take; zero means no limit but the renew deadline.
	CallTimeout time.Duration

	// ReleaseOnCancel releases the lease at the end, so that other candidates need not wait for its expiry.
	ReleaseOnCancel bool
	// Coordinated lets the control plane choose the leader: the candidate never acquires the lease, it only renews one that
	// names it, and not beyond the end of its term.
	Coordinated bool

	// UseOwnLeaseDuration expires another's lease after this candidate's LeaseDuration instead of the seconds in the record,
	// as old versions of client-go did.
	UseOwnLeaseDuration bool
	// Strict makes a leader stop early enough that LeaseDuration:RenewDeadline is the tolerated ratio of clock rates,
	// whatever calls and pauses come between; see the package comment.
	Strict bool

	// Seed decides the jitter, which is drawn from a math/rand/v2 PCG of (Seed, 0).
	Seed uint64
}

// Defaults returns kube-scheduler's settings.
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

// Validate checks the settings, in client-go's words and order.
func (s Settings) Validate() error {
	switch {
	case s.LeaseDuration <= s.RenewDeadline:
		return errors.New("leaseDuration must be greater than renewDeadline")
	case s.RenewDeadline <= time.Duration(saturating.Truncate(JitterFactor*float64(s.RetryPeriod))):
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

// ValidateResourceLock checks the resourceLock of a configuration: only leases are supported.
func ValidateResourceLock(kind string) error {
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

// RenewTimeout is how long a leader that cannot renew leads on after its last renewal, if calls take no time.
func (s Settings) RenewTimeout() time.Duration {
	if s.Strict {
		return s.RenewDeadline
	}
	return saturating.Add(s.RetryPeriod, s.RenewDeadline)
}

// MaxLeadingTime is the longest time for which a candidate may believe that it leads after the start of its last successful
// attempt, if calls take as long as they may.
func (s Settings) MaxLeadingTime() time.Duration {
	if s.Strict {
		return s.RenewDeadline
	}
	call := s.RenewDeadline
	if s.CallTimeout > 0 {
		call = min(call, s.CallTimeout)
	}
	two := saturating.Add(call, call)                          // get and update
	slowest := min(saturating.Add(two, call), s.RenewDeadline) // and an update before
	held := saturating.Add(slowest, s.RenewTimeout())
	if s.ReleaseOnCancel {
		held = saturating.Add(held, min(two, s.RenewDeadline))
	}
	return held
}

// MaxClockSkew is the highest ratio of the fastest to the slowest clock at which two candidates never both believe that
// they lead, if calls take as long as they may. Below 1 not even equal clocks are safe. It is 0 where the lease is released
// before the leader's work has ended, since another candidate may then start immediately.
func (s Settings) MaxClockSkew() float64 {
	if s.ReleaseOnCancel && !s.Strict {
		return 0
	}
	return float64(s.LeaseDuration.Truncate(time.Second)) / float64(s.MaxLeadingTime())
}
