package live_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/engine"
)

// provisioningTakes is long enough that at any time in a rollout many pods wait for their volumes.
const provisioningTakes = 300 * time.Millisecond

// spreadInOutage: a pod whose binding fails after its node was selected finds its volume made in that zone, where a strict
// constraint may by then allow no other pod. It would wait for good, under kube-scheduler as well.
const spreadInOutage = v1.ScheduleAnyway

// The API server restarts while volumes and claims are written and pods wait for their volumes. Every pod still runs where its
// volumes are, no volume is given to two claims, and the scheduler assumes nothing any more.
func TestStorage_RolloutSurvivesRestart(t *testing.T) {
	pods := count(t, 100)
	s := newRollout(t, pods, provisioningTakes)
	r := s.start(withoutLease)
	watches := s.watchBindings()
	pods = s.rollout(pods, spreadInOutage)
	s.eventually(func() error {
		if n := r.Counters().Attempts; n < uint64(pods)/2 {
			return fmt.Errorf("only %d calls were made", n)
		}
		return nil
	})
	if err := server.Stop(); err != nil {
		t.Fatal(err)
	}
	before := len(s.auditedWrites("pods"))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	pods += s.lateSet(pods)
	if before >= pods {
		t.Errorf("all of the %d bindings were made before the server stopped", before)
	}
	watches = append(watches, s.watchBindings()...)
	s.waitRunning(pods)
	s.checkBindings(watches)
	s.checkVolumes(volumesPerNode)
	s.checkWrites(scheduler)
	s.checkCache(r)
	s.checkNothingAssumed(r)
	t.Logf("%d pods, %d of them bound before the server stopped; %+v", pods, before, r.Counters())
}

// The leader is killed while pods wait for their volumes, and a second replica takes over. It takes up what the cluster says:
// claims keep the node that was selected for them, and volumes their claim.
func TestStorage_RolloutSurvivesKilledLeader(t *testing.T) {
	pods := count(t, 100)
	s := newRollout(t, pods, 2*time.Second) // so that the kill falls into that time on a loaded machine too
	s.leaseDuration = s.shortLease()
	leader := s.scheduleAs(scheduler, orrery)
	s.eventually(func() error { return s.tenureOf(scheduler, 1) })
	follower := s.scheduleAs(rival, orrery)
	s.eventually(follower.follows)
	s.keepRunning(follower)
	watches := s.watchBindings()
	pods = s.rollout(pods, spreadInOutage)
	s.eventually(s.amidBinding)
	if err := leader.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	pods += s.lateSet(pods)
	s.eventually(func() error { return s.leads(rival) })
	s.waitRunning(pods)
	s.checkBindings(watches)
	s.checkVolumes(volumesPerNode)
	s.checkWrites(scheduler, rival)
	if bindings := s.bindingsWithoutLease(); len(bindings) > 0 {
		t.Errorf("bindings without the lease: %v", bindings)
	}
	by := map[string]int{}
	for _, a := range s.auditedWrites("pods") {
		by[a.User.Username]++
	}
	if by[scheduler] == 0 || by[rival] == 0 {
		t.Errorf("both have to bind pods: %v", by)
	}
	t.Logf("%d pods; bindings by user: %v", pods, by)
}

// lateSet creates one more StatefulSet, with both kinds of claims, and returns how many pods it has.
func (s *storageFixture) lateSet(pods int) int {
	s.statefulSet("late", pods/10, []string{delayed, local}, nil)
	return pods / 10
}

// amidBinding checks that some pods are bound, and that some others wait for a volume that is to be provisioned.
func (s *storageFixture) amidBinding() error {
	waiting := 0
	for _, claim := range s.claims() {
		if claim.Annotations["volume.kubernetes.io/selected-node"] != "" && claim.Status.Phase == v1.ClaimPending {
			waiting++
		}
	}
	if waiting < 5 {
		return fmt.Errorf("only %d claims wait for their volume", waiting)
	}
	return s.atLeastBound(5)
}

// checkNothingAssumed waits until a replica assumes nothing of volumes and claims.
func (s *storageFixture) checkNothingAssumed(r *running) {
	s.t.Helper()
	s.eventually(func() error {
		var volumes, claims int
		err := r.Inspect(s.ctx, func(e *engine.Engine) { volumes, claims = e.Volumes().Assumed() })
		if volumes+claims > 0 {
			err = errors.Join(err, fmt.Errorf("%d volumes and %d claims are still assumed", volumes, claims))
		}
		return err
	})
}
