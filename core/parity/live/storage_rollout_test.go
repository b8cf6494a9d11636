package live_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// volumesPerNode is the driver's limit in the rollout.
const volumesPerNode = 24

// rollout creates four StatefulSets at once, all with delayed claims: for volumes that are to be provisioned, for volumes
// that exist on the nodes, for both, and spread over the zones, strictly or not. It returns how many pods they have.
func (s *storageFixture) rollout(pods int, spread v1.UnsatisfiableConstraintAction) int {
	each := pods / 5
	s.statefulSet("db", 2*each, []string{delayed}, nil)
	s.statefulSet("cache", each, []string{local}, nil)
	s.statefulSet("log", each, []string{delayed, local}, nil)
	s.statefulSet("shop", each, []string{delayed}, func(set *appsv1.StatefulSet) {
		set.Spec.Template.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: spread,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "shop"}},
		}}
	})
	return 5 * each
}

// newRollout starts storage whose nodes suffice for a rollout of so many pods.
func newRollout(t *testing.T, pods int, latency time.Duration) *storageFixture {
	s := newStorage(t, storageOptions{latency: latency, limit: volumesPerNode}, zonedNodes(max(6, pods/20))...)
	s.localVolumes(10)
	return s
}

// The same StatefulSets come up under kube-scheduler and under Orrery. Under both every pod runs where its volumes are; and
// what Orrery writes into claims and volumes is what kube-scheduler writes, object by object.
func TestStorage_RolloutAsKubeScheduler(t *testing.T) {
	pods := count(t, 200)
	theirs, ours := rolloutWrites(t, kubeScheduler, pods), rolloutWrites(t, orrery, pods)
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Errorf("written differently (-kube-scheduler +Orrery):\n%s", diff)
	}
	for _, text := range slices.Sorted(maps.Keys(ours)) {
		t.Logf("%d times %s", ours[text], text)
	}
}

// rolloutWrites returns how often a scheduler wrote what into claims and volumes in a rollout.
func rolloutWrites(t *testing.T, what schedulerProgram, pods int) (writes map[string]int) {
	t.Run(what.name(), func(t *testing.T) {
		s := newRollout(t, pods, 0)
		p := s.scheduleAs(scheduler, what, "--leader-elect=false")
		s.eventually(p.ready)
		watches, began := s.watchBindings(), time.Now()
		pods = s.rollout(pods, v1.DoNotSchedule)
		s.waitRunning(pods)
		took := time.Since(began)
		s.checkBindings(watches)
		s.checkVolumes(volumesPerNode)
		writes = s.checkWrites(scheduler)
		t.Logf("%d pods run after %s", pods, took.Round(time.Millisecond))
	})
	return writes
}

// checkWrites checks that no volume was given to two claims, and that for no claim two nodes were selected. It returns
// how often users wrote what.
func (s *storageFixture) checkWrites(users ...string) map[string]int {
	s.t.Helper()
	var all []storageWrite
	for _, user := range users {
		writes, failed := s.storageWrites(user)
		s.t.Logf("%s wrote %d volumes and claims; failed writes by code: %v", user, len(writes), failed)
		all = append(all, writes...)
	}
	if again := s.changedTwice(all); len(again) > 0 {
		s.t.Errorf("changed twice: %q", again)
	}
	return countTexts(all)
}
