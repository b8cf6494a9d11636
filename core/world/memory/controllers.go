package memory

import (
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// workItem is an object in a controller's work queue. An item that is enqueued repeatedly is synced once.
type workItem struct {
	kind world.Kind
	key  types.NamespacedName
	uid  types.UID
}

// workQueue holds when the scheduled work items are due.
type workQueue struct {
	due  map[workItem]time.Time
	most int // items at a time since the map was made, which determine its memory
}

func newWorkQueue() workQueue { return workQueue{due: map[workItem]time.Time{}} }

func (q *workQueue) clone() workQueue { return workQueue{due: maps.Clone(q.due), most: q.most} }

func (q *workQueue) set(e workItem, due time.Time) {
	q.due[e] = due
	q.most = max(q.most, len(q.due))
}

func (q *workQueue) remove(e workItem) {
	if delete(q.due, e); len(q.due) == 0 && q.most > maxIdle {
		*q = newWorkQueue()
	}
}

// A controller that could not create a pod retries after retryDelay. A failed pod is replaced after replaceDelay at the
// earliest, so that time advances even without latency. A daemon set, which checks every node, waits for
// daemonSetDelay, so that it syncs once for many pods.
const (
	retryDelay     = 30 * time.Second
	replaceDelay   = time.Second
	daemonSetDelay = time.Second
)

// enqueue schedules a work item, unless it is scheduled for the same time or earlier.
func (c *Cluster) enqueue(e workItem, extra time.Duration) {
	at := c.now.Add(c.latency.delay(c.options.Latency.Controller) + extra)
	if owed, ok := c.workQueue.due[e]; ok && !owed.After(at) {
		return
	}
	c.workQueue.set(e, at)
	c.schedule(at, e)
}

func (e workItem) fire(c *Cluster) {
	if owed, ok := c.workQueue.due[e]; !ok || owed.After(c.now) {
		return
	}
	c.workQueue.remove(e)
	if e.kind == world.Node {
		c.syncNode(e.key)
		return
	}
	if c.syncStorage(e) || c.syncDevices(e) {
		return
	}
	owner := c.objects[e.kind][e.key]
	if owner == nil || owner.GetUID() != e.uid {
		c.deleteDependents(e.uid)
		return
	}
	if owner.GetDeletionTimestamp() != nil {
		return
	}
	if err := c.sync(owner); err != nil {
		c.history.recordEvent(c.now, world.EmitEvent{
			Regarding: world.PodRef{Namespace: e.key.Namespace, Name: e.key.Name, UID: e.uid},
			Type:      v1.EventTypeWarning, Reason: "FailedCreate", Note: "Error creating: " + err.Error(),
			Controller: string(e.kind),
		})
		c.enqueue(e, retryDelay)
	}
}

// sync runs the controller of an object's kind.
func (c *Cluster) sync(owner world.Object) error {
	switch o := owner.(type) {
	case *appsv1.ReplicaSet:
		return c.syncReplicaSet(o)
	case *appsv1.Deployment:
		return c.syncDeployment(o)
	case *appsv1.StatefulSet:
		return c.syncStatefulSet(o)
	case *appsv1.DaemonSet:
		return c.syncDaemonSet(o)
	case *batchv1.Job:
		return c.syncJob(o)
	case *policyv1.PodDisruptionBudget:
		return c.syncBudget(o)
	case *v1.ResourceQuota:
		return c.syncQuota(o)
	case *v1.Pod:
		c.syncPodDevices(o)
		if err := c.createEphemeralClaims(o); err != nil {
			return err
		}
		return c.syncStaleCondition(o)
	}
	return nil
}

// orOne is a number of pods, by default one. Nobody has refused a negative one.
func orOne(n *int32) int {
	if n == nil {
		return 1
	}
	return max(0, int(*n))
}

// deleteDependents deletes the objects of a deleted owner.
func (c *Cluster) deleteDependents(owner types.UID) {
	f := c.dependents[owner]
	if f == nil {
		return
	}
	for _, pod := range c.podsOf(owner) {
		c.deletePod(pod, nil)
	}
	for _, key := range c.setsOf(owner) {
		c.remove(world.ReplicaSet, c.objects[world.ReplicaSet][key])
	}
	for _, key := range slices.SortedFunc(maps.Keys(f.claims), compareKeys) {
		if claim := c.claimAt(key); claim.DeletionTimestamp == nil {
			c.beginDeletion(world.PersistentVolumeClaim, claim)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(f.deviceClaims), compareKeys) {
		if claim := c.deviceClaimAt(key); claim.DeletionTimestamp == nil {
			c.beginDeletion(world.ResourceClaim, claim)
		}
	}
	if len(f.pods)+len(f.sets)+len(f.claims)+len(f.deviceClaims) == 0 {
		delete(c.dependents, owner)
	}
}

// setsOf returns the names of an owner's replica sets, sorted.
func (c *Cluster) setsOf(owner types.UID) []types.NamespacedName {
	f := c.dependents[owner]
	if f == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(f.sets), compareKeys)
}

// notifyOwner enqueues a pod's owner if the change affects its counts.
func (c *Cluster) notifyOwner(old, changed *v1.Pod) {
	pod := changed
	if pod == nil {
		pod = old
	}
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || old != nil && changed != nil && sameCounts(old, changed) {
		return
	}
	extra := time.Duration(0)
	switch {
	case pod.Status.Phase == v1.PodFailed:
		extra = replaceDelay
	case owner.Kind == string(world.DaemonSet):
		extra = daemonSetDelay
	}
	c.enqueue(workItem{
		kind: world.Kind(owner.Kind), uid: owner.UID,
		key: types.NamespacedName{Namespace: pod.Namespace, Name: owner.Name},
	}, extra)
}

// sameCounts reports whether two states of a pod count alike.
func sameCounts(a, b *v1.Pod) bool {
	var t podCounts
	t.count(a, 1)
	t.count(b, -1)
	return t == podCounts{}
}

// ownerChanged enqueues an object that owns others, and its own owner.
func (c *Cluster) ownerChanged(kind world.Kind, old, changed world.Object) {
	o := changed
	if o == nil {
		o = old
	}
	if old == nil || changed == nil || old.GetGeneration() != changed.GetGeneration() {
		c.enqueue(workItem{kind: kind, key: keyOf(o), uid: o.GetUID()}, 0)
	}
	c.enqueueOwner(o)
}

// enqueueOwner enqueues an object's controller.
func (c *Cluster) enqueueOwner(o world.Object) {
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
		c.enqueue(workItem{
			kind: world.Kind(owner.Kind), uid: owner.UID,
			key: types.NamespacedName{Namespace: o.GetNamespace(), Name: owner.Name},
		}, 0)
	}
}

// newPod returns a pod with a copy of a template.
func newPod(owner world.Object, gvk schema.GroupVersionKind, template *v1.PodTemplateSpec) *v1.Pod {
	t := template.DeepCopy()
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: owner.GetNamespace(), Labels: t.Labels, Annotations: t.Annotations, Finalizers: t.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, gvk)},
		},
		Spec: t.Spec,
	}
}

// createPods creates n pods of a template, with names generated from the owner's.
func (c *Cluster) createPods(
	n int, owner world.Object, gvk schema.GroupVersionKind, template *v1.PodTemplateSpec,
) error {
	for range n {
		pod := newPod(owner, gvk, template)
		pod.GenerateName = owner.GetName() + "-"
		if _, err := c.create(world.Pod, pod); err != nil {
			return err
		}
	}
	return nil
}

// deleteSurplus deletes n of an owner's pods: lowest deletionRank first, then the youngest.
func (c *Cluster) deleteSurplus(n int, owner types.UID) {
	active := slices.DeleteFunc(c.podsOf(owner), func(pod *v1.Pod) bool {
		return isTerminal(pod) || pod.DeletionTimestamp != nil
	})
	slices.SortStableFunc(active, func(a, b *v1.Pod) int {
		if d := deletionRank(a) - deletionRank(b); d != 0 {
			return d
		}
		return b.CreationTimestamp.Compare(a.CreationTimestamp.Time)
	})
	for _, pod := range active[:min(n, len(active))] {
		c.deletePod(pod, nil)
	}
}

// deletionRank orders pods by progress: unassigned, pending, not ready, ready.
func deletionRank(pod *v1.Pod) int {
	switch {
	case pod.Spec.NodeName == "":
		return 0
	case pod.Status.Phase != v1.PodRunning:
		return 1
	case !isReady(pod):
		return 2
	}
	return 3
}
