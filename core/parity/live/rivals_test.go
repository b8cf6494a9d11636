package live_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"orrery/core/parity/apiserver"
)

// Orrery and kube-scheduler stand for one lease. Whoever leads is stopped or killed four times over, while pods keep
// coming: each time the other takes over, and nobody ever binds a pod in the other's time.
func TestFailover_BetweenOrreryAndKubeScheduler(t *testing.T) {
	s := newScene(t, apiserver.Node(0, "64", "64Gi", "2000"), apiserver.Node(1, "64", "64Gi", "2000"))
	watches := s.watchBindings()
	// Each of the two has a user of its own, so that the API server's audit log tells who did what.
	ours := func() *process { return s.scheduleAs(scheduler, orrery) }
	theirs := func() *process { return s.scheduleAs(rival, kubeScheduler) }
	leader, follower := ours(), (*process)(nil)
	s.eventually(func() error { return s.reignOf(scheduler, 1) })
	stream := s.streamPods()
	for i, change := range []struct {
		next   func() *process
		user   string
		signal syscall.Signal
		within time.Duration
	}{
		{theirs, rival, syscall.SIGKILL, 9 * time.Second}, // a lease of 4s has to expire
		{ours, scheduler, syscall.SIGKILL, 9 * time.Second},
		{theirs, rival, syscall.SIGTERM, 4 * time.Second}, // it is released
		{ours, scheduler, syscall.SIGTERM, 4 * time.Second},
	} {
		follower = change.next()
		s.eventually(follower.follows)
		if err := leader.Process.Signal(change.signal); err != nil {
			t.Fatal(err)
		}
		signalled := time.Now()
		s.eventually(func() error { return s.reignOf(change.user, i+2) })
		reigns := s.reigns()
		if took := reigns[len(reigns)-1].first.Sub(signalled); took > change.within {
			t.Errorf("after %s, %s took over within %s, want %s", change.signal, change.user, took, change.within)
		}
		s.eventually(func() error { return s.bindsAfter(change.user, reigns[len(reigns)-1].first) })
		leader.exit()
		leader = follower
	}
	pods := stream()
	s.bound(pods)
	s.sound(watches)
	if usurped := s.usurped(); len(usurped) > 0 {
		t.Errorf("bindings in the time of the other: %v", usurped)
	}
	by := map[string]int{}
	for _, a := range s.acts("pods") {
		by[a.User.Username]++
	}
	t.Logf("%d pods in %d reigns; bindings: %v", pods, len(s.reigns()), by)
}

// follows says whether a scheduler that does not lead has seen the cluster.
func (p *process) follows() error {
	if err := p.says(`(?i)attempting to acquire leader lease`); err != nil {
		return err
	}
	return p.ready()
}

// reignOf says whether the lease has changed hands so often and is a user's now.
func (s *scene) reignOf(user string, number int) error {
	reigns := s.reigns()
	if len(reigns) != number || reigns[number-1].user != user || !reigns[number-1].last.IsZero() {
		return fmt.Errorf("the lease is not %s's in the %d. reign: %+v", user, number, reigns)
	}
	return nil
}

// bindsAfter says whether a user has bound a pod since then.
func (s *scene) bindsAfter(user string, then time.Time) error {
	for _, a := range s.acts("pods") {
		if a.User.Username == user && a.succeeded() && a.RequestReceivedTimestamp.After(then) {
			return nil
		}
	}
	return fmt.Errorf("%s has bound nothing since %s", user, then)
}

// streamPods creates pods until it is told to stop, which tells how many there are.
func (s *scene) streamPods() (stop func() int) {
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
