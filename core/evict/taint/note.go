package taint

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/world"
)

// note writes on the board how far a pod's departure has come.
func (c *Controller) note(pod *v1.Pod, phase evict.Phase, why string) {
	d := evict.Departure{
		Pod: world.RefOf(pod), Node: pod.Spec.NodeName, Cause: evict.Taint, Phase: phase,
		Predicted: !c.options.Act && !c.removals.Marked(pod), By: Name, Why: why, Noticed: c.now,
	}
	d.Budget, d.Allowed = c.board.Guarding(pod)
	if d.Predicted {
		d.Foretold.Due = c.now
		if phase == evict.Counting {
			d.Foretold.Due, _ = c.timers.At(pod.UID)
		}
	}
	switch {
	case pod.DeletionTimestamp != nil:
		d.Phase, d.Deadline = evict.Leaving, pod.DeletionTimestamp.Time
	case phase == evict.Counting:
		d.Deadline, _ = c.timers.At(pod.UID)
	case phase == evict.Leaving:
		d.Deadline = c.now
	}
	c.board.Write(d)
}

// close writes that a departure is over, if there was one.
func (c *Controller) close(pod *v1.Pod, phase evict.Phase, why string) {
	d, known := c.board.Find(pod.UID, evict.Taint)
	if !known {
		return
	}
	d.Phase, d.Why, d.Ended = phase, why, c.now
	c.board.Write(d)
}

// noteDeletion writes by when a pod must be gone that has been asked to leave.
func (c *Controller) noteDeletion(pod *v1.Pod) {
	d, known := c.board.Find(pod.UID, evict.Taint)
	if known && (d.Phase == evict.Leaving || c.removals.Marked(pod)) {
		d.Phase, d.Deadline = evict.Leaving, pod.DeletionTimestamp.Time
		c.board.Write(d)
	}
}
