package queue

import (
	"fmt"
	"time"
)

// Pop returns the next pod to schedule: the head of activeQ or, with PopFromBackoff and an empty activeQ, the head of
// backoffQ. The pod is in flight until Done or AddUnschedulableIfNotPresent. Pods that back off after an error are
// never popped early.
func (q *Queue) Pop(now time.Time) (*Pod, bool) {
	q.advance(now)
	for {
		p := q.next()
		if p == nil {
			return nil, false
		}
		p.attempts++
		q.remove(p)
		// Something queued the pod although it is being scheduled. A second marker would take the place of
		// the first, whose events would then stay for good (kubernetes PR 127016).
		if _, twin := q.inFlightEvents.markers[identity(p.pod)]; twin {
			q.recordMove(p, Gone, false, Duplicate, "", "")
			continue
		}
		q.startFlight(p)
		return p, true
	}
}

func (q *Queue) next() *Pod {
	if p := q.active.head(); p != nil || !q.opts.PopFromBackoff {
		return p
	}
	// A pod is tried before its back-off ends rather than have the scheduler idle (KEP-5142). Back-off after an error spares the API
	// server, so those pods wait in a heap of their own.
	p := q.backoff.head()
	if p != nil {
		q.detach(p)
		q.insert(p, Active)
		q.recordMove(p, Active, true, PopFromBackoffQ, "", "")
	}
	return p
}

func (q *Queue) startFlight(p *Pod) {
	q.inFlightEvents.add(p)
	q.schedulingCycle++
	q.recordMove(p, InFlight, true, PodPopped, "", "")
	p.unschedulable, p.pending, p.rejectors = nil, nil, nil
	p.gate, p.gateNote, p.gateEvents = "", "", nil
}

// AddUnschedulableIfNotPresent requeues a pod whose attempt failed. Pod.Reject has set the rejecting plugins; without
// any, the failure was an error. cycle is the SchedulingCycle of the attempt. The pod is no longer in flight
// afterwards, even if the method returns an error because its name is taken.
func (q *Queue) AddUnschedulableIfNotPresent(p *Pod, cycle int64, now time.Time) error {
	q.advance(now)
	p.profile = q.profiles[p.pod.Spec.SchedulerName]
	if err := q.requeueConflict(p); err != nil {
		q.endFlightOf(p)
		q.recordMove(p, Gone, false, AlreadyQueued, "", "")
		return err
	}
	q.countFailure(p)
	s, plugin := q.strategyAfterFailure(p, cycle)
	q.endFlightOf(p)
	if s == queueSkip {
		q.addUnschedulable(p, ScheduleAttemptFailure, "", "")
	} else {
		q.requeue(p, s, ScheduleAttemptFailure, plugin)
	}
	return nil
}

// requeueConflict returns why a failed pod cannot be requeued.
func (q *Queue) requeueConflict(p *Pod) error {
	if other := q.pods[p.key]; other != nil {
		return fmt.Errorf("requeueing pod %q: a pod of this name is already present in the %s queue", p.key, other.queuedIn)
	}
	if p.inFlightUID != identity(p.pod) && q.inFlightEvents.has(p.pod) {
		return fmt.Errorf("requeueing pod %q: a pod of this name and UID is being scheduled", p.key)
	}
	return nil
}

// endFlightOf ends p's flight if p is still in flight.
func (q *Queue) endFlightOf(p *Pod) {
	if i, ok := q.inFlightEvents.markers[p.inFlightUID]; ok && p.inFlightUID != "" {
		q.endFlight(i)
	}
}

// countFailure counts a failed attempt and sets the resulting back-off. Errors have a count of their own: their back-off spares the API
// server and ends with the first answer, while that of rejections grows as long as the pod wastes attempts (kubernetes issue 128744).
func (q *Queue) countFailure(p *Pod) {
	if len(p.rejectors) == 0 {
		p.consecutiveErrors++
	} else {
		p.unschedulableCount++
		p.consecutiveErrors = 0
	}
	p.timestamp, p.stamp, p.flushed = q.now, q.nextStamp(), time.Time{}
	p.wasFlushed = false
	p.backoffExpiration = q.backoffExpirationOf(p)
	q.newRejectors = append(q.newRejectors, p.rejectors...)
}

// strategyAfterFailure evaluates the events during the failed attempt.
func (q *Queue) strategyAfterFailure(p *Pod, cycle int64) (s queueingStrategy, plugin string) {
	if q.opts.RequeueRule == MoveRequestCycle {
		return q.strategyByCycle(cycle), ""
	}
	if len(p.rejectors) == 0 {
		// No plugin rejected the pod, so no hint would ever requeue it.
		return queueAfterBackoff, ""
	}
	events, ok := q.inFlightEvents.since(p.inFlightUID)
	if !ok || p.inFlightUID != identity(p.pod) {
		return queueAfterBackoff, "" // it failed after Done, or its identity has changed
	}
	// The plugins rejected the pod on what they saw at the start of the attempt, so every event since then may help it (KEP-4247).
	for _, f := range events {
		if f.match == nil {
			continue
		}
		one, by := q.isWorthRequeuing(p, f.match, f.old, f.updated)
		if one == queueImmediately || (one == queueAfterBackoff && len(p.pending) == 0) {
			return one, by
		}
		if one > s {
			s, plugin = one, by
		}
	}
	return s, plugin
}
