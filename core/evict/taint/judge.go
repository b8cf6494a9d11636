package taint

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/store"
	"orrery/core/world"
)

func (c *Controller) changed(deltas []store.Delta) {
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

// nodeChanged judges all pods of a node whose NoExecute taints are new, or other than they were. A node that is gone
// has no taints, but the timers of its pods run on.
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
	for _, p := range c.pods[node.Name] {
		pod := c.store.Pod(p.namespace, p.name)
		switch {
		case pod == nil:
		case len(taints) == 0:
			c.letStay(pod, "the taints are gone")
		default:
			c.judge(pod, taints)
		}
	}
}

// podChanged judges a pod that is new on its node, or tolerates other things than before.
func (c *Controller) podChanged(old, pod *v1.Pod) {
	if old != nil && (pod == nil || pod.Spec.NodeName != old.Spec.NodeName) {
		c.unshelve(old)
	}
	if pod == nil {
		c.podGone(old)
		return
	}
	if old == nil || pod.Spec.NodeName != old.Spec.NodeName {
		c.shelve(pod)
	}
	if old != nil && old.DeletionTimestamp == nil && pod.DeletionTimestamp != nil {
		c.noteDeletion(pod)
	}
	if old != nil && old.Spec.NodeName == pod.Spec.NodeName &&
		slices.EqualFunc(old.Spec.Tolerations, pod.Spec.Tolerations, sameToleration) {
		return
	}
	if taints := c.tainted[pod.Spec.NodeName]; len(taints) > 0 {
		c.judge(pod, taints)
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

// judge decides how long a pod may stay, and has it leave if that is not at all. One that only predicts has nothing to say of
// a pod that has been asked to leave.
func (c *Controller) judge(pod *v1.Pod, taints []v1.Taint) {
	if !c.options.Act && c.removals.Marked(pod) {
		return
	}
	stay := evict.StayOf(pod.Spec.Tolerations, taints, c.options.Compare)
	switch {
	case !stay.Tolerated:
		c.stopTimer(pod)
		c.leave(pod, c.now, stay.Why())
	case stay.Forever:
		c.letStay(pod, stay.Why())
	default:
		c.startTimer(pod, stay)
	}
}

// startTimer begins a pod's timer, unless one runs that began before this moment.
func (c *Controller) startTimer(pod *v1.Pod, stay evict.Stay) {
	if count, runs := c.counts[pod.UID]; runs && count.began.Before(c.now) {
		return
	}
	c.stopTimer(pod)
	if stay.For == 0 {
		c.leave(pod, c.now, stay.Why())
		return
	}
	c.counts[pod.UID] = countdown{world.RefOf(pod), c.now, stay.Why()}
	c.timers.Set(pod.UID, c.now.Add(stay.For))
	c.note(pod, evict.Counting, stay.Why())
}

// stopTimer stops a pod's timer if one runs, which the world is told.
func (c *Controller) stopTimer(pod *v1.Pod) {
	if !c.timers.Stop(pod.UID) {
		return
	}
	delete(c.counts, pod.UID)
	c.removals.Cancelled()
	c.announce(pod, "Cancelling deletion of Pod ")
}

// letStay ends whatever was to make a pod leave, except a deletion that has been asked for because of a taint.
func (c *Controller) letStay(pod *v1.Pod, why string) {
	c.stopTimer(pod)
	d, known := c.board.Find(pod.UID, evict.Taint)
	early := known && d.Phase == evict.Counting && !c.removals.Marked(pod) // then somebody else deletes it
	if c.callOff(pod) && (pod.DeletionTimestamp == nil || early) {
		c.close(pod, evict.Cancelled, why)
	}
}

// shelve and unshelve keep the pods of each node in the order of their names.

func (c *Controller) shelve(pod *v1.Pod) {
	node := pod.Spec.NodeName
	if node == "" {
		return
	}
	at, found := c.find(pod)
	if !found {
		c.pods[node] = slices.Insert(slices.Clip(c.pods[node]), at, podName{pod.Namespace, pod.Name})
	}
}

func (c *Controller) unshelve(pod *v1.Pod) {
	node := pod.Spec.NodeName
	at, found := c.find(pod)
	if !found {
		return
	}
	if c.pods[node] = slices.Delete(slices.Clone(c.pods[node]), at, at+1); len(c.pods[node]) == 0 {
		delete(c.pods, node)
	}
}

func (c *Controller) find(pod *v1.Pod) (int, bool) {
	return slices.BinarySearchFunc(c.pods[pod.Spec.NodeName], pod, func(p podName, pod *v1.Pod) int {
		return cmp.Or(cmp.Compare(p.namespace, pod.Namespace), cmp.Compare(p.name, pod.Name))
	})
}
