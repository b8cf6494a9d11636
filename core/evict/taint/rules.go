package taint

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

func (c *Controller) handleDeltas(deltas []store.Delta) {
	for _, d := range deltas {
		switch d.Kind {
		case world.Pod:
			old, _ := d.Old.(*v1.Pod)
			pod, _ := d.New.(*v1.Pod)
			c.podChanged(old, pod)
		case world.Node:
			old, _ := d.Old.(*v1.Node)
			node, _ := d.New.(*v1.Node)
			c.nodeChanged(old, node)
		}
	}
}

// nodeChanged evaluates all pods of a node whose NoExecute taints have changed. A deleted node has no taints, but the
// timers of its pods run on.
func (c *Controller) nodeChanged(old, node *v1.Node) {
	if node == nil {
		delete(c.tainted, old.Name)
		return
	}
	if old != nil && slices.EqualFunc(old.Spec.Taints, node.Spec.Taints, sameTaint) {
		return
	}
	taints := evict.NoExecute(node.Spec.Taints)
	if old != nil && slices.EqualFunc(evict.NoExecute(old.Spec.Taints), taints, sameTaint) {
		return
	}
	if len(taints) == 0 {
		delete(c.tainted, node.Name)
	} else {
		c.tainted[node.Name] = taints
	}
	for _, p := range slices.SortedFunc(slices.Values(c.pods[node.Name]), compareNames) {
		pod := c.store.Pod(p.namespace, p.name)
		switch {
		case pod == nil:
		case len(taints) == 0:
			c.cancel(pod, "the taints were removed")
		default:
			c.evaluate(pod, taints)
		}
	}
}

// podChanged evaluates a pod that is new on its node or has other tolerations.
func (c *Controller) podChanged(old, pod *v1.Pod) {
	if old != nil && (pod == nil || pod.Spec.NodeName != old.Spec.NodeName) {
		c.unindexPod(old)
	}
	if pod == nil {
		c.podDeleted(old)
		return
	}
	if old == nil || pod.Spec.NodeName != old.Spec.NodeName {
		c.indexPod(pod)
	}
	if old != nil && old.DeletionTimestamp == nil && pod.DeletionTimestamp != nil {
		c.record.PodTerminating(pod, evict.Taint, c.evictor.HasCondition(pod))
	}
	if old != nil && old.Spec.NodeName == pod.Spec.NodeName &&
		slices.EqualFunc(old.Spec.Tolerations, pod.Spec.Tolerations, sameToleration) {
		return
	}
	if taints := c.tainted[pod.Spec.NodeName]; len(taints) > 0 {
		c.evaluate(pod, taints)
	}
}

func sameTaint(a, b v1.Taint) bool {
	return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect && a.TimeAdded.Equal(b.TimeAdded)
}

func sameToleration(a, b v1.Toleration) bool {
	limitA, limitB := a.TolerationSeconds, b.TolerationSeconds
	return a.Key == b.Key && a.Operator == b.Operator && a.Value == b.Value && a.Effect == b.Effect &&
		(limitA == limitB || limitA != nil && limitB != nil && *limitA == *limitB)
}

// evaluate decides how long a pod may stay and evicts it if that is not at all. A controller that only predicts skips pods
// whose eviction has begun.
func (c *Controller) evaluate(pod *v1.Pod, taints []v1.Taint) {
	if !c.options.Act && c.evictor.HasCondition(pod) {
		return
	}
	stay := evict.TolerationLimitOf(pod.Spec.Tolerations, taints, c.options.ComparisonOperators)
	switch {
	case !stay.Tolerated:
		c.stopTimer(pod)
		c.evict(pod, c.now, stay.Reason())
	case stay.Unlimited:
		c.cancel(pod, stay.Reason())
	default:
		c.startTimer(pod, stay)
	}
}

// startTimer starts a pod's timer, unless one runs that started before now.
func (c *Controller) startTimer(pod *v1.Pod, stay evict.TolerationLimit) {
	if count, runs := c.countdowns[pod.UID]; runs && count.started.Before(c.now) {
		return
	}
	c.stopTimer(pod)
	if stay.Duration == 0 {
		c.evict(pod, c.now, stay.Reason())
		return
	}
	c.countdowns[pod.UID] = countdown{world.PodRefOf(pod), c.now, stay.Reason()}
	c.timers.Set(pod.UID, c.now.Add(stay.Duration))
	c.recordPhase(pod, evict.CountingDown, stay.Reason())
}

// stopTimer stops a pod's timer if one runs, and emits an event.
func (c *Controller) stopTimer(pod *v1.Pod) {
	if !c.timers.Stop(pod.UID) {
		return
	}
	delete(c.countdowns, pod.UID)
	c.evictor.CountCancelled()
	c.emitEvent(pod, "Cancelling deletion of Pod ")
}

// cancel stops a pod's timer and its eviction, except a deletion that was requested because of a taint.
func (c *Controller) cancel(pod *v1.Pod, why string) {
	c.stopTimer(pod)
	d, known := c.record.Find(pod.UID, evict.Taint)
	early := known && d.Phase == evict.CountingDown && !c.evictor.HasCondition(pod) // then it is deleted for another reason
	if c.cancelEviction(pod) && (pod.DeletionTimestamp == nil || early) {
		c.record.End(pod.UID, evict.Taint, evict.Cancelled, c.now, why)
	}
}

// indexPod adds a pod to its node's list. A fork has a clipped list, so it does not see what is appended here.
func (c *Controller) indexPod(pod *v1.Pod) {
	if node := pod.Spec.NodeName; node != "" {
		c.pods[node] = append(c.pods[node], podName{pod.Namespace, pod.Name})
	}
}

func (c *Controller) unindexPod(pod *v1.Pod) {
	node := pod.Spec.NodeName
	at := slices.Index(c.pods[node], podName{pod.Namespace, pod.Name})
	if at < 0 {
		return
	}
	if c.pods[node] = slices.Delete(slices.Clone(c.pods[node]), at, at+1); len(c.pods[node]) == 0 {
		delete(c.pods, node)
	}
}

func compareNames(a, b podName) int {
	return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
}
