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

// errand is a controller's duty to look at one object and put right what it is responsible for. However often it is
// owed, it is done once.
type errand struct {
	kind world.Kind
	key  types.NamespacedName
	uid  types.UID
}

// A controller that could not create a pod tries again after retryAfter. A pod that has failed is replaced no sooner
// than replaceAfter, so that time passes even where nothing takes any. A daemon set, which has to look at every node,
// waits for daemonPause, so that it looks once for many pods.
const (
	retryAfter   = 30 * time.Second
	replaceAfter = time.Second
	daemonPause  = time.Second
)

// owe puts an errand on the agenda, unless it is there already for the same time or sooner.
func (c *Cluster) owe(e errand, extra time.Duration) {
	at := c.now.Add(c.latency.delay(c.options.Latency.Controller) + extra)
	if owed, ok := c.due[e]; ok && !owed.After(at) {
		return
	}
	c.due[e] = at
	c.schedule(at, e)
}

func (e errand) happen(c *Cluster) {
	if owed, ok := c.due[e]; !ok || owed.After(c.now) {
		return
	}
	delete(c.due, e)
	if e.kind == world.Node {
		c.syncTaints(e.key)
		return
	}
	owner := c.objects[e.kind][e.key]
	if owner == nil || owner.GetUID() != e.uid {
		c.disinherit(e.uid)
		return
	}
	if owner.GetDeletionTimestamp() != nil {
		return
	}
	if err := c.sync(owner); err != nil {
		c.history.announce(c.now, world.Announce{
			Regarding: world.Ref{Namespace: e.key.Namespace, Name: e.key.Name, UID: e.uid},
			Type:      v1.EventTypeWarning, Reason: "FailedCreate", Note: "Error creating: " + err.Error(),
			Controller: string(e.kind),
		})
		c.owe(e, retryAfter)
	}
}

// sync is one look of a controller at an object of its kind.
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
	case *v1.Pod:
		return c.syncMark(o)
	}
	return nil
}

func orOne(n *int32) int {
	if n == nil {
		return 1
	}
	return int(*n)
}

// disinherit deletes what an owner has left behind.
func (c *Cluster) disinherit(owner types.UID) {
	f := c.families[owner]
	if f == nil {
		return
	}
	for _, pod := range c.podsOf(owner) {
		c.deletePod(pod, nil)
	}
	for _, key := range c.setsOf(owner) {
		c.remove(world.ReplicaSet, c.objects[world.ReplicaSet][key])
	}
	if len(f.pods)+len(f.sets) == 0 {
		delete(c.families, owner)
	}
}

// setsOf are the names of the replica sets of an owner, sorted.
func (c *Cluster) setsOf(owner types.UID) []types.NamespacedName {
	f := c.families[owner]
	if f == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(f.sets), compareKeys)
}

// tellOwner has the controller of a pod's owner take note, where the change matters to it.
func (c *Cluster) tellOwner(old, changed *v1.Pod) {
	pod := changed
	if pod == nil {
		pod = old
	}
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil || old != nil && changed != nil && sameStanding(old, changed) {
		return
	}
	extra := time.Duration(0)
	switch {
	case pod.Status.Phase == v1.PodFailed:
		extra = replaceAfter
	case owner.Kind == string(world.DaemonSet):
		extra = daemonPause
	}
	c.owe(errand{
		kind: world.Kind(owner.Kind), uid: owner.UID,
		key: types.NamespacedName{Namespace: pod.Namespace, Name: owner.Name},
	}, extra)
}

// sameStanding tells whether two states of a pod count alike.
func sameStanding(a, b *v1.Pod) bool {
	var t tally
	t.count(a, 1)
	t.count(b, -1)
	return t == tally{}
}

// ownerChanged has the controller of an object that owns others look at it, and that of its own owner.
func (c *Cluster) ownerChanged(kind world.Kind, old, changed world.Object) {
	o := changed
	if o == nil {
		o = old
	}
	if old == nil || changed == nil || old.GetGeneration() != changed.GetGeneration() {
		c.owe(errand{kind: kind, key: keyOf(o), uid: o.GetUID()}, 0)
	}
	if owner := metav1.GetControllerOfNoCopy(o); owner != nil {
		c.owe(errand{
			kind: world.Kind(owner.Kind), uid: owner.UID,
			key: types.NamespacedName{Namespace: o.GetNamespace(), Name: owner.Name},
		}, 0)
	}
}

// newPod makes a pod of a template. The parts of the template are copied.
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

// createPods creates so many pods of a template, with names generated from the owner's.
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

// deleteSurplus deletes so many of an owner's pods: those that are least use first, and of those the youngest.
func (c *Cluster) deleteSurplus(n int, owner types.UID) {
	active := slices.DeleteFunc(c.podsOf(owner), func(pod *v1.Pod) bool {
		return ended(pod) || pod.DeletionTimestamp != nil
	})
	slices.SortStableFunc(active, func(a, b *v1.Pod) int {
		if d := use(a) - use(b); d != 0 {
			return d
		}
		return b.CreationTimestamp.Compare(a.CreationTimestamp.Time)
	})
	for _, pod := range active[:min(n, len(active))] {
		c.deletePod(pod, nil)
	}
}

// use is how far a pod has come.
func use(pod *v1.Pod) int {
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
