package clerk

import (
	"cmp"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

// podSeen looks at a pod that is there, and was as it was before; nil if it was not.
func (c *Clerk) podSeen(pod, before *v1.Pod) {
	if len(c.rooms) > 0 && pod.Spec.NodeName != "" {
		c.settle(pod.UID, "the pod it was to make room for has a place")
	}
	is, marked := markOf(pod)
	had, known := c.marked[pod.UID]
	if known && (!marked || had != is.cause) {
		if !marked && pod.DeletionTimestamp != nil {
			is.cause, marked = had, true // what has begun to go is not stopped by losing its mark
		} else {
			c.cancel(pod, had, "it is no longer asked to leave for that")
		}
	}
	switch {
	case marked:
		c.marked[pod.UID] = is.cause
		c.board.Write(c.row(pod, before, is))
	case known:
		delete(c.marked, pod.UID)
	case pod.DeletionTimestamp != nil:
		c.deletedUnmarked(pod)
	}
}

// deletedUnmarked gives the victim of a preemption its deadline, which may be deleted before its mark is seen.
func (c *Clerk) deletedUnmarked(pod *v1.Pod) {
	if d, open := c.board.Find(pod.UID, evict.Preemption); open {
		d.Deadline = pod.DeletionTimestamp.Time
		c.board.Write(d)
	}
}

// row is the departure of a pod that is marked: what the board says of it, borne out by the mark.
func (c *Clerk) row(pod, before *v1.Pod, is mark) evict.Departure {
	d, open := c.board.Find(pod.UID, is.cause)
	if !open {
		d = evict.Departure{Pod: world.RefOf(pod), Cause: is.cause, By: is.by, Why: is.why, Noticed: c.now}
	}
	d.Node, d.Predicted = pod.Spec.NodeName, false
	c.asked(&d, before)
	if d.Phase != evict.Leaving || pod.DeletionTimestamp != nil {
		d.Phase, d.Deadline = evict.Leaving, time.Time{}
	}
	if at := pod.DeletionTimestamp; at != nil {
		d.Deadline = at.Time
	}
	if d.Budget == "" {
		d.Budget, d.Allowed = c.board.Guarding(pod)
	}
	return d
}

// podGone looks at the last state of a pod that is gone, or has run to its end. If it went unseen, that is only the last
// state that is known.
func (c *Clerk) podGone(pod, before *v1.Pod, seen bool) {
	c.settle(pod.UID, "the pod it was to make room for is gone")
	is, marked := markOf(pod)
	if !marked {
		is.cause, marked = c.marked[pod.UID]
	}
	delete(c.marked, pod.UID)
	if !marked {
		c.cancel(pod, evict.Preemption, "it is gone for another reason")
		c.wentUnmarked(pod, seen)
		return
	}
	d := c.row(pod, before, is)
	d.Phase, d.Ended = evict.Left, c.now
	c.board.Write(d)
	for _, cause := range evict.Causes() {
		if cause != is.cause {
			c.overtaken(pod, cause, is)
			c.cancel(pod, cause, "it has left for another cause: "+string(is.cause))
		}
	}
	if ended(pod) {
		c.evicted[pod.UID] = struct{}{}
	}
}

// cancel closes a departure that comes to nothing, if there is one.
func (c *Clerk) cancel(pod *v1.Pod, cause evict.Cause, why string) {
	if d, open := c.board.Find(pod.UID, cause); open {
		d.Phase, d.Why, d.Ended = evict.Cancelled, why, c.now
		c.board.Write(d)
	}
}

// recall takes in a pod that was never seen alive: it had been evicted before, or between two looks. A fresh pod is
// one that was not heard of before; its mark says when it left.
func (c *Clerk) recall(pod *v1.Pod, fresh bool) {
	if _, known := c.evicted[pod.UID]; known {
		return
	}
	is, marked := markOf(pod)
	if !marked {
		return
	}
	c.evicted[pod.UID] = struct{}{}
	d := c.row(pod, nil, is)
	d.Phase, d.Ended = evict.Left, c.now
	if at := endOf(is); fresh && !at.IsZero() && at.Before(c.now) {
		d.Noticed, d.Ended = at, at
	}
	c.board.Write(d)
}

// endOf is when a pod that has ended was marked, zero if that is not known.
func endOf(is mark) time.Time {
	if is.condition == nil {
		return time.Time{}
	}
	return is.condition.LastTransitionTime.Time
}

// recallAll takes in the pods of a full list that have run to their ends, the first to end first, and forgets those that
// are not there any more.
func (c *Clerk) recallAll(list world.Listed) {
	was := c.evicted
	c.evicted = make(map[types.UID]struct{}, len(was))
	var fresh []*v1.Pod
	for _, o := range list.Objects {
		pod, ok := o.(*v1.Pod)
		if !ok || !ended(pod) {
			continue
		}
		if _, known := was[pod.UID]; known {
			c.evicted[pod.UID] = struct{}{}
		} else {
			fresh = append(fresh, pod)
		}
	}
	slices.SortStableFunc(fresh, func(a, b *v1.Pod) int {
		markA, _ := markOf(a)
		markB, _ := markOf(b)
		return cmp.Or(endOf(markA).Compare(endOf(markB)), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	for _, pod := range fresh {
		c.recall(pod, true)
	}
}

// lastIn finds the states of pods in a list. Only those that have run to their ends are asked for: the others are there.
func lastIn(list world.Listed) func(types.UID) *v1.Pod {
	var over map[types.UID]*v1.Pod
	return func(uid types.UID) *v1.Pod {
		if over == nil {
			over = map[types.UID]*v1.Pod{}
			for _, o := range list.Objects {
				if pod, ok := o.(*v1.Pod); ok && ended(pod) {
					over[pod.UID] = pod
				}
			}
		}
		return over[uid]
	}
}
