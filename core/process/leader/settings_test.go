package leader_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orrery/core/process/leader"
)

// Shows LEAD-19, LEAD-20, LEAD-21, LEAD-22 and B-5.
func TestSettings_ValidateInOrder(t *testing.T) {
	sec := time.Second
	for _, row := range []struct {
		name                string
		lease, renew, retry time.Duration
		want                string
	}{
		{"defaults", 15 * sec, 10 * sec, 2 * sec, ""},
		{"leaseDuration equals renewDeadline", 10 * sec, 10 * sec, 2 * sec, "leaseDuration must be greater than renewDeadline"},
		{"all zero: leaseDuration comes first", 0, 0, 0, "leaseDuration must be greater than renewDeadline"},
		{"renewDeadline equals retryPeriod*JitterFactor", 15 * sec, 2400 * time.Millisecond, 2 * sec, "renewDeadline must be greater than retryPeriod*JitterFactor"},
		{"renewDeadline a nanosecond longer", 15 * sec, 2400*time.Millisecond + 1, 2 * sec, ""},
		{"no retryPeriod", 15 * sec, 10 * sec, 0, "retryPeriod must be greater than zero"},
		{"no renewDeadline", 15 * sec, 0, -1 * sec, "renewDeadline must be greater than zero"},
		{"no leaseDuration", 0, -1 * sec, -2 * sec, "leaseDuration must be greater than zero"},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := settings()
			s.LeaseDuration, s.RenewDeadline, s.RetryPeriod = row.lease, row.renew, row.retry
			_, err := leader.New(s, epoch)
			switch {
			case row.want == "" && err != nil:
				t.Errorf("invalid: %v", err)
			case row.want != "" && (err == nil || !strings.HasSuffix(err.Error(), ": "+row.want)):
				t.Errorf("got %v, want %s", err, row.want)
			}
		})
	}
	noIdentity, noName := settings(), settings()
	noIdentity.Identity, noName.Name = "", ""
	if got := noIdentity.Validate().Error(); got != "Lock identity is empty" {
		t.Error(got)
	}
	if got := noName.Validate().Error(); got != "Lock must not be nil." {
		t.Error(got)
	}
}

// Shows LEAD-06, LEAD-07 and LEAD-08.
func TestDefaults_MatchKubeScheduler(t *testing.T) {
	want := leader.Settings{
		Identity: "host_uuid", Namespace: "kube-system", Name: "kube-scheduler",
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second,
		CallTimeout: 5 * time.Second, ReleaseOnCancel: true,
	}
	if diff := cmp.Diff(want, leader.Defaults("host_uuid")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := want.Validate(); err != nil {
		t.Errorf("the defaults are invalid: %v", err)
	}
	if got := leader.CallTimeoutOf(time.Second); got != time.Second {
		t.Errorf("with a deadline of 1 s the call timeout is %v, want 1 s", got)
	}
}

// Shows LEAD-04, LEAD-09, LEAD-18 and B-5.
func TestValidateResourceLock_LeasesOnly(t *testing.T) {
	for kind, want := range map[string]string{
		"endpoints":        "endpoints lock is removed, migrate to leases",
		"configmaps":       "configmaps lock is removed, migrate to leases",
		"endpointsleases":  "endpointsleases lock is removed, migrate to leases",
		"configmapsleases": "configmapsleases lock is removed, migrated to leases",
		"foo":              "Invalid lock-type foo",
		"":                 "Invalid lock-type ",
	} {
		if err := leader.ValidateResourceLock(kind); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", kind, err, want)
		}
	}
	if err := leader.ValidateResourceLock("leases"); err != nil {
		t.Error(err)
	}
}

// Shows LEAD-13 and C-5.
func TestSettings_MaxLeadingTime(t *testing.T) {
	for _, row := range []struct {
		name         string
		settings     leader.Settings
		renewTimeout time.Duration
		maxLeading   time.Duration
		maxSkew      float64
	}{
		{"kube-scheduler's settings", settings(releases), 12 * time.Second, 32 * time.Second, 0},
		{"without a release", settings(), 12 * time.Second, 22 * time.Second, 15.0 / 22},
		{"with a short call timeout", settings(func(s *leader.Settings) { s.CallTimeout = 500 * time.Millisecond }), 12 * time.Second, 13500 * time.Millisecond, 15 / 13.5},
		{"strict, 15:10 as documented", settings(strict, releases), 10 * time.Second, 10 * time.Second, 1.5},
		{"strict, 60:30", settings(strict, func(s *leader.Settings) {
			s.LeaseDuration, s.RenewDeadline = time.Minute, 30*time.Second
		}), 30 * time.Second, 30 * time.Second, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := row.settings
			if s.RenewTimeout() != row.renewTimeout || s.MaxLeadingTime() != row.maxLeading || math.Abs(s.MaxClockSkew()-row.maxSkew) > 1e-9 {
				t.Errorf("RenewTimeout %v, MaxLeadingTime %v, MaxClockSkew %v", s.RenewTimeout(), s.MaxLeadingTime(), s.MaxClockSkew())
			}
		})
	}
}

// A longer lease with the same deadline tolerates more clock skew and slower calls, and leaves the cluster without a leader
// for longer.
// Shows LEAD-14.
func TestSettings_MaxClockSkew(t *testing.T) {
	for _, row := range []struct {
		lease    time.Duration
		maxSkew  float64
		failover time.Duration // of a leader that dies right after a renewal
	}{
		{11 * time.Second, 1.1, 11 * time.Second},
		{15 * time.Second, 1.5, 15 * time.Second},
		{30 * time.Second, 3, 30 * time.Second},
		{time.Minute, 6, time.Minute},
	} {
		s := settings(strict, func(s *leader.Settings) { s.LeaseDuration = row.lease })
		if got := s.MaxClockSkew(); math.Abs(got-row.maxSkew) > 1e-9 {
			t.Errorf("MaxClockSkew with a lease of %v is %v, want %v", row.lease, got, row.maxSkew)
		}
		last := held("b", 0, 0)
		last.LeaseSeconds = int(row.lease / time.Second)
		early := newHarness(t, s).put(last).run(0)
		late := &harness{t: t, c: early.c.Fork(), store: early.store, fault: early.fault}
		if early.at(row.failover.Seconds() - 0.001); early.c.Leading() {
			t.Errorf("a lease of %v was taken over too early", row.lease)
		}
		if late.at(row.failover.Seconds()); !late.c.Leading() {
			t.Errorf("a lease of %v was not taken over after %v", row.lease, row.failover)
		}
	}
}

func TestSettings_LongestDurations(t *testing.T) {
	s := leader.Defaults("a")
	s.LeaseDuration, s.RenewDeadline, s.RetryPeriod, s.CallTimeout = math.MaxInt64, math.MaxInt64-1, math.MaxInt64/2, 0
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if s.RenewTimeout() != math.MaxInt64 || s.MaxLeadingTime() != math.MaxInt64 {
		t.Errorf("it leads for %v without a renewal, and for %v at most", s.RenewTimeout(), s.MaxLeadingTime())
	}
	s.RetryPeriod = math.MaxInt64
	if s.Validate() == nil {
		t.Error("a retry period beyond the renew deadline is valid")
	}
	if got := *(leader.Record{LeaseSeconds: 1 << 33}).Spec().LeaseDurationSeconds; got != math.MaxInt32 {
		t.Errorf("a lease of 272 years is written with %d s", got)
	}
}
