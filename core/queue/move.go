package queue

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// strategy is what an event means for a pod.
type strategy uint8

const (
	skip         strategy = iota // it does not help
	afterBackoff                 // it may help: retry once the back-off is over
	immediately                  // what a plugin waited for has come: retry at once
)

// Move tells the queue that something changed in the cluster. Parked pods that it may help move on: to activeQ, or to
// backoffQ while they back off. precheck, if given, limits the event to some pods. Pods in flight are judged by the
// event when they come back. An event that no plugin registered is ignored.
func (q *Queue) Move(event fwk.ClusterEvent, old, updated any, now time.Time, precheck func(*v1.Pod) bool) {
	q.advance(now)
	in := q.interestIn(event)
	if !in.any {
		return
	}
	for _, p := range q.candidates(in) {
		if precheck == nil || precheck(p.pod) {
			q.moveOne(p, in, old, updated)
		}
	}
	q.moved(in, old, updated)
}

// moved notes that pods have been told of an event.
func (q *Queue) moved(in *interest, old, updated any) {
	q.moveRequest = q.cycle
	if q.opts.Rule == HintRule && len(q.flights.at) > 0 {
		q.note(in, old, updated)
	}
}

func (q *Queue) moveOne(p *Pod, in *interest, old, updated any) {
	if p.gate != "" && !matchesAny(p.gateEvents, in.event) {
		return
	}
	s, plugin := q.worth(p, in, old, updated)
	if s == skip {
		return
	}
	q.detach(p)
	q.requeue(p, s, in.label, plugin)
}

// worth asks the plugins that turned p down whether an event helps it, and names the one that said so. An answer from
// a plugin that waits for this very thing beats the others; an error counts as a yes.
func (q *Queue) worth(p *Pod, in *interest, old, updated any) (s strategy, plugin string) {
	if len(p.rejectors) == 0 || q.opts.Rule == MoveRequestCycle {
		return afterBackoff, ""
	}
	if in.wildcard {
		if pod, ok := updated.(*v1.Pod); updated != nil && (!ok || identity(pod) != identity(p.pod)) {
			return skip, ""
		}
		return afterBackoff, ""
	}
	if p.profile == nil {
		return afterBackoff, ""
	}
	for _, h := range in.hints[p.profile.number] {
		if !slices.Contains(p.rejectors, h.plugin) || !q.ask(p, h, in.label, old, updated) {
			continue
		}
		if p.pending.Has(h.plugin) {
			return immediately, h.plugin
		}
		if len(p.pending) == 0 {
			return afterBackoff, h.plugin
		}
		if s == skip {
			s, plugin = afterBackoff, h.plugin
		}
	}
	return s, plugin
}

func (q *Queue) ask(p *Pod, h hint, label string, old, updated any) bool {
	answer, err := h.ask(q.opts.Logger, p.pod, old, updated)
	verdict := VerdictQueue
	switch {
	case err != nil:
		verdict = VerdictError
	case answer == fwk.QueueSkip:
		verdict = VerdictSkip
	}
	q.answered(p, label, h.plugin, verdict)
	return verdict != VerdictSkip
}

// requeue moves p as a strategy demands, and tells whether it will be popped in time without another event.
func (q *Queue) requeue(p *Pod, s strategy, label, plugin string) bool {
	if s == afterBackoff && q.backingOff(p) {
		return q.toBackoff(p, label, plugin)
	}
	return q.toActive(p, label, plugin, false)
}
