package device

import (
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/world"
)

const (
	initialRetryDelay = 5 * time.Millisecond
	maxRetryDelay     = 1000 * time.Second
)

// evictCondition is the DisruptionTarget condition of evicted pods.
var evictCondition = v1.PodCondition{
	Reason: "DeletionByDeviceTaintManager", Message: "Device Taint manager: deleting due to NoExecute taint",
}

// retryDelay returns the delay after a number of failed attempts.
func retryDelay(attempts int) time.Duration {
	pause := initialRetryDelay
	for ; attempts > 1 && pause < maxRetryDelay; attempts-- {
		pause *= 2
	}
	return min(pause, maxRetryDelay)
}

// pendingEviction is a pod with a deadline.
type pendingEviction struct {
	pod      world.PodRef
	deadline *deadline
}

// evaluate recomputes a pod's deadline.
func (c *Controller) evaluate(pod *v1.Pod) {
	d := c.podDeadline(pod, c.knownDeadline)
	if d == nil {
		c.cancel(pod)
		return
	}
	for _, r := range d.reasons {
		if r.rule.name != "" {
			c.statusTimers.SetNoLater(r.rule, c.now.Add(reportPeriod))
		}
	}
	evicting := c.evictor.Continue(pod.UID)
	had, runs := c.pending[pod.UID]
	if c.deleting[pod.UID] || runs && had.deadline.equal(d) || !runs && pod.DeletionTimestamp != nil {
		return
	}
	c.pending[pod.UID] = pendingEviction{world.PodRefOf(pod), d}
	if !evicting {
		c.timers.Set(pod.UID, evict.Later(d.at, c.now))
		c.recordPhase(pod, evict.CountingDown, d)
	}
}

// cancel cancels a pod's eviction, unless the pod is being deleted for it.
func (c *Controller) cancel(pod *v1.Pod) {
	if _, runs := c.pending[pod.UID]; !runs {
		return
	}
	if c.evictor.Evicting(pod.UID) && !c.evictor.Cancel(pod.UID) {
		return
	}
	delete(c.pending, pod.UID)
	c.timers.Stop(pod.UID)
	c.evictor.CountCancelled()
	c.emitEvent(pod, "Cancelling deletion")
	if pod.DeletionTimestamp == nil {
		c.record.End(pod.UID, evict.DeviceTaint, evict.Cancelled, c.now, "no device it uses has a NoExecute taint")
	}
}

// deadlinePassed evicts a pod whose deadline has come. A terminating pod needs no call.
func (c *Controller) deadlinePassed(uid types.UID) {
	d := c.pending[uid]
	pod := c.store.Pod(d.pod.Namespace, d.pod.Name)
	if pod.DeletionTimestamp != nil {
		delete(c.pending, uid)
		if was, known := c.record.Find(uid, evict.DeviceTaint); known && was.Phase == evict.CountingDown {
			was.Prediction.OtherReason = "terminating for another reason"
			c.record.Write(was)
			c.record.End(pod.UID, evict.DeviceTaint, evict.Cancelled, c.now, "terminating for another reason")
		}
		return
	}
	c.recordPhase(pod, evict.Terminating, d.deadline)
	if c.options.Act {
		c.emitEvent(pod, "Marking for deletion")
		c.evictor.Start(c.now, pod, d.deadline.at)
	}
}

// evictionDone ends a pod's eviction. A deleted pod counts for every rule that caused it.
func (c *Controller) evictionDone(ref world.PodRef, end evict.Ending) {
	d := c.pending[ref.UID]
	delete(c.pending, ref.UID)
	switch end {
	case evict.PodGone:
		return
	case evict.PodStays:
		c.evictor.CountCancelled()
		c.record.End(ref.UID, evict.DeviceTaint, evict.Cancelled, c.now, evict.MayStay)
		return
	}
	if pod := c.store.Pod(ref.Namespace, ref.Name); pod != nil && pod.UID == ref.UID {
		c.deleting[ref.UID] = true
	}
	for _, r := range d.deadline.reasons {
		if rule := c.store.Object(world.DeviceTaintRule, "", r.rule.name); rule != nil && rule.GetUID() == r.rule.uid {
			c.evicted[r.rule.uid]++
			c.statusTimers.SetNoLater(r.rule, c.now.Add(reportPeriod))
		}
	}
}

// podDeleted drops a deleted pod. An outcome that is still pending needs c.pending.
func (c *Controller) podDeleted(pod *v1.Pod) {
	c.timers.Stop(pod.UID)
	c.evictor.PodDeleted(pod.UID)
	delete(c.deleting, pod.UID)
	if !c.evictor.Evicting(pod.UID) {
		delete(c.pending, pod.UID)
	}
	c.record.PodDeleted(pod, evict.DeviceTaint, c.now, c.evictor.HasCondition(pod))
}

// emitEvent emits an event about a pod, if the controller acts.
func (c *Controller) emitEvent(pod *v1.Pod, note string) {
	if c.options.Act {
		c.evictor.Emit(c.now, world.EmitEvent{
			Regarding: world.PodRefOf(pod), Type: v1.EventTypeNormal, Reason: "DeviceTaintManagerEviction",
			Note: note, Controller: Name,
		})
	}
}

// recordPhase records how far a pod's eviction has come.
func (c *Controller) recordPhase(pod *v1.Pod, phase evict.Phase, d *deadline) {
	eviction := evict.Eviction{
		Pod: world.PodRefOf(pod), Node: pod.Spec.NodeName, Cause: evict.DeviceTaint, Phase: phase,
		Predicted: !c.options.Act && !c.evictor.HasCondition(pod), Initiator: Name, Reason: reasonText(d), FirstSeen: c.now, Deadline: d.at,
	}
	eviction.Budget, eviction.DisruptionsAllowed = c.record.BudgetOf(pod)
	if eviction.Predicted {
		eviction.Prediction.PredictedAt = evict.Later(d.at, c.now)
	}
	if pod.DeletionTimestamp != nil {
		eviction.Phase, eviction.Deadline = evict.Terminating, pod.DeletionTimestamp.Time
	}
	c.record.Write(eviction)
}

func reasonText(d *deadline) string {
	text := d.reasons[0].String()
	if more := len(d.reasons) - 1; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}
