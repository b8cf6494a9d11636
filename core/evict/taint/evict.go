package taint

import (
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/evict"
	"orrery/core/world"
)

const (
	// attemptsPerBurst are made attemptDelay apart. After them there is a longer pause, which doubles each time.
	attemptsPerBurst  = 5
	attemptDelay      = 10 * time.Millisecond
	initialRetryDelay = time.Second
	maxRetryDelay     = time.Minute
)

// condition is the DisruptionTarget condition of the pods that are evicted here.
var condition = v1.PodCondition{Reason: "DeletionByTaintManager", Message: "Taint manager: deleting due to NoExecute taint"}

// retryDelay returns the delay after a number of failed attempts.
func retryDelay(attempts int) time.Duration {
	if attempts%attemptsPerBurst != 0 {
		return attemptDelay
	}
	pause := initialRetryDelay
	for row := attempts / attemptsPerBurst; row > 1 && pause < maxRetryDelay; row-- {
		pause *= 2
	}
	return min(pause, maxRetryDelay)
}

// evict evicts a pod that was due at a time. A controller that does not act records it.
func (c *Controller) evict(pod *v1.Pod, due time.Time, why string) {
	c.recordPhase(pod, evict.Terminating, why)
	if !c.options.Act || c.evictor.Continue(pod.UID) {
		return
	}
	c.emitEvent(pod, "Marking for deletion Pod ")
	c.evictor.Start(c.now, pod, due)
}

// cancelEviction stops an eviction where that is still possible, and reports whether the pod stays.
func (c *Controller) cancelEviction(pod *v1.Pod) bool {
	if c.evictor.Evicting(pod.UID) {
		return c.evictor.Cancel(pod.UID)
	}
	d, known := c.record.Find(pod.UID, evict.Taint)
	return known && (d.Phase != evict.Terminating || !c.options.Act)
}

// podDeleted ends the eviction of a deleted pod.
func (c *Controller) podDeleted(pod *v1.Pod) {
	c.stopTimer(pod)
	c.evictor.PodDeleted(pod.UID)
	c.record.PodDeleted(pod, evict.Taint, c.now, c.evictor.HasCondition(pod))
}

// emitEvent emits an event about a pod, if the controller acts.
func (c *Controller) emitEvent(pod *v1.Pod, note string) {
	if c.options.Act {
		ref := world.PodRefOf(pod)
		c.evictor.Emit(c.now, world.EmitEvent{
			Regarding: ref, Type: v1.EventTypeNormal, Reason: "TaintManagerEviction",
			Note: note + ref.String(), Controller: Name,
		})
	}
}
