package preempt

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/cache"
	"orrery/core/testing/mk"
)

// The cache's snapshot numbers its nodes, so that the lowest priorities are known of it, whether they are below a pod's or not.
func TestLowestPriorities_KnownOfSnapshot(t *testing.T) {
	snapshot := cache.SnapshotOf(
		[]*v1.Pod{mk.Pod("low").Priority(3).Node("b").Obj(), mk.Pod("high").Priority(9).Node("a").Obj()},
		[]*v1.Node{mk.Node("a").Obj(), mk.Node("b").Obj(), mk.Node("empty").Obj()},
	)
	var lowest lowestPriorities
	for priority, want := range map[int32]bool{2: false, 3: false, 4: true, 10: true} {
		if found, known := lowest.anyBelow(priority, snapshot.NodeInfos()); found != want || !known {
			t.Errorf("a pod below priority %d: %v, known: %v; want %v", priority, found, known, want)
		}
	}
}
