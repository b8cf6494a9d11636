package queue

import (
	"time"

	v1 "k8s.io/api/core/v1"
)

// Add takes in a pod that has just appeared: into activeQ, or parked if a PreEnqueue plugin holds it back. Pods that are
// assigned to a node have no business here and are refused, and so is a pod that is being scheduled at this moment.
func (q *Queue) Add(pod *v1.Pod, now time.Time) {
	q.advance(now)
	if pod.Spec.NodeName != "" || q.flights.has(pod) {
		return
	}
	q.toActive(q.newPod(pod), labelPodAdd, "", false)
}

// Update takes in a new state of a pod. A pod that waits in activeQ or backoffQ keeps waiting there; one that is parked
// moves if the plugins that turned it down say that the change helps; for one in flight the change is kept, to be
// looked at if the attempt fails; and one that nobody knows is new.
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
		// It is assigned: nothing for this queue.
	case p == nil:
		q.toActive(q.newPod(updated), labelPodUpdate, "", false)
	case p.place.Parked():
		q.updateParked(p, old, updated)
	default:
		q.updateWaiting(p, old, updated)
	}
}

func (q *Queue) updateInFlight(old, updated *v1.Pod) bool {
	if !q.flights.has(updated) {
		return false
	}
	if q.opts.Rule == MoveRequestCycle {
		if changedItself(old, updated) {
			q.moveRequest = q.cycle
		}
		return true
	}
	for _, event := range PodUpdates(old, updated, q.opts.Gates) {
		q.note(q.interestIn(event), old, updated)
	}
	return true
}

func (q *Queue) updateWaiting(p *Pod, old, updated *v1.Pod) {
	q.set(p, updated)
	switch p.place {
	case Active:
		q.active.fix(p)
	case Backoff:
		q.backoff.fix(p)
	case ErrorBackoff:
		q.errored.fix(p)
	}
	q.renominate(old, updated)
}

func (q *Queue) updateParked(p *Pod, old, updated *v1.Pod) {
	if before := p.profile; q.set(p, updated) != before {
		q.parked.unseat(p)
		q.parked.seat(p)
	}
	q.renominate(old, updated)
	if q.opts.Rule == MoveRequestCycle {
		if changedItself(old, updated) {
			q.requeue(p, afterBackoff, labelPodUpdate, "")
		}
		return
	}
	for _, event := range PodUpdates(old, updated, q.opts.Gates) {
		in := q.interestIn(event)
		s, plugin := q.worth(p, in, old, updated)
		if s != skip && q.requeue(p, s, in.label, plugin) {
			return
		}
	}
}

// set gives a pod in the queue a new object, whose name is the same; it returns the profile that now schedules it.
func (q *Queue) set(p *Pod, pod *v1.Pod) *profile {
	p.set(pod)
	p.profile = q.profiles[pod.Spec.SchedulerName]
	return p.profile
}

// Delete drops a pod, because it is gone. A pod in flight stays in flight until Done.
func (q *Queue) Delete(pod *v1.Pod, now time.Time) { q.drop(pod, now, labelPodDelete, "") }

// Assigned drops a pod, as Delete does, because it has a node by now. That one was in the queue tells that the node is not
// one that this scheduler gave it.
func (q *Queue) Assigned(pod *v1.Pod, node string, now time.Time) {
	q.drop(pod, now, BoundByOther, "bound by another scheduler, to "+node)
}

func (q *Queue) drop(pod *v1.Pod, now time.Time, event, note string) {
	q.advance(now)
	q.withdraw(pod)
	if p := q.pods[keyOf(pod)]; p != nil {
		q.forget(p)
		q.record(p, Gone, false, event, "", note)
	}
}

// Activate moves pods to activeQ at once, from wherever they wait, in the order given. For a pod in flight the wish is
// kept until its attempt ends; a pod that is not known is passed over.
func (q *Queue) Activate(pods []*v1.Pod, now time.Time) {
	q.advance(now)
	for _, pod := range pods {
		if q.activate(pod) {
			continue
		}
		if q.flights.has(pod) && q.opts.Rule == HintRule {
			q.note(q.interestIn(EventForceActivate), nil, pod)
		}
		q.moveRequest = q.cycle
	}
}

func (q *Queue) activate(pod *v1.Pod) bool {
	p := q.pods[keyOf(pod)]
	if p == nil || p.place == Active {
		return false
	}
	fromBackoff := !p.place.Parked()
	if fromBackoff {
		q.detach(p)
	}
	return q.toActive(p, ForceActivate, "", fromBackoff && q.opts.PopFromBackoff)
}
