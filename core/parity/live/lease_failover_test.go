package live_test

import (
	"cmp"
	"fmt"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/parity/apiserver"
)

// failover has a leader and a standby, each with its own user, so that the audit log distinguishes them. The leader reaches
// the API server through its own proxy.
type failover struct {
	*fixture
	leader, follower *process
	proxy            *tcpProxy
}

// disruption is a fault of a leader or its connection, and its outcome.
type disruption struct {
	inject func(f *failover)
	// recover ends the fault once the other leads, or at once if the leader stays.
	recover func(f *failover)
	// exits is the leader's exit code; -1 if it was killed, 0 if it stops by itself or, with args, continues to lead.
	exits int
	args  []string
}

var disruptions = map[string]disruption{
	"killed": {
		inject: func(f *failover) { _ = f.leader.Process.Kill() },
		exits:  -1,
	},
	"stopped for longer than the lease duration, and continued": {
		inject:  func(f *failover) { _ = f.leader.Process.Signal(syscall.SIGSTOP) },
		recover: func(f *failover) { _ = f.leader.Process.Signal(syscall.SIGCONT) },
		exits:   1,
	},
	"its connections break, and recover": {
		inject:  func(f *failover) { f.proxy.set(proxyClosed) },
		recover: func(f *failover) { f.proxy.set(proxyWorks) },
		exits:   1,
	},
	"its connections hang, and recover": {
		inject:  func(f *failover) { f.proxy.set(proxyHangs) },
		recover: func(f *failover) { f.proxy.set(proxyWorks) },
		exits:   1,
	},
	"terminated": {
		inject: func(f *failover) { _ = f.leader.Process.Signal(syscall.SIGTERM) },
		exits:  0,
	},
	"the API server restarts within the lease duration": {
		inject:  func(f *failover) { f.restart() },
		recover: func(*failover) {},
		args:    []string{"--leader-elect-lease-duration=90s", "--leader-elect-renew-deadline=80s"},
	},
	"the API server is down beyond the renew deadline": {
		inject: func(f *failover) {
			if err := server.Stop(); err != nil {
				f.t.Fatal(err)
			}
			f.leader.exit()
			if err := server.Start(); err != nil {
				f.t.Fatal(err)
			}
		},
		exits: 1,
	},
}

// Pods are created all the time, on nodes that fit exactly these pods, while the leader is disrupted. Each time another one
// leads in the end, or the same one still; every pod is bound, none twice; no node is overcommitted; and no binding is made
// without a valid lease.
func TestFailover_LosesNothing(t *testing.T) {
	for name, m := range disruptions {
		t.Run(name, func(t *testing.T) { m.run(t) })
	}
}

// run disrupts a leader. One that loses its lease before, as it may on a loaded machine, is tried again with twice the lease duration.
func (m disruption) run(t *testing.T) {
	for lease, tried := time.Duration(0), false; !tried && !t.Failed(); {
		t.Run("attempt", func(t *testing.T) {
			f := newFailover(t, count(t, 200), lease, m.args...)
			lease, tried = 2*f.leaseDuration, f.disrupt(m)
		})
	}
}

// disrupt returns false if the leader no longer led when it was to be disrupted.
func (f *failover) disrupt(m disruption) bool {
	t, pods := f.t, count(f.t, 200)
	continues := m.exits == 0 && len(m.args) > 0
	watches := f.watchBindings()
	made := f.createSlowly(pods)
	f.eventually(func() error { return f.atLeastBound(pods / 6) })
	if f.tenureOf(scheduler, 1) != nil {
		t.Logf("with a lease of %s the leader lost it before its disruption", f.leaseDuration)
		if err := <-made; err != nil {
			t.Fatal(err)
		}
		return false
	}
	injected := time.Now()
	m.inject(f)
	if !continues {
		f.eventually(func() error { return f.leads(rival) })
	}
	if m.recover != nil {
		m.recover(f)
	}
	recovered := time.Now()
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	f.bound(pods)
	if continues {
		f.keepsLeading(f.leader)
	} else if code := f.leader.exit(); code != m.exits {
		t.Errorf("the leader's exit code is %d, want %d", code, m.exits)
	}
	watches = append(watches, f.watchBindings()...)
	f.checkBindings(watches)
	f.checkLeases(recovered, time.Now())
	by := map[string]int{}
	for _, a := range f.auditedWrites("pods") {
		if a.succeeded() {
			by[a.User.Username]++
		}
	}
	t.Logf("%d pods; the disruption took %s; bindings by user: %v; tenures: %d", pods, recovered.Sub(injected).Round(time.Millisecond), by, len(f.tenures()))
	return true
}

// newFailover starts a leader and a standby, with nodes that fit exactly so many pods. A lease of zero is a short one.
func newFailover(t *testing.T, pods int, lease time.Duration, args ...string) *failover {
	t.Helper()
	f := &failover{fixture: newFixture(t, nodesFor(pods)...), proxy: newTCPProxy(t)}
	f.leaseDuration = cmp.Or(lease, f.shortLease())
	f.leader = f.scheduleBy(f.proxy.kubeconfig(t, scheduler), orrery, args...)
	f.eventually(func() error { return f.tenureOf(scheduler, 1) })
	f.follower = f.scheduleAs(rival, orrery, args...)
	f.eventually(f.follower.follows)
	f.keepRunning(f.follower)
	return f
}

// restart restarts the API server.
func (f *failover) restart() {
	if err := server.Stop(); err != nil {
		f.t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		f.t.Fatal(err)
	}
}

// keepsLeading checks that the leader was the only one.
func (f *failover) keepsLeading(leader *process) {
	f.t.Helper()
	select {
	case <-leader.end:
		f.t.Errorf("the leader exited with %d", leader.ProcessState.ExitCode())
	default:
	}
	if tenures := f.tenures(); len(tenures) != 1 {
		f.t.Errorf("the lease had several holders: %+v", tenures)
	}
}

// createSlowly creates pods one by one for some seconds, retrying while the API server is unavailable.
func (s *fixture) createSlowly(pods int) (made chan error) {
	made = make(chan error, 1)
	go func() {
		each := time.NewTicker(15 * time.Millisecond)
		defer each.Stop()
		var err error
		giveUp := time.Now().Add(patience)
		for n := 0; n < pods; {
			<-each.C
			_, err = s.create(apiserver.Pod(fmt.Sprintf("trickle-%d", n), "80m", "1Mi"))
			if err == nil || apierrors.IsAlreadyExists(err) { // the response to the first try may have been lost
				n, err, giveUp = n+1, nil, time.Now().Add(patience)
			} else if s.ctx.Err() != nil || time.Now().After(giveUp) {
				err = fmt.Errorf("creating pod %d: %w", n, err)
				break
			}
		}
		made <- err
	}()
	return made
}

// atLeastBound checks that at least n pods have a node.
func (s *fixture) atLeastBound(n int) error {
	bound := 0
	for _, pod := range s.list() {
		if pod.Spec.NodeName != "" {
			bound++
		}
	}
	if bound < n {
		return fmt.Errorf("%d pods are bound, want at least %d", bound, n)
	}
	return nil
}

// checkLeases checks that every binding was made with a valid lease. Kubernetes has no fencing: calls in flight when a process
// or its connection was stopped may still arrive from when it continues to when it has ended, so a few are allowed then. They cannot
// bind a bound pod again. Both times are zero if there was no pause.
func (s *fixture) checkLeases(continued, ended time.Time) {
	s.t.Helper()
	const maxLate = 8
	late := 0
	for _, b := range s.bindingsWithoutLease() {
		if b.at.After(continued.Add(-time.Second)) && b.at.Before(ended) {
			late++
			continue
		}
		s.t.Errorf("a binding without the lease: %s", b)
	}
	if late > maxLate {
		s.t.Errorf("%d bindings arrived without the lease after a pause, want at most %d", late, maxLate)
	} else if late > 0 {
		s.t.Logf("%d bindings were in flight", late)
	}
}
