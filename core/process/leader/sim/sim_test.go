package sim_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/process/leader"
	"orrery/core/process/leader/sim"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// leadingLog logs which replica started and stopped leading, with the virtual time.
type leadingLog struct {
	strings.Builder
	now func() time.Time
}

func (c *leadingLog) note(r *sim.Replica, n leader.Notice) {
	if n.Kind == leader.StartedLeading || n.Kind == leader.StoppedLeading {
		fmt.Fprintf(c, "%s %s %s\n", c.now().Format("04:05.000"), r.Candidate().Settings().Identity, n.Kind)
	}
}

// failover kills the leader at second 30, terminates its successor at 60, and partitions the next leader at 90 for half a
// minute.
func failover(t *testing.T, store sim.Store, s leader.Settings) string {
	var log leadingLog
	e := election(t, sim.Options{Store: store, OnNotice: log.note}, s)
	log.now = e.Now
	for i := range 3 {
		s.Identity, s.Seed = fmt.Sprintf("replica-%d", i), uint64(i)
		if _, err := e.Add(s, time.Duration(i)*time.Hour, 1); err != nil {
			t.Fatal(err)
		}
	}
	after := func(d time.Duration, act func(*sim.Replica)) {
		e.At(e.Now().Add(d), func() { act(e.Leaders()[0]) })
	}
	after(30*time.Second, (*sim.Replica).Kill)
	after(60*time.Second, (*sim.Replica).Terminate)
	after(90*time.Second, func(r *sim.Replica) { r.Partition(30 * time.Second) })
	e.Run(e.Now().Add(2 * time.Minute))
	if len(e.Overlaps()) > 0 {
		t.Errorf("overlaps: %+v", e.Overlaps())
	}
	return log.String()
}

// Shows LEAD-01 and LEAD-02.
func TestSimulation_FailoverAmongThree(t *testing.T) {
	want := strings.TrimLeft(`
00:00.000 replica-0 started leading
00:44.373 replica-2 started leading
01:00.000 replica-2 stopped leading
01:01.384 replica-0_1 started leading
01:39.384 replica-0_1 stopped leading
01:46.126 replica-1 started leading
`, "\n")
	s := leader.Defaults("")
	s.Strict = true
	t.Run("in the simulation's store", func(t *testing.T) {
		if diff := cmp.Diff(want, failover(t, nil, s)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
	t.Run("in a memory cluster", func(t *testing.T) {
		cluster := memory.New(memory.Options{})
		if diff := cmp.Diff(want, failover(t, cluster, s)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, err := cluster.Get(world.Lease, "kube-system", "kube-scheduler"); err != nil {
			t.Errorf("the cluster has no such Lease: %v", err)
		}
	})
}

func TestSimulation_SameSeedSameElection(t *testing.T) {
	run := func(seed uint64) (string, uint64) {
		var log leadingLog
		e := election(t, sim.Options{Seed: seed, Faults: allFaults(0.8, 1.2), OnNotice: log.note}, leader.Defaults(""))
		log.now = e.Now
		for i := range 3 {
			s := leader.Defaults(fmt.Sprintf("replica-%d", i))
			if _, err := e.Add(s, 0, 1); err != nil {
				t.Fatal(err)
			}
		}
		e.Run(e.Now().Add(6 * time.Hour))
		return log.String(), e.Steps()
	}
	one, steps := run(1)
	again, stepsAgain := run(1)
	if diff := cmp.Diff(one, again); diff != "" || steps != stepsAgain {
		t.Errorf("%d and %d steps (-first +second):\n%s", steps, stepsAgain, diff)
	}
	if other, _ := run(2); other == one {
		t.Error("another seed gives the same election")
	}
}

// With kube-scheduler's settings two replicas may lead after a mere partition, since a leader that lost releases the lease
// before it stops leading. Strict ones never do.
// Shows LEAD-11.
func TestSimulation_StrictPreventsOverlap(t *testing.T) {
	faults := sim.Faults{
		LatencyMin: time.Millisecond, LatencyMax: 40 * time.Millisecond,
		Partition: sim.RandomFault{Every: 10 * time.Minute, Longest: 40 * time.Second},
	}
	for _, strict := range []bool{false, true} {
		s := leader.Defaults("")
		s.Strict = strict
		e := election(t, sim.Options{Faults: faults}, s, 1, 1, 1)
		e.Run(e.Now().Add(50 * time.Hour))
		n := len(e.Overlaps())
		t.Logf("strict %t: %d overlaps in 50 hours of true clocks", strict, n)
		if (n == 0) != strict {
			t.Errorf("strict %t: %d overlaps", strict, n)
		}
	}
}

// With a slow API server alone, leaders change all the time. A longer lease, a longer deadline and
// fewer attempts prevent that.
// Shows LEAD-14 and LEAD-15.
func TestSimulation_LongDeadlineFewerTransitions(t *testing.T) {
	slow := sim.Faults{LatencyMin: 100 * time.Millisecond, LatencyMax: 8 * time.Second}
	transitions := func(lease, renew, retry time.Duration) int {
		s := leader.Defaults("")
		s.LeaseDuration, s.RenewDeadline, s.RetryPeriod, s.CallTimeout = lease, renew, retry, leader.CallTimeoutOf(renew)
		led := 0
		e := election(t, sim.Options{Seed: 3, Faults: slow, OnNotice: func(_ *sim.Replica, n leader.Notice) {
			if n.Kind == leader.StartedLeading {
				led++
			}
		}}, s, 1, 1, 1)
		e.Run(e.Now().Add(10 * time.Hour))
		return led - 1
	}
	short, longLease := transitions(15*time.Second, 10*time.Second, 2*time.Second), transitions(90*time.Second, 60*time.Second, 10*time.Second)
	t.Logf("in 10 hours, 15/10/2 s: %d transitions; 90/60/10 s: %d", short, longLease)
	if short < 10 || longLease > short/10 {
		t.Errorf("15/10/2 s: %d transitions in 10 hours, 90/60/10 s: %d", short, longLease)
	}
}

// Soon after the faults end a replica leads again.
func TestSimulation_LeaderReturns(t *testing.T) {
	var led time.Duration
	s := leader.Defaults("")
	s.Strict = true
	e := election(t, sim.Options{Seed: 7, Faults: allFaults(0.9, 1.1)}, s, 1, 1, 1)
	for range 20 * 3600 {
		e.Run(e.Now().Add(time.Second))
		if len(e.Leaders()) > 0 {
			led += time.Second
		}
	}
	if share := led.Hours() / 20; share < 0.95 {
		t.Errorf("a replica led for %.1f%% of the time", 100*share)
	} else {
		t.Logf("a replica led for %.1f%% of the time", 100*share)
	}
}

// A wall clock that is set moves the time of the next process, not that of the present one. Set ahead by more than the deadline it ends the
// term, since a machine that was suspended looks the same.
func TestReplica_SetWallClock(t *testing.T) {
	s := leader.Defaults("")
	s.Strict = true
	e := election(t, sim.Options{}, s, 1, 0.9)
	e.Run(e.Now().Add(time.Minute))
	for _, by := range []time.Duration{time.Hour, -3 * time.Hour, time.Millisecond} {
		r := e.Leaders()[0]
		before, running := r.Now().Sub(e.Now()), r.Candidate()
		r.SetWallClock(by)
		if lead := r.Now().Sub(e.Now()); lead != before {
			t.Errorf("set by %v, the clock of the running process is ahead by %v instead of %v", by, lead, before)
		}
		ends := by > s.RenewDeadline
		if e.Run(e.Now().Add(time.Minute)); (r.Candidate() != running) != ends {
			t.Errorf("set by %v, the process has ended: %t", by, !ends)
		}
		if ends {
			continue
		}
		before = r.Now().Sub(e.Now())
		r.Kill()
		e.Run(e.Now().Add(6 * time.Second))
		if lead := r.Now().Sub(e.Now()); (lead - before - by).Abs() > time.Second { // its rate may be another
			t.Errorf("set by %v, the clock of the next process is ahead by %v instead of %v", by, lead, before+by)
		}
		if at := r.Now().Add(time.Minute); !wakes(e, r, at) {
			t.Errorf("set by %v, the time %v does not come when it is to", by, at)
		}
		e.Run(e.Now().Add(time.Minute))
	}
	if len(e.Overlaps()) > 0 {
		t.Errorf("overlaps: %+v", e.Overlaps())
	}
}

// The leader's machine is suspended for so long. Others lead meanwhile, and it does not when it goes on: its own clock stood still.
func TestReplica_Suspend(t *testing.T) {
	s := leader.Defaults("")
	s.Strict = true
	for _, d := range []time.Duration{time.Second, 7 * time.Second, 20 * time.Second, time.Minute, 24 * time.Hour} {
		e := election(t, sim.Options{}, s, 1, 0.9, 1.1)
		e.Run(e.Now().Add(time.Minute))
		r := e.Leaders()[0]
		running, local, overlaps := r.Candidate(), r.Now(), len(e.Overlaps())
		r.Suspend(d)
		e.Run(e.Now().Add(d))
		if now := r.Now(); r.Candidate() == running && now.Sub(local) > time.Millisecond {
			t.Errorf("suspended for %v: its clock went on by %v", d, now.Sub(local))
		}
		e.Run(e.Now().Add(time.Minute))
		if ended := r.Candidate() != running; ended != (d > s.RenewDeadline) {
			t.Errorf("suspended for %v: the process has ended: %t", d, ended)
		}
		if len(e.Leaders()) != 1 || len(e.Overlaps()) > overlaps {
			t.Errorf("suspended for %v: %d lead, overlaps %+v", d, len(e.Leaders()), e.Overlaps())
		}
	}
}

// wakes reports whether a replica's clock shows a time at the moment that When returns, and not before.
func wakes(e *sim.Simulation, r *sim.Replica, at time.Time) bool {
	when := r.When(at)
	e.Run(when.Add(-time.Nanosecond))
	early := !r.Now().Before(at)
	e.Run(when)
	return !early && !r.Now().Before(at)
}

func TestLeases_OptimisticConcurrency(t *testing.T) {
	store := sim.NewLeases()
	first, err := store.Create(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "l"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(first); !apierrors.IsAlreadyExists(err) {
		t.Errorf("the second create: %v", err)
	}
	if _, err := store.Update(first); err != nil {
		t.Error(err)
	}
	if _, err := store.Update(first); !apierrors.IsConflict(err) {
		t.Errorf("an update of an old version: %v", err)
	}
	store.Delete("n", "l")
	if _, err := store.Get(world.Lease, "n", "l"); !apierrors.IsNotFound(err) {
		t.Errorf("after the deletion: %v", err)
	}
}
