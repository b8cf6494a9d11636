package replica

import (
	"context"
	"errors"
	"strings"
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

// Shows LEAD-07.
func TestTerm_LastsUntilRenewDeadline(t *testing.T) {
	mine := resourcelock.LeaderElectionRecord{HolderIdentity: "me"}
	down := errors.New("no response")
	for name, c := range map[string]struct {
		live func(term *term, lock *fakeLock)
		// lasts is how long the term lasts afterwards.
		lasts time.Duration
	}{
		"ends at the deadline after the renewal": {func(term *term, _ *fakeLock) {
			_ = term.Create(context.Background(), mine)
		}, 10 * time.Second},
		"the deadline counts from the start of a slow renewal": {func(term *term, lock *fakeLock) {
			lock.slow = 4 * time.Second
			_ = term.Update(context.Background(), mine)
		}, 6 * time.Second},
		"a renewal restarts the deadline": {func(term *term, _ *fakeLock) {
			for range 5 {
				_ = term.Update(context.Background(), mine)
				<-time.After(7 * time.Second)
			}
		}, 3 * time.Second},
		"a failed renewal does not": {func(term *term, lock *fakeLock) {
			_ = term.Update(context.Background(), mine)
			<-time.After(2 * time.Second)
			lock.err = down
			_ = term.Update(context.Background(), mine)
		}, 8 * time.Second},
		"ends at once when the lease has another holder": {func(term *term, lock *fakeLock) {
			_ = term.Update(context.Background(), mine)
			lock.holder = "another"
			_, _, _ = term.Get(context.Background())
		}, 0},
		"a failed read changes nothing": {func(term *term, lock *fakeLock) {
			_ = term.Update(context.Background(), mine)
			lock.err = down
			_, _, _ = term.Get(context.Background())
		}, 10 * time.Second},
		"ends before the release": {func(term *term, lock *fakeLock) {
			_ = term.Update(context.Background(), mine)
			lock.before = func() {
				if term.leads() {
					t.Error("leading while the lease is being released")
				}
			}
			_ = term.Update(context.Background(), resourcelock.LeaderElectionRecord{})
		}, 0},
		"an ended term stays ended": {func(term *term, _ *fakeLock) {
			_ = term.Update(context.Background(), mine)
			<-time.After(11 * time.Second)
			_ = term.Update(context.Background(), mine)
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lost := 0
				lock := &fakeLock{}
				term := newTerm(lock, 10*time.Second, func() { lost++ }, func() {})
				if term.leads() {
					t.Error("leading before it has the lease")
				}
				c.live(term, lock)
				began := time.Now()
				for term.leads() {
					<-time.After(100 * time.Millisecond)
				}
				synctest.Wait()
				if lasted := time.Since(began); lasted != c.lasts {
					t.Errorf("the term lasted %s, want %s", lasted, c.lasts)
				}
				if lost != 1 {
					t.Errorf("the end was reported %d times", lost)
				}
			})
		})
	}
}

// A suspended machine's monotonic clock stands still. Its wall clock, which may also be set, is ahead by so much after that.
func TestTerm_EndsByTheWallClock(t *testing.T) {
	mine := resourcelock.LeaderElectionRecord{HolderIdentity: "me"}
	for name, c := range map[string]struct {
		live  func(term *term, lock *fakeLock, ahead *time.Duration)
		lasts time.Duration
	}{
		"suspended for a minute": {func(term *term, _ *fakeLock, ahead *time.Duration) {
			_ = term.Update(context.Background(), mine)
			*ahead = time.Minute
		}, 0},
		"suspended for a minute, and the lease is still its own": {func(term *term, _ *fakeLock, ahead *time.Duration) {
			_ = term.Update(context.Background(), mine)
			*ahead = time.Minute
			if err := term.Update(context.Background(), mine); !errors.Is(err, errEnded) {
				t.Errorf("the renewal after the suspension: %v", err)
			}
		}, 0},
		"suspended during a renewal": {func(term *term, lock *fakeLock, ahead *time.Duration) {
			_ = term.Update(context.Background(), mine)
			lock.before = func() { *ahead = time.Minute }
			_ = term.Update(context.Background(), mine)
		}, 0},
		"suspended while it acquires the lease": {func(term *term, lock *fakeLock, ahead *time.Duration) {
			lock.before = func() { *ahead = time.Minute }
			_ = term.Create(context.Background(), mine)
		}, 0},
		"suspended for four seconds": {func(term *term, _ *fakeLock, ahead *time.Duration) {
			_ = term.Update(context.Background(), mine)
			*ahead = 4 * time.Second
		}, 6 * time.Second},
		"suspended for four seconds, and renewed": {func(term *term, _ *fakeLock, ahead *time.Duration) {
			_ = term.Update(context.Background(), mine)
			*ahead = 4 * time.Second
			_ = term.Update(context.Background(), mine)
		}, 10 * time.Second},
		"the wall clock is set back": {func(term *term, _ *fakeLock, ahead *time.Duration) {
			_ = term.Update(context.Background(), mine)
			*ahead = -time.Hour
		}, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				lost := 0
				lock := &fakeLock{}
				var ahead time.Duration
				term := newTerm(lock, 10*time.Second, func() { lost++ }, func() {})
				term.wall = func() time.Time { return time.Now().Round(0).Add(ahead) }
				c.live(term, lock, &ahead)
				began := time.Now()
				for term.leads() {
					<-time.After(100 * time.Millisecond)
				}
				synctest.Wait()
				if lasted := time.Since(began); lasted != c.lasts || lost != 1 {
					t.Errorf("the term lasted %s, want %s; its end was reported %d times", lasted, c.lasts, lost)
				}
			})
		})
	}
}

// What the term's end cuts off has ended before another may lead.
func TestTerm_ReleasesLastOfAll(t *testing.T) {
	var order []string
	lock := &fakeLock{before: func() { order = append(order, "updated") }}
	term := newTerm(lock, time.Hour, func() { order = append(order, "lost") }, func() { order = append(order, "settled") })
	_ = term.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "me"})
	_ = term.Update(t.Context(), resourcelock.LeaderElectionRecord{})
	if got := strings.Join(order, ", "); got != "updated, lost, settled, updated" {
		t.Errorf("in this order: %s", got)
	}
}

func TestTerm_NeverLedIsNotLost(t *testing.T) {
	term := newTerm(&fakeLock{holder: "another"}, time.Second, func() { t.Error("a term that never led was lost") }, func() {})
	_, _, _ = term.Get(context.Background())
	term.end()
}

func TestTerm_DoesNotReleaseOthersLease(t *testing.T) {
	lock := &fakeLock{}
	term := newTerm(lock, time.Hour, func() {}, func() {})
	_ = term.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "me"})
	lock.holder = "another"
	_, _, _ = term.Get(t.Context()) // as the elector does before a release
	if err := term.Update(t.Context(), resourcelock.LeaderElectionRecord{}); !errors.Is(err, errHeldByOther) || lock.holder != "another" {
		t.Errorf("got %v, and the lease is %q's", err, lock.holder)
	}
}

func TestTerm_SeesPreferredHolder(t *testing.T) {
	lock := &fakeLock{holder: "me", better: "another"}
	term := newTerm(lock, time.Hour, func() { t.Error("the preferred holder alone ended the term") }, func() {})
	reported := func() bool {
		select {
		case <-term.replaced:
			return true
		default:
			return false
		}
	}
	_, _, _ = term.Get(t.Context())
	if reported() {
		t.Error("reported before leading")
	}
	_ = term.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "me"})
	for range 2 {
		_, _, _ = term.Get(t.Context())
	}
	if !reported() || !term.leads() {
		t.Errorf("reported: %t, leading: %t", reported(), term.leads())
	}
}
