package queue

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// queueingStrategy is the effect of an event on a pod.
type queueingStrategy uint8

const (
	queueSkip         queueingStrategy = iota // it does not help
	queueAfterBackoff                         // it may help: retry once the back-off is over
	queueImmediately                          // what a plugin waited for has come: retry at once
)

// Move applies a change in the cluster. The pods in unschedulablePods that it may help move to activeQ, or to backoffQ
// while they back off. precheck, if given, limits the event to some pods. For pods in flight the event is kept until
// they fail. An event that no plugin registered is ignored.
func (q *Queue) Move(event fwk.ClusterEvent, old, updated any, now time.Time, precheck func(*v1.Pod) bool) {
	q.advance(now)
	in := q.matchFor(event)
	if !in.registered {
		return
	}
	stays := func(group *heldGroup) bool {
		return precheck == nil && q.staysHeld(group, in, old, updated)
	}
	for _, p := range q.candidates(in, stays) {
		if precheck == nil || precheck(p.pod) {
			q.moveOne(p, in, old, updated)
		}
	}
	q.recordMoveRequest(in, old, updated)
}

// recordMoveRequest records an event for the pods in flight.
func (q *Queue) recordMoveRequest(in *eventMatch, old, updated any) {
	q.moveRequestCycle = q.schedulingCycle
	if q.opts.RequeueRule == QueueingHints && len(q.inFlightEvents.markers) > 0 {
		q.recordInFlightEvent(in, old, updated)
	}
}

func (q *Queue) moveOne(p *Pod, in *eventMatch, old, updated any) {
	if p.gate != "" && !(q.opts.FlushGated && in.wildcard) && !matchesAny(p.gateEvents, in.event) {
		return
	}
	s, plugin := q.isWorthRequeuing(p, in, old, updated)
	if s == queueSkip {
		return
	}
	q.detach(p)
	q.requeue(p, s, in.label, plugin)
}

// isWorthRequeuing runs the hints of the plugins that rejected p, and returns the plugin that decided. A pending
// plugin's Queue takes precedence; an error counts as Queue.
func (q *Queue) isWorthRequeuing(p *Pod, in *eventMatch, old, updated any) (s queueingStrategy, plugin string) {
	if len(p.rejectors) == 0 || q.opts.RequeueRule == MoveRequestCycle {
		return queueAfterBackoff, ""
	}
	if in.wildcard {
		if pod, ok := updated.(*v1.Pod); updated != nil && (!ok || identity(pod) != identity(p.pod)) {
			return queueSkip, ""
		}
		return queueAfterBackoff, ""
	}
	if p.profile == nil {
		return queueAfterBackoff, ""
	}
	for _, h := range in.hints[p.profile.number] {
		if !slices.Contains(p.rejectors, h.plugin) || !q.runHint(p, h, in.label, old, updated) {
			continue
		}
		if p.pending.Has(h.plugin) {
			return queueImmediately, h.plugin
		}
		if len(p.pending) == 0 {
			return queueAfterBackoff, h.plugin
		}
		if s == queueSkip {
			s, plugin = queueAfterBackoff, h.plugin
		}
	}
	return s, plugin
}

func (q *Queue) runHint(p *Pod, h hint, label string, old, updated any) bool {
	answer, err := h.fn(q.opts.Logger, p.pod, old, updated)
	// A hint that fails counts as Queue: a try too many costs an attempt, and one too few a pod that stays pending (KEP-4247).
	verdict := HintResultQueue
	switch {
	case err != nil:
		verdict = HintResultError
	case answer == fwk.QueueSkip:
		verdict = HintResultSkip
	}
	q.recordHintRun(p, label, h.plugin, verdict)
	return verdict != HintResultSkip
}

// requeue moves p by the strategy, and reports whether p is now in activeQ or backoffQ.
func (q *Queue) requeue(p *Pod, s queueingStrategy, label, plugin string) bool {
	if s == queueAfterBackoff && q.isBackingOff(p) {
		return q.moveToBackoffQ(p, label, plugin)
	}
	return q.moveToActiveQ(p, label, plugin, false)
}
