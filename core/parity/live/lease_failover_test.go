package live_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"orrery/core/parity/apiserver"
)

// failover is a leader and who waits for its place, each with a user of its own so that the audit log tells who did what.
// The leader's line to the API server is its own.
type failover struct {
	*scene
	leader, follower *process
	line             *line
}

// mishap is what befalls a leader, and how that ends.
type mishap struct {
	befall func(f *failover)
	// recover undoes it once the other leads, or right away if nobody else is to lead.
	recover func(f *failover)
	// exits is the leader's exit code; -1 is for one that was killed, 0 for one that goes on and leads.
	exits int
	args  []string
}

var mishaps = map[string]mishap{
	"killed": {
		befall: func(f *failover) { _ = f.leader.Process.Kill() },
		exits:  -1,
	},
	"stopped for longer than the lease, and continued": {
		befall:  func(f *failover) { _ = f.leader.Process.Signal(syscall.SIGSTOP) },
		recover: func(f *failover) { _ = f.leader.Process.Signal(syscall.SIGCONT) },
		exits:   1,
	},
	"its line is cut, and mended": {
		befall:  func(f *failover) { f.line.be(lineCut) },
		recover: func(f *failover) { f.line.be(lineWorks) },
		exits:   1,
	},
	"its line is dead, and mended": {
		befall:  func(f *failover) { f.line.be(lineDead) },
		recover: func(f *failover) { f.line.be(lineWorks) },
		exits:   1,
	},
	"told to end": {
		befall: func(f *failover) { _ = f.leader.Process.Signal(syscall.SIGTERM) },
		exits:  0,
	},
	"the API server restarts, and the lease outlasts it": {
		befall:  func(f *failover) { f.restart() },
		recover: func(*failover) {},
		args:    []string{"--leader-elect-lease-duration=90s", "--leader-elect-renew-deadline=80s"},
	},
	"the API server restarts, and the lease does not": {
		befall: func(f *failover) {
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

// Pods come in all the time, into nodes with room for exactly them, while their scheduler's leader meets with all that can
// happen to one. Each time another leads in the end, or the same one still; every pod is bound, none twice; no node gets too
// many; and nobody asks for a binding who does not hold a lease that is valid.
func TestFailover_LosesNothing(t *testing.T) {
	for name, m := range mishaps {
		t.Run(name, func(t *testing.T) { m.happens(t) })
	}
}

func (m mishap) happens(t *testing.T) {
	pods := count(t, 200)
	f := begin(t, pods, m.args...)
	goesOn := m.exits == 0 && len(m.args) > 0
	watches := f.watchBindings()
	made := f.trickle(pods)
	f.eventually(func() error { return f.boundSoFar(pods / 6) })
	befell := time.Now()
	m.befall(f)
	if !goesOn {
		f.eventually(func() error { return f.reignOf(rival, 2) })
	}
	if m.recover != nil {
		m.recover(f)
	}
	recovered := time.Now()
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	f.bound(pods)
	if goesOn {
		f.staysWith(f.leader)
	} else if code := f.leader.exit(); code != m.exits {
		t.Errorf("the leader ended with %d, want %d", code, m.exits)
	}
	watches = append(watches, f.watchBindings()...)
	f.sound(watches)
	f.lawful(recovered)
	by := map[string]int{}
	for _, a := range f.acts("pods") {
		if a.succeeded() {
			by[a.User.Username]++
		}
	}
	t.Logf("%d pods; the trouble took %s; bindings by user: %v; reigns: %d", pods, recovered.Sub(befell).Round(time.Millisecond), by, len(f.reigns()))
}

// begin has one replica lead and another wait, with room for exactly so many pods.
func begin(t *testing.T, pods int, args ...string) *failover {
	t.Helper()
	f := &failover{scene: newScene(t, full(pods)...), line: newLine(t)}
	f.leader = f.scheduleBy(f.line.kubeconfig(t, scheduler), orrery, args...)
	f.eventually(func() error { return f.reignOf(scheduler, 1) })
	f.follower = f.scheduleAs(rival, orrery, args...)
	f.eventually(f.follower.follows)
	return f
}

// restart takes the API server away for a moment.
func (f *failover) restart() {
	if err := server.Stop(); err != nil {
		f.t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		f.t.Fatal(err)
	}
}

// staysWith has the leader be the only one there ever was.
func (f *failover) staysWith(leader *process) {
	f.t.Helper()
	select {
	case <-leader.end:
		f.t.Errorf("the leader ended with %d", leader.ProcessState.ExitCode())
	default:
	}
	if reigns := f.reigns(); len(reigns) != 1 {
		f.t.Errorf("the lease changed hands: %+v", reigns)
	}
}

// trickle creates pods one after the other, for some seconds and through whatever happens to the API server.
func (s *scene) trickle(pods int) (made chan error) {
	made = make(chan error, 1)
	go func() {
		each := time.NewTicker(15 * time.Millisecond)
		defer each.Stop()
		var err error
		giveUp := time.Now().Add(time.Minute)
		for n := 0; n < pods; {
			<-each.C
			_, err = s.create(apiserver.Pod(fmt.Sprintf("trickle-%d", n), "80m", "1Mi"))
			if err == nil || apierrors.IsAlreadyExists(err) { // the answer to the first try may have been lost
				n, err = n+1, nil
			} else if s.ctx.Err() != nil || time.Now().After(giveUp) {
				err = fmt.Errorf("creating pod %d: %w", n, err)
				break
			}
		}
		made <- err
	}()
	return made
}

// boundSoFar says whether at least so many pods have a node.
func (s *scene) boundSoFar(n int) error {
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

// onTheWay is for how long after its process was continued a call may arrive that had left before it was stopped.
const onTheWay = time.Second

// lawful has every binding be asked for under a lease that is held and valid. Kubernetes has no fencing: what was on its way
// to the API server when a process or its line was stopped may still arrive when that goes on, and so a handful is let pass
// then. Those cannot bind a pod that is bound already. Without a pause there is no such time: it is zero.
func (s *scene) lawful(continued time.Time) {
	s.t.Helper()
	const handful = 2
	late := 0
	for _, b := range s.usurped() {
		if b.at.After(continued.Add(-onTheWay)) && b.at.Before(continued.Add(onTheWay)) {
			late++
			continue
		}
		s.t.Errorf("a binding without the lease: %s", b)
	}
	if late > handful {
		s.t.Errorf("%d bindings arrived without the lease after a pause, want at most %d", late, handful)
	} else if late > 0 {
		s.t.Logf("%d bindings were on their way", late)
	}
}
