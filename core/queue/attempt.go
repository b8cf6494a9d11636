package queue

import (
	"fmt"
	"time"
)

// Pop takes the pod to schedule next: the head of activeQ or, where that is allowed and activeQ is empty, the pod whose
// back-off ends first. It is then in flight until Done or AddUnschedulableIfNotPresent. Pods that back off after an
// error are never taken early.
func (q *Queue) Pop(now time.Time) (*Pod, bool) {
	q.advance(now)
	for {
		p := q.next()
		if p == nil {
			return nil, false
		}
		p.attempts++
		q.forget(p)
		if _, twin := q.flights.at[identity(p.pod)]; twin {
			q.record(p, Gone, false, Duplicate, "", "")
			continue
		}
		q.takeOff(p)
		return p, true
	}
}

func (q *Queue) next() *Pod {
	if p := q.active.head(); p != nil || !q.opts.PopFromBackoff {
		return p
	}
	p := q.backoff.head()
	if p != nil {
		q.detach(p)
		q.insert(p, Active)
		q.record(p, Active, true, PopFromBackoffQ, "", "")
	}
	return p
}

func (q *Queue) takeOff(p *Pod) {
	q.flights.start(p)
	q.cycle++
	q.record(p, InFlight, true, PodPopped, "", "")
	p.unschedulable, p.pending, p.rejectors = nil, nil, nil
	p.gate, p.gateEvents = "", nil
}

// AddUnschedulableIfNotPresent takes back a pod whose attempt failed. Which plugins turned it down has been said with
// Reject; with none, the failure was an error. cycle is the SchedulingCycle of the attempt. The pod is no longer in
// flight afterwards, even where an error says that its name is already taken.
func (q *Queue) AddUnschedulableIfNotPresent(p *Pod, cycle int64, now time.Time) error {
	q.advance(now)
	p.profile = q.profiles[p.pod.Spec.SchedulerName]
	if err := q.refuses(p); err != nil {
		q.landed(p)
		q.record(p, Gone, false, AlreadyQueued, "", "")
		return err
	}
	q.fail(p)
	s, plugin := q.verdict(p, cycle)
	q.landed(p)
	if s == skip {
		q.park(p, ScheduleAttemptFailure, "", "")
	} else {
		q.requeue(p, s, ScheduleAttemptFailure, plugin)
	}
	return nil
}

// refuses says why a pod that failed cannot come back.
func (q *Queue) refuses(p *Pod) error {
	if other := q.pods[p.key]; other != nil {
		return fmt.Errorf("requeueing pod %q: a pod of this name is already present in the %s queue", p.key, other.place)
	}
	if p.flight != identity(p.pod) && q.flights.has(p.pod) {
		return fmt.Errorf("requeueing pod %q: a pod of this name and UID is being scheduled", p.key)
	}
	return nil
}

// landed ends p's flight, if it is still in one.
func (q *Queue) landed(p *Pod) {
	if i, ok := q.flights.at[p.flight]; ok && p.flight != "" {
		q.land(i)
	}
}

// fail counts a failed attempt, and sets the back-off that follows from it.
func (q *Queue) fail(p *Pod) {
	if len(p.rejectors) == 0 {
		p.consecutiveErrors++
	} else {
		p.unschedulableCount++
		p.consecutiveErrors = 0
	}
	p.timestamp, p.stamp = q.now, q.nextStamp()
	p.backoffExpiration = q.expiration(p)
	q.blamed = append(q.blamed, p.rejectors...)
}

// verdict says what the events during the attempt mean for the pod that failed in it.
func (q *Queue) verdict(p *Pod, cycle int64) (s strategy, plugin string) {
	if q.opts.Rule == MoveRequestCycle {
		return q.verdictByCycle(cycle), ""
	}
	if len(p.rejectors) == 0 {
		return afterBackoff, ""
	}
	events, ok := q.flights.since(p.flight)
	if !ok || p.flight != identity(p.pod) {
		return afterBackoff, "" // it failed after Done, or another pod has taken its name
	}
	for _, f := range events {
		if f.in == nil {
			continue
		}
		one, by := q.worth(p, f.in, f.old, f.updated)
		if one == immediately || (one == afterBackoff && len(p.pending) == 0) {
			return one, by
		}
		if one > s {
			s, plugin = one, by
		}
	}
	return s, plugin
}
