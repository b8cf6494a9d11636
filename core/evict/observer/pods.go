package observer

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

// podChanged takes in an existing pod and its previous state, nil if it is new.
func (c *Observer) podChanged(pod, before *v1.Pod) {
	if len(c.preemptions) > 0 && pod.Spec.NodeName != "" {
		c.endPreemption(pod.UID, "the preemptor is bound")
	}
	c.recordKills(pod, before)
	is, marked := disruptionOf(pod)
	had, known := c.causes[pod.UID]
	if known && (!marked || had != is.cause) {
		if !marked && pod.DeletionTimestamp != nil {
			is.cause, marked = had, true // losing the condition does not stop an eviction that has begun
		} else {
			c.cancel(pod, had, "its DisruptionTarget condition was removed")
		}
	}
	switch {
	case marked:
		c.causes[pod.UID] = is.cause
		c.record.Write(c.evictionOf(pod, before, is))
	case known:
		delete(c.causes, pod.UID)
	case pod.DeletionTimestamp != nil:
		c.setVictimDeadline(pod)
	}
}

// setVictimDeadline sets the deadline of a preemption's victim, which may be deleted before its condition is seen.
func (c *Observer) setVictimDeadline(pod *v1.Pod) {
	if d, open := c.record.Find(pod.UID, evict.Preemption); open {
		d.Deadline = pod.DeletionTimestamp.Time
		c.record.Write(d)
	}
}

// evictionOf returns the eviction of a pod with a disruption: the recorded one, confirmed by the disruption.
func (c *Observer) evictionOf(pod, before *v1.Pod, is disruption) evict.Eviction {
	d, open := c.record.Find(pod.UID, is.cause)
	if !open {
		d = evict.Eviction{Pod: world.PodRefOf(pod), Cause: is.cause, Initiator: is.initiator, Reason: is.reason, FirstSeen: c.now}
	}
	d.Node, d.Predicted = pod.Spec.NodeName, false
	c.noteObserved(&d, before)
	if d.Phase != evict.Terminating || pod.DeletionTimestamp != nil {
		d.Phase, d.Deadline = evict.Terminating, time.Time{}
	}
	if at := pod.DeletionTimestamp; at != nil {
		d.Deadline = at.Time
	}
	if d.Budget == "" {
		d.Budget, d.DisruptionsAllowed = c.record.BudgetOf(pod)
	}
	return d
}

// podDeleted takes in the last known state of a deleted or terminal pod. Seen is false if the deletion was not watched.
func (c *Observer) podDeleted(pod, before *v1.Pod, seen bool) {
	c.endPreemption(pod.UID, "the preemptor was deleted")
	c.recordKills(pod, before)
	is, marked := disruptionOf(pod)
	if !marked {
		is.cause, marked = c.causes[pod.UID]
	}
	delete(c.causes, pod.UID)
	if !marked {
		c.cancel(pod, evict.Preemption, "deleted for another reason")
		c.deletedWithoutCause(pod, seen)
		return
	}
	d := c.evictionOf(pod, before, is)
	d.Phase, d.Ended = evict.Evicted, c.now
	c.record.Write(d)
	for _, cause := range evict.Causes() {
		if cause != is.cause {
			c.supersede(pod, cause, is)
			c.cancel(pod, cause, "evicted for another cause: "+string(is.cause))
		}
	}
	if isTerminal(pod) {
		c.terminal[pod.UID] = struct{}{}
	}
}

// cancel cancels an open eviction, if there is one.
func (c *Observer) cancel(pod *v1.Pod, cause evict.Cause, why string) {
	if d, open := c.record.Find(pod.UID, cause); open {
		d.Phase, d.Reason, d.Ended = evict.Cancelled, why, c.now
		c.record.Write(d)
	}
}

// recordTerminalPod takes in a pod that was evicted before it was first seen, or between two lists. A fresh pod was not
// known before; its condition has the time of its eviction.
func (c *Observer) recordTerminalPod(pod *v1.Pod, fresh bool) {
	if _, known := c.terminal[pod.UID]; known {
		return
	}
	is, marked := disruptionOf(pod)
	if !marked {
		return
	}
	c.terminal[pod.UID] = struct{}{}
	d := c.evictionOf(pod, nil, is)
	d.Phase, d.Ended = evict.Evicted, c.now
	if at := transitionTime(is); fresh && !at.IsZero() && at.Before(c.now) {
		d.FirstSeen, d.Ended = at, at
	}
	c.record.Write(d)
}

// transitionTime returns the transition time of a terminal pod's condition, zero if that is not known.
func transitionTime(is disruption) time.Time {
	if is.condition == nil {
		return time.Time{}
	}
	return is.condition.LastTransitionTime.Time
}

// recordTerminalPods takes in the terminal pods of a full list, the first to end first, and drops those that no longer
// exist.
func (c *Observer) recordTerminalPods(list world.Listed) {
	was := c.terminal
	c.terminal = make(map[types.UID]struct{}, len(was))
	var fresh []*v1.Pod
	for _, o := range list.Objects {
		pod, ok := o.(*v1.Pod)
		if !ok || !isTerminal(pod) {
			continue
		}
		if _, known := was[pod.UID]; known {
			c.terminal[pod.UID] = struct{}{}
		} else {
			fresh = append(fresh, pod)
		}
	}
	slices.SortStableFunc(fresh, func(a, b *v1.Pod) int {
		markA, _ := disruptionOf(a)
		markB, _ := disruptionOf(b)
		return cmp.Or(transitionTime(markA).Compare(transitionTime(markB)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, pod := range fresh {
		c.recordTerminalPod(pod, true)
	}
}

// lastStates returns a function that finds the states of terminal pods in a list; the others still exist.
func lastStates(list world.Listed) func(types.UID) *v1.Pod {
	var over map[types.UID]*v1.Pod
	return func(uid types.UID) *v1.Pod {
		if over == nil {
			over = map[types.UID]*v1.Pod{}
			for _, o := range list.Objects {
				if pod, ok := o.(*v1.Pod); ok && isTerminal(pod) {
					over[pod.UID] = pod
				}
			}
		}
		return over[uid]
	}
}
