package replica

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	componentbasev1alpha1 "k8s.io/component-base/config/v1alpha1"
)

// storedLock is a Lease in an API server that can be away.
type storedLock struct {
	resourcelock.Interface
	away   atomic.Bool
	record resourcelock.LeaderElectionRecord
}

var errAway = errors.New("the API server is away")

func (l *storedLock) Identity() string   { return "me" }
func (l *storedLock) Describe() string   { return "a lease" }
func (l *storedLock) RecordEvent(string) {}

func (l *storedLock) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	if l.away.Load() {
		return nil, nil, errAway
	}
	record := l.record
	return &record, []byte(record.RenewTime.String()), nil
}

func (l *storedLock) Update(_ context.Context, r resourcelock.LeaderElectionRecord) error {
	if l.away.Load() {
		return errAway
	}
	l.record = r
	return nil
}

func defaultElection() componentbasev1alpha1.LeaderElectionConfiguration {
	return componentbasev1alpha1.LeaderElectionConfiguration{
		LeaseDuration: metav1.Duration{Duration: 15 * time.Second}, RenewDeadline: metav1.Duration{Duration: 10 * time.Second},
		RetryPeriod: metav1.Duration{Duration: 2 * time.Second},
	}
}

// The elector is client-go's, with kube-scheduler's defaults. An outage begins at any time between two renewals.
// Shows LEAD-30.
func TestTerm_OutlastsOutage(t *testing.T) {
	for name, c := range map[string]struct {
		strict bool
		outage time.Duration
		keeps  bool
	}{
		"8 s":          {false, 8 * time.Second, true},
		"12 s":         {false, 12 * time.Second, false},
		"6 s, strict":  {true, 6 * time.Second, true},
		"10 s, strict": {true, 10 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			for since := time.Duration(0); since < 2*time.Second; since += 250 * time.Millisecond {
				if keeps := keepsLease(t, c.strict, since, c.outage); keeps != c.keeps {
					t.Errorf("an outage that begins %s after a renewal: the lease is kept: %t", since, keeps)
				}
			}
		})
	}
}

// keepsLease reports whether a leader leads without a break through an outage that begins so long after a renewal.
func keepsLease(t *testing.T, strict bool, since, outage time.Duration) (keeps bool) {
	synctest.Test(t, func(t *testing.T) {
		lock := &storedLock{}
		var lost atomic.Bool
		e := defaultElection()
		term := newTerm(lock, termAfterRenewal(e, strict), func() { lost.Store(true) }, func() {})
		elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
			Lock: term, LeaseDuration: e.LeaseDuration.Duration, RenewDeadline: e.RenewDeadline.Duration, RetryPeriod: e.RetryPeriod.Duration,
			Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go elector.Run(ctx)
		<-time.After(20 * time.Second) // a renewal is due at every second second
		<-time.After(since + time.Millisecond)
		lock.away.Store(true)
		<-time.After(outage)
		lock.away.Store(false)
		<-time.After(5 * time.Second)
		keeps = !lost.Load() && term.leads()
		cancel()
		synctest.Wait()
	})
	return keeps
}

func TestTermAfterRenewal_NotBeyondLease(t *testing.T) {
	e := defaultElection()
	e.LeaseDuration.Duration = 11 * time.Second
	if got := termAfterRenewal(e, false); got != 11*time.Second {
		t.Errorf("a term lasts %s, and another replica may lead after 11s", got)
	}
}
