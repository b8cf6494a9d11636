package memory

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// podState is what the cluster remembers of a pod that is assigned to a node. It is a value: whoever changes it stores
// it anew.
type podState struct {
	node     string
	requests amounts
	// admitted says that the kubelet has let the pod in and counts its requests, started that it runs.
	admitted, started bool
	// When the pod is to start, to end by itself and to be gone after a deletion; zero if never.
	startsAt, endsAt, stopsAt time.Time
	// removal is what becomes of a pod that its kubelet has evicted, nil if it has not; evictedAt is when nothing runs of
	// it any more.
	removal   *Removal
	evictedAt time.Time
}

// nodeState is what the cluster remembers of a node, or of the name of one that pods are assigned to.
type nodeState struct {
	// pods are those assigned to the node, in the order of their assignment.
	pods []types.NamespacedName
	// claimed sums the requests of all pods that have not ended, admitted those of the pods the kubelet has let in.
	claimed, admitted amounts
	// lost says since when the kubelet has been silent; zero if it is not.
	lost time.Time
}

func (n *nodeState) clone() *nodeState {
	return &nodeState{
		pods: slices.Clone(n.pods), claimed: slices.Clone(n.claimed), admitted: slices.Clone(n.admitted), lost: n.lost,
	}
}

func (c *Cluster) nodeState(name string) *nodeState {
	n := c.nodes[name]
	if n == nil {
		n = &nodeState{}
		c.nodes[name] = n
	}
	return n
}

// index keeps what is counted and looked up in step with the objects.
func (c *Cluster) index(kind world.Kind, old, changed world.Object) {
	switch kind {
	case world.Pod:
		before, after := podOf(old), podOf(changed)
		c.countOnNode(before, after)
		c.countInFamily(before, after)
	case world.ReplicaSet:
		if old != nil {
			if owner := metav1.GetControllerOfNoCopy(old); owner != nil {
				c.family(owner.UID).leave(world.ReplicaSet, keyOf(old))
			}
		}
		if changed != nil {
			if owner := metav1.GetControllerOfNoCopy(changed); owner != nil {
				c.family(owner.UID).join(world.ReplicaSet, keyOf(changed))
			}
		}
	}
}

func ended(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// countOnNode moves a pod's requests from what it claimed before to what it claims now.
func (c *Cluster) countOnNode(before, after *v1.Pod) {
	if before != nil && before.Spec.NodeName != "" {
		state := c.pods[before.UID]
		n := c.nodeState(state.node)
		n.claimed = n.claimed.sub(state.requests)
		if state.admitted {
			n.admitted = n.admitted.sub(state.requests)
		}
		if after == nil {
			n.pods = slices.DeleteFunc(n.pods, func(k types.NamespacedName) bool { return k == keyOf(before) })
			delete(c.pods, before.UID)
		}
	}
	if after == nil || after.Spec.NodeName == "" {
		return
	}
	state := c.pods[after.UID]
	n := c.nodeState(after.Spec.NodeName)
	if state.node == "" {
		state.node = after.Spec.NodeName
		n.pods = append(n.pods, keyOf(after))
	}
	if ended(after) {
		state.requests = nil
	} else {
		state.requests = requestsOf(after)
	}
	n.claimed = n.claimed.add(state.requests)
	if state.admitted {
		n.admitted = n.admitted.add(state.requests)
	}
	c.pods[after.UID] = state
}

// tally counts pods by how they are doing. A pod being deleted counts as nothing but terminating.
type tally struct{ active, ready, succeeded, failed, terminating int }

func (t *tally) count(pod *v1.Pod, by int) {
	switch {
	case pod.Status.Phase == v1.PodSucceeded:
		t.succeeded += by
	case pod.Status.Phase == v1.PodFailed:
		t.failed += by
	case pod.DeletionTimestamp != nil:
		t.terminating += by
	default:
		t.active += by
		if isReady(pod) {
			t.ready += by
		}
	}
}

func isReady(pod *v1.Pod) bool {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == v1.PodReady {
			return pod.Status.Conditions[i].Status == v1.ConditionTrue
		}
	}
	return false
}

// family is what one owner owns.
type family struct {
	tally
	pods, sets map[types.NamespacedName]struct{}
	// everSucceeded and everFailed count the pods that have ended, those deleted since included.
	everSucceeded, everFailed int
	// notBefore is until when a job waits after a failure.
	notBefore time.Time
}

func (c *Cluster) family(owner types.UID) *family {
	f := c.families[owner]
	if f == nil {
		f = &family{pods: map[types.NamespacedName]struct{}{}, sets: map[types.NamespacedName]struct{}{}}
		c.families[owner] = f
	}
	return f
}

func (f *family) clone() *family {
	other := *f
	other.pods, other.sets = maps.Clone(f.pods), maps.Clone(f.sets)
	return &other
}

func (f *family) members(kind world.Kind) map[types.NamespacedName]struct{} {
	if kind == world.ReplicaSet {
		return f.sets
	}
	return f.pods
}

func (f *family) join(kind world.Kind, key types.NamespacedName)  { f.members(kind)[key] = struct{}{} }
func (f *family) leave(kind world.Kind, key types.NamespacedName) { delete(f.members(kind), key) }

func (c *Cluster) countInFamily(before, after *v1.Pod) {
	if before != nil {
		if owner := metav1.GetControllerOfNoCopy(before); owner != nil {
			f := c.family(owner.UID)
			f.leave(world.Pod, keyOf(before))
			f.count(before, -1)
		}
	}
	if after == nil {
		return
	}
	owner := metav1.GetControllerOfNoCopy(after)
	if owner == nil {
		return
	}
	f := c.family(owner.UID)
	f.join(world.Pod, keyOf(after))
	f.count(after, 1)
	if before == nil || !ended(before) {
		switch after.Status.Phase {
		case v1.PodSucceeded:
			f.everSucceeded++
		case v1.PodFailed:
			f.everFailed++
		}
	}
}

// podsOf are the pods of an owner, by name.
func (c *Cluster) podsOf(owner types.UID) []*v1.Pod {
	f := c.families[owner]
	if f == nil {
		return nil
	}
	all := make([]*v1.Pod, 0, len(f.pods))
	for key := range f.pods {
		all = append(all, c.podAt(key))
	}
	slices.SortFunc(all, byKey[*v1.Pod])
	return all
}

func compareKeys(a, b types.NamespacedName) int {
	return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}

func byKey[T world.Object](a, b T) int { return compareKeys(keyOf(a), keyOf(b)) }
