package replica

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// fakeLock is a Lease that works, fails, or has another holder.
type fakeLock struct {
	resourcelock.Interface
	holder string
	better string // the preferred holder
	err    error
	slow   time.Duration
	before func() // called before an update
}

func (l *fakeLock) Identity() string { return "me" }

func (l *fakeLock) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	return &resourcelock.LeaderElectionRecord{HolderIdentity: l.holder, PreferredHolder: l.better}, nil, l.err
}

func (l *fakeLock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.Update(ctx, r)
}

func (l *fakeLock) Update(_ context.Context, r resourcelock.LeaderElectionRecord) error {
	<-time.After(l.slow)
	if l.before != nil {
		l.before()
	}
	if l.err == nil {
		l.holder = r.HolderIdentity
	}
	return l.err
}

func TestTerm_LastsUntilRenewDeadline(t *testing.T) {
	mine := resourcelock.LeaderElectionRecord{HolderIdentity: "me"}
	down := errors.New("nobody answers")
	for name, c := range map[string]struct {
		live func(term *term, lock *fakeLock)
		// lasts is how long the term lasts afterwards.
		lasts time.Duration
	}{
		"it ends at the deadline after the renewal": {func(term *term, _ *fakeLock) {
			_ = term.Create(context.Background(), mine)
		}, 10 * time.Second},
		"the deadline counts from the start of a slow renewal": {func(term *term, lock *fakeLock) {
			lock.slow = 4 * time.Second
			_ = term.Update(context.Background(), mine)
		}, 6 * time.Second},
		"each renewal starts it anew": {func(term *term, _ *fakeLock) {
			for range 5 {
				_ = term.Update(context.Background(), mine)
				<-time.After(7 * time.Second)
			}
		}, 3 * time.Second},
		"a renewal that fails does not": {func(term *term, lock *fakeLock) {
			_ = term.Update(context.Background(), mine)
			<-time.After(2 * time.Second)
			lock.err = down
			_ = term.Update(context.Background(), mine)
		}, 8 * time.Second},
		"it ends at once when the lease names another": {func(term *term, lock *fakeLock) {
			_ = term.Update(context.Background(), mine)
			lock.holder = "another"
			_, _, _ = term.Get(context.Background())
		}, 0},
		"a look that fails says nothing": {func(term *term, lock *fakeLock) {
			_ = term.Update(context.Background(), mine)
			lock.err = down
			_, _, _ = term.Get(context.Background())
		}, 10 * time.Second},
		"it ends before it is released": {func(term *term, lock *fakeLock) {
			_ = term.Update(context.Background(), mine)
			lock.before = func() {
				if term.leads() {
					t.Error("it leads while the lease is being released")
				}
			}
			_ = term.Update(context.Background(), resourcelock.LeaderElectionRecord{})
		}, 0},
		"once it has ended nothing brings it back": {func(term *term, _ *fakeLock) {
			_ = term.Update(context.Background(), mine)
			<-time.After(11 * time.Second)
			_ = term.Update(context.Background(), mine)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lost := 0
				lock := &fakeLock{}
				term := newTerm(lock, 10*time.Second, func() { lost++ })
				if term.leads() {
					t.Error("it leads before it has the lease")
				}
				c.live(term, lock)
				began := time.Now()
				for term.leads() {
					<-time.After(100 * time.Millisecond)
				}
				synctest.Wait()
				if lasted := time.Since(began); lasted != c.lasts {
					t.Errorf("it lasted %s, want %s", lasted, c.lasts)
				}
				if lost != 1 {
					t.Errorf("the end was told %d times", lost)
				}
			})
		})
	}
}

func TestTerm_NeverLedIsNotLost(t *testing.T) {
	term := newTerm(&fakeLock{holder: "another"}, time.Second, func() { t.Error("it lost what it never had") })
	_, _, _ = term.Get(context.Background())
	term.end()
}

func TestTerm_DoesNotReleaseOthersLease(t *testing.T) {
	lock := &fakeLock{}
	term := newTerm(lock, time.Hour, func() {})
	_ = term.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "me"})
	lock.holder = "another"
	_, _, _ = term.Get(t.Context()) // as the elector does before a release
	if err := term.Update(t.Context(), resourcelock.LeaderElectionRecord{}); !errors.Is(err, errHeldByOther) || lock.holder != "another" {
		t.Errorf("got %v, and the lease is %q's", err, lock.holder)
	}
}

func TestTerm_SeesPreferredHolder(t *testing.T) {
	lock := &fakeLock{holder: "me", better: "another"}
	term := newTerm(lock, time.Hour, func() { t.Error("that alone ended it") })
	told := func() bool {
		select {
		case <-term.replaced:
			return true
		default:
			return false
		}
	}
	_, _, _ = term.Get(t.Context())
	if told() {
		t.Error("it was told before it led")
	}
	_ = term.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "me"})
	for range 2 {
		_, _, _ = term.Get(t.Context())
	}
	if !told() || !term.leads() {
		t.Errorf("told: %t, and it leads: %t", told(), term.leads())
	}
}
