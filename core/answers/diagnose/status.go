package diagnose

import (
	"math"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/evict/observer"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// Rate is how fast a running scheduler decides, which tells how long a queued pod waits for its turn.
type Rate struct {
	Decisions int
	Window    time.Duration
}

func (r *Rate) perSecond() float64 {
	if r.Window <= 0 {
		return 0
	}
	return float64(r.Decisions) / r.Window.Seconds()
}

// statusOf is a pod's state in the scheduler with its time and causes.
func statusOf(e *engine.Engine, pod *v1.Pod, l *Lifecycle, q *Question) *answer.Status {
	in := e.PodState(pod.Namespace, pod.Name)
	s := &answer.Status{State: l.State(in), Node: l.Node, Estimated: q.Estimated}
	for i := range pod.Status.ContainerStatuses {
		c := &pod.Status.ContainerStatuses[i]
		if at, number := observer.LastOOMKill(c); number >= 0 {
			s.OutOfMemory = append(s.OutOfMemory, answer.OOMKill{Container: c.Name, At: at.UTC(), Restarts: c.RestartCount})
		}
	}
	for _, gate := range pod.Spec.SchedulingGates {
		s.Gates = append(s.Gates, gate.Name)
	}
	if t := l.Termination; t != nil {
		s.Terminating = &answer.Terminating{Since: t.Since.UTC(), Until: t.Until.UTC(), Cause: string(t.Cause), By: t.By, Finalizers: append([]string{}, t.Finalizers...)}
		s.Since = t.Since.UTC()
		return s
	}
	if all := e.PodTransitions(pod.UID); len(all) > 0 {
		last := all[len(all)-1]
		s.Attempts, s.Since = last.Attempts, last.At.UTC()
		if last.To == queue.Backoff || last.To == queue.ErrorBackoff {
			s.RetryAt = last.Until.UTC()
		}
		if last.To == queue.Unschedulable {
			s.RejectedBy = last.NewRejectors
		}
		if wait := QueueingOf(e, pod); wait != nil && wait.RequeuesOn != nil {
			s.RequeuesOn, s.RetryBy = wait.RequeuesOn, wait.RetryBy
		}
	}
	switch {
	case q.Rate != nil:
		s.Queue = q.Rate.positionOf(e, pod)
	case q.Estimated:
		readConditions(s, in, pod)
	}
	return s
}

// readConditions corrects a pod's state: an engine that has only listed the pod takes it for a new one, and its conditions have the
// result of the cluster's own scheduler.
func readConditions(s *answer.Status, in engine.PodState, pod *v1.Pod) {
	if in != engine.StateActive && in != engine.StateGated {
		return
	}
	s.Since = pod.CreationTimestamp.UTC() // a gated pod is so from the beginning: gates cannot be added
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if in == engine.StateActive && c.Type == v1.PodScheduled && c.Reason == v1.PodReasonUnschedulable {
			s.State, s.Since = string(engine.StateUnschedulable), c.LastTransitionTime.UTC()
		}
	}
}

// queueNames are the queues as kube-scheduler calls them, by the states of their pods.
var queueNames = map[queue.State]string{
	queue.Active: "activeQ", queue.Backoff: "backoffQ", queue.ErrorBackoff: "backoffQ", queue.Unschedulable: "unschedulablePods", queue.Gated: "unschedulablePods",
}

// positionOf returns where a pod stands in a queue of the running scheduler; nil for one that is not queued.
func (r *Rate) positionOf(e *engine.Engine, pod *v1.Pod) *answer.QueuePosition {
	p, queued := e.Queue().Get(pod.Namespace, pod.Name)
	if !queued {
		return nil
	}
	rounded := func(f float64) float64 { return math.Round(f*1e6) / 1e6 }
	state := e.Queue().StateOf(pod.Namespace, pod.Name)
	all := e.Queue().Pods(nil, state)
	d := &answer.QueuePosition{Queue: queueNames[state], Of: len(all), DecisionsPerSecond: rounded(r.perSecond()), LastFailure: world.PendingMessage(pod)}
	if state == queue.Unschedulable || state == queue.Gated {
		return d
	}
	d.Position = 1
	for _, other := range all {
		if e.Queue().Compare(other, p) < 0 {
			d.Position++
		}
	}
	ahead := d.Position
	if state != queue.Active {
		ahead += e.Queue().Counts().Active
	}
	if rate := r.perSecond(); rate > 0 {
		d.WaitSeconds = rounded(float64(ahead) / rate)
		if all := e.PodTransitions(pod.UID); state != queue.Active && len(all) > 0 {
			d.WaitSeconds = max(d.WaitSeconds, rounded(all[len(all)-1].Until.Sub(e.Now()).Seconds()))
		}
	}
	return d
}
