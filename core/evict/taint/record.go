package taint

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/world"
)

// recordPhase writes how far a pod's eviction has come.
func (c *Controller) recordPhase(pod *v1.Pod, phase evict.Phase, reason string) {
	e := evict.Eviction{
		Pod: world.PodRefOf(pod), Node: pod.Spec.NodeName, Cause: evict.Taint, Phase: phase,
		Predicted: !c.options.Act && !c.evictor.HasCondition(pod), Initiator: Name, Reason: reason, FirstSeen: c.now,
	}
	e.Budget, e.DisruptionsAllowed = c.record.BudgetOf(pod)
	if e.Predicted {
		e.Prediction.PredictedAt = c.now
		if phase == evict.CountingDown {
			e.Prediction.PredictedAt, _ = c.timers.At(pod.UID)
		}
	}
	switch {
	case pod.DeletionTimestamp != nil:
		e.Phase, e.Deadline = evict.Terminating, pod.DeletionTimestamp.Time
	case phase == evict.CountingDown:
		e.Deadline, _ = c.timers.At(pod.UID)
	case phase == evict.Terminating:
		e.Deadline = c.now
	}
	c.record.Write(e)
}
