package queue

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

// Add adds a new pod to activeQ, or to unschedulablePods if a PreEnqueue plugin gates it. Pods that are assigned to a
// node or in flight are ignored.
func (q *Queue) Add(pod *v1.Pod, now time.Time) {
	q.advance(now)
	if pod.Spec.NodeName != "" || q.inFlightEvents.has(pod) {
		return
	}
	q.addPod(pod, q.labels.add)
}

// addPod adds a pod that was not in the queue.
func (q *Queue) addPod(pod *v1.Pod, label string) {
	if q.opts.NominateOnAdd {
		q.addNomination(pod, nil)
	}
	q.moveToActiveQ(q.newPod(pod), label, "", false)
}

// Update applies a changed pod. A pod in activeQ or backoffQ stays there; one in unschedulablePods is requeued if a
// rejecting plugin's hint says that the change helps; for one in flight the change is kept as an in-flight event; an
// unknown pod is added, and so is one of another UID if Options.ReplaceByUID says so.
func (q *Queue) Update(old, updated *v1.Pod, now time.Time) {
	q.advance(now)
	if old == nil {
		old = updated
	}
	if q.updateInFlight(old, updated) {
		return
	}
	p := q.pods[keyOf(updated)]
	switch {
	case p == nil && updated.Spec.NodeName != "":
		// The pod is assigned.
	case p == nil:
		q.addPod(updated, q.labels.unknown)
	case p.pod.UID != updated.UID && q.opts.ReplaceByUID:
		q.Delete(p.pod, now)
		q.addPod(updated, q.labels.unknown)
	case p.queuedIn.InUnschedulablePods():
		q.updateUnschedulable(p, old, updated)
	default:
		q.updateWaiting(p, old, updated)
	}
}

func (q *Queue) updateInFlight(old, updated *v1.Pod) bool {
	if !q.inFlightEvents.has(updated) {
		return false
	}
	if q.opts.RequeueRule == MoveRequestCycle {
		if isPodUpdated(old, updated) {
			q.moveRequestCycle = q.schedulingCycle
		}
		return true
	}
	// The attempt has an older object. Its own update is kept like anybody's event, so that it is not lost if the attempt fails
	// (kubernetes PR 125578).
	for _, event := range PodUpdateEvents(old, updated, q.opts.FeatureGates) {
		q.recordInFlightEvent(q.matchFor(event), old, updated)
	}
	return true
}

func (q *Queue) updateWaiting(p *Pod, old, updated *v1.Pod) {
	q.set(p, updated)
	switch p.queuedIn {
	case Active:
		q.active.fix(p)
	case Backoff:
		q.backoff.fix(p)
	case ErrorBackoff:
		q.errored.fix(p)
	}
	q.updateNomination(old, updated)
}

func (q *Queue) updateUnschedulable(p *Pod, old, updated *v1.Pod) {
	q.unschedulablePods.unindex(p)
	q.set(p, updated)
	q.unschedulablePods.index(p)
	q.updateNomination(old, updated)
	if q.opts.RequeueRule == MoveRequestCycle {
		if isPodUpdated(old, updated) {
			q.requeue(p, queueAfterBackoff, q.labels.update, "")
		}
		return
	}
	for _, event := range PodUpdateEvents(old, updated, q.opts.FeatureGates) {
		in := q.matchFor(event)
		s, plugin := q.isWorthRequeuing(p, in, old, updated)
		if s != queueSkip && q.requeue(p, s, in.label, plugin) {
			return
		}
	}
}

// set replaces the object of a queued pod of the same name.
func (q *Queue) set(p *Pod, pod *v1.Pod) {
	p.set(pod)
	p.profile = q.profiles[pod.Spec.SchedulerName]
	q.sign(p)
}

// Delete removes a deleted pod. A pod in flight stays in flight until Done.
func (q *Queue) Delete(pod *v1.Pod, now time.Time) {
	if p := q.removeNamed(pod, now); p != nil {
		q.recordMove(p, Gone, false, q.labels.delete, "", "")
	}
}

// RemoveAssigned removes a pod because it has a node. A pod still queued here was bound by another scheduler.
func (q *Queue) RemoveAssigned(pod *v1.Pod, node string, now time.Time) {
	if p := q.removeNamed(pod, now); p != nil {
		q.recordMove(p, Gone, false, BoundByOther, "", "bound by another scheduler, to "+node)
	}
}

// BoundElsewhere records that another scheduler bound a pod to a node while its binding to ours was in flight.
func (q *Queue) BoundElsewhere(p *Pod, node, ours string, now time.Time) {
	q.advance(now)
	if i, ok := q.inFlightEvents.find(p.pod.UID); ok {
		q.endFlight(i)
	}
	q.recordMove(p, Gone, false, BoundByOther, "", "bound to "+node+" by "+p.pod.Spec.SchedulerName+", not to "+ours)
}

// removeNamed removes the queued pod of a pod's name, and its nomination. It returns nil if none is queued.
func (q *Queue) removeNamed(pod *v1.Pod, now time.Time) *Pod {
	q.advance(now)
	q.deleteNomination(pod)
	p := q.pods[keyOf(pod)]
	if p != nil {
		q.remove(p)
	}
	return p
}

// Activate moves queued pods to activeQ at once, in the order given. For a pod in flight it records an in-flight event;
// an unknown pod is ignored.
func (q *Queue) Activate(pods []*v1.Pod, now time.Time) {
	q.advance(now)
	for _, pod := range pods {
		if q.activate(pod) {
			continue
		}
		if q.inFlightEvents.has(pod) && q.opts.RequeueRule == QueueingHints {
			q.recordInFlightEvent(q.matchFor(EventForceActivate), nil, pod)
		}
		q.moveRequestCycle = q.schedulingCycle
	}
}

func (q *Queue) activate(pod *v1.Pod) bool {
	p := q.pods[keyOf(pod)]
	if p == nil || p.queuedIn == Active {
		return false
	}
	fromBackoff := !p.queuedIn.InUnschedulablePods()
	if fromBackoff {
		q.detach(p)
	}
	return q.moveToActiveQ(p, ForceActivate, "", fromBackoff && q.opts.PopFromBackoff)
}
