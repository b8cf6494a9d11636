package live_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"orrery/core/parity/apiserver"
)

// Orrery and kube-scheduler are candidates for one lease. The leader is terminated or killed four times, while pods are
// created: each time the other takes over, and no binding is made in the other's tenure.
func TestFailover_BetweenOrreryAndKubeScheduler(t *testing.T) {
	s := newFixture(t, apiserver.Node(0, "64", "64Gi", "2000"), apiserver.Node(1, "64", "64Gi", "2000"))
	watches := s.watchBindings()
	// Each of the two has its own user, so that the API server's audit log distinguishes them.
	ours := func() *process { return s.scheduleAs(scheduler, orrery) }
	theirs := func() *process { return s.scheduleAs(rival, kubeScheduler) }
	s.leaseDuration = s.shortLease()
	leader, follower := ours(), (*process)(nil)
	s.eventually(func() error { return s.tenureOf(scheduler, 1) })
	stream := s.streamPods()
	for i, change := range []struct {
		next   func() *process
		user   string
		signal syscall.Signal
		lease  time.Duration // of the next: short if it is to be killed, long if it is to release it
	}{
		{theirs, rival, syscall.SIGKILL, s.leaseDuration},
		{ours, scheduler, syscall.SIGKILL, longLease},
		{theirs, rival, syscall.SIGTERM, longLease},
		{ours, scheduler, syscall.SIGTERM, longLease},
	} {
		s.leaseDuration = change.lease
		follower = change.next()
		s.eventually(follower.follows)
		if err := leader.Process.Signal(change.signal); err != nil {
			t.Fatal(err)
		}
		signalled := time.Now()
		s.eventually(func() error { return s.tenureOf(change.user, i+2) })
		tenures := s.tenures()
		if took := tenures[len(tenures)-1].first.Sub(signalled); took > longLease/2 {
			t.Errorf("after %s, %s took over within %s, want at most %s", change.signal, change.user, took, longLease/2)
		}
		s.eventually(func() error { return s.bindsAfter(change.user, tenures[len(tenures)-1].first) })
		leader.exit()
		leader = follower
	}
	pods := stream()
	s.bound(pods)
	s.checkBindings(watches)
	if bindingsWithoutLease := s.bindingsWithoutLease(); len(bindingsWithoutLease) > 0 {
		t.Errorf("bindings in the other's tenure: %v", bindingsWithoutLease)
	}
	by := map[string]int{}
	for _, a := range s.auditedWrites("pods") {
		by[a.User.Username]++
	}
	t.Logf("%d pods in %d tenures; bindings: %v", pods, len(s.tenures()), by)
}

// follows checks that a scheduler that does not lead has synced.
func (p *process) follows() error {
	if err := p.logged(`(?i)attempting to acquire leader lease`); err != nil {
		return err
	}
	return p.ready()
}

// tenureOf checks that the lease is in its tenure of this number, which is a user's.
func (s *fixture) tenureOf(user string, number int) error {
	tenures := s.tenures()
	if len(tenures) != number || tenures[number-1].user != user || !tenures[number-1].last.IsZero() {
		return fmt.Errorf("want %s to hold the lease in tenure %d: %+v", user, number, tenures)
	}
	return nil
}

// leads checks that a user holds the lease.
func (s *fixture) leads(user string) error {
	tenures := s.tenures()
	if n := len(tenures); n == 0 || tenures[n-1].user != user || !tenures[n-1].last.IsZero() {
		return fmt.Errorf("want %s to hold the lease: %+v", user, tenures)
	}
	return nil
}

// bindsAfter checks that a user has bound a pod since a time.
func (s *fixture) bindsAfter(user string, then time.Time) error {
	for _, a := range s.auditedWrites("pods") {
		if a.User.Username == user && a.succeeded() && a.RequestReceivedTimestamp.After(then) {
			return nil
		}
	}
	return fmt.Errorf("%s has bound no pod since %s", user, then)
}

// streamPods creates pods until stop is called, which returns their number.
func (s *fixture) streamPods() (stop func() int) {
	ctx, cancel := context.WithCancel(s.ctx)
	made := make(chan int, 1)
	go func() {
		each := time.NewTicker(100 * time.Millisecond)
		defer each.Stop()
		for n := 0; ; n++ {
			select {
			case <-each.C:
				pod := apiserver.Pod(fmt.Sprintf("stream-%d", n), "10m", "1Mi")
				if _, err := s.create(pod); err != nil {
					s.t.Errorf("creating pod %d: %v", n, err)
				}
			case <-ctx.Done():
				made <- n
				return
			}
		}
	}()
	return func() int {
		cancel()
		return <-made
	}
}
