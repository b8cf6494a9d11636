package memory

import (
	"cmp"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// podState is the cluster's state of a pod that is assigned to a node. It is a value: a change stores a new one.
type podState struct {
	node     string
	requests amounts
	// admitted reports whether the kubelet has admitted the pod and counts its requests, started whether it runs.
	admitted, started bool
	// isBlocked reports whether an admitted pod waits for its volumes or its claims to devices.
	isBlocked bool
	// The times at which the pod starts, ends by itself and is gone after a deletion; zero if never.
	startsAt, endsAt, stopsAt time.Time
	// eviction is the result of a kubelet's eviction of the pod, nil without one; evictedAt is when the pod has
	// stopped.
	eviction  *PodEviction
	evictedAt time.Time
	// restarts are those of its first container.
	restarts containerRestarts
}

// nodeState is the cluster's state of a node, or of an unknown node that pods are assigned to.
type nodeState struct {
	// pods are the assigned pods, in the order of their assignment.
	pods []types.NamespacedName
	// claimed sums the requests of all pods that have not terminated, admitted those of the admitted pods.
	claimed, admitted amounts
	// lostSince is when the kubelet became silent; zero if it is not.
	lostSince time.Time
}

func (n *nodeState) clone() *nodeState {
	return &nodeState{
		pods: slices.Clone(n.pods), claimed: slices.Clone(n.claimed), admitted: slices.Clone(n.admitted), lostSince: n.lostSince,
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

// index updates the counts and indexes for a changed object.
func (c *Cluster) index(kind world.Kind, old, changed world.Object) {
	switch kind {
	case world.Pod:
		before, after := podOf(old), podOf(changed)
		c.countOnNode(before, after)
		c.countDependent(before, after)
		c.storage.indexPod(before, after)
		c.devices.indexPod(before, after)
	case world.ReplicaSet, world.ResourceClaim:
		c.indexOwned(kind, old, changed)
	case world.PersistentVolumeClaim:
		c.indexOwned(kind, old, changed)
		c.storage.indexClaim(as[*v1.PersistentVolumeClaim](old), as[*v1.PersistentVolumeClaim](changed))
	case world.PersistentVolume:
		c.storage.indexVolume(as[*v1.PersistentVolume](old), as[*v1.PersistentVolume](changed))
	case world.ResourceSlice:
		c.devices.indexSlice(as[*resourcev1.ResourceSlice](old), as[*resourcev1.ResourceSlice](changed))
	case world.VolumeAttachment:
		c.storage.indexAttachment(as[*storagev1.VolumeAttachment](old), as[*storagev1.VolumeAttachment](changed))
	}
}

// as converts an object to a type; nil for no object.
func as[T world.Object](o world.Object) T {
	typed, _ := o.(T)
	return typed
}

// indexOwned updates the owner's list of an object that is no pod.
func (c *Cluster) indexOwned(kind world.Kind, old, changed world.Object) {
	if old != nil {
		if owner := metav1.GetControllerOfNoCopy(old); owner != nil {
			c.dependentsOf(owner.UID).remove(kind, keyOf(old))
		}
	}
	if changed != nil {
		if owner := metav1.GetControllerOfNoCopy(changed); owner != nil {
			c.dependentsOf(owner.UID).add(kind, keyOf(changed))
		}
	}
}

func isTerminal(pod *v1.Pod) bool {
	return pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed
}

// countOnNode replaces a pod's former requests by its present ones.
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
	if isTerminal(after) {
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

// podCounts counts pods by state. A pod that is being deleted counts as terminating only.
type podCounts struct{ active, ready, succeeded, failed, terminating int }

func (t *podCounts) count(pod *v1.Pod, by int) {
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

// dependents are the objects of one owner.
type dependents struct {
	podCounts
	pods, sets, claims, deviceClaims map[types.NamespacedName]struct{}
	// everSucceeded and everFailed count the terminated pods, including deleted ones.
	everSucceeded, everFailed int
	// notBefore is the end of a job's back-off.
	notBefore time.Time
}

func (c *Cluster) dependentsOf(owner types.UID) *dependents {
	f := c.dependents[owner]
	if f == nil {
		f = &dependents{
			pods: map[types.NamespacedName]struct{}{}, sets: map[types.NamespacedName]struct{}{},
			claims: map[types.NamespacedName]struct{}{}, deviceClaims: map[types.NamespacedName]struct{}{},
		}
		c.dependents[owner] = f
	}
	return f
}

func (f *dependents) clone() *dependents {
	other := *f
	other.pods, other.sets = maps.Clone(f.pods), maps.Clone(f.sets)
	other.claims, other.deviceClaims = maps.Clone(f.claims), maps.Clone(f.deviceClaims)
	return &other
}

func (f *dependents) members(kind world.Kind) map[types.NamespacedName]struct{} {
	switch kind {
	case world.ReplicaSet:
		return f.sets
	case world.PersistentVolumeClaim:
		return f.claims
	case world.ResourceClaim:
		return f.deviceClaims
	}
	return f.pods
}

func (f *dependents) add(kind world.Kind, key types.NamespacedName) {
	f.members(kind)[key] = struct{}{}
}

func (f *dependents) remove(kind world.Kind, key types.NamespacedName) { delete(f.members(kind), key) }

func (c *Cluster) countDependent(before, after *v1.Pod) {
	if before != nil {
		if owner := metav1.GetControllerOfNoCopy(before); owner != nil {
			f := c.dependentsOf(owner.UID)
			f.remove(world.Pod, keyOf(before))
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
	f := c.dependentsOf(owner.UID)
	f.add(world.Pod, keyOf(after))
	f.count(after, 1)
	if before == nil || !isTerminal(before) {
		switch after.Status.Phase {
		case v1.PodSucceeded:
			f.everSucceeded++
		case v1.PodFailed:
			f.everFailed++
		}
	}
}

// podsOf returns the pods of an owner, by name.
func (c *Cluster) podsOf(owner types.UID) []*v1.Pod {
	f := c.dependents[owner]
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
