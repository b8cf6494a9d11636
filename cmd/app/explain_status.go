package app

import (
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/evict/observer"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
)

// podStatus is a pod's state in the scheduler.
type podStatus struct {
	State string `json:"state"`
	// Terminating is its deletion; nil for a pod that is not being deleted.
	Terminating *terminating `json:"terminating,omitempty"`
	Node        string       `json:"node,omitempty"`
	Since       moment       `json:"since,omitempty"`
	Attempts    int          `json:"attempts"`
	RetryAt     moment       `json:"retryAt,omitempty"`
	Gates       []string     `json:"schedulingGates,omitempty"`
	RejectedBy  []string     `json:"rejectedBy,omitempty"`
	// RequeuesOn are the events that requeue it, in words, and RetryBy is when it is tried without one.
	RequeuesOn []string `json:"requeuesOn,omitempty"`
	RetryBy    moment   `json:"retryBy,omitempty"`
	// OutOfMemory are the containers that the kernel killed as memory ran out, each with its last kill.
	OutOfMemory []oomKill `json:"outOfMemory,omitempty"`
	// Queue is where it stands in a scheduler that was attached to.
	Queue *queuePosition `json:"queue,omitempty"`

	in                    engine.PodState // what it is to the scheduler, also while it is being deleted
	since, retry, retryBy time.Time
}

// terminating is a diagnose.Termination.
type terminating struct {
	Since      moment   `json:"since"`
	Until      moment   `json:"until"`
	Cause      string   `json:"cause,omitempty"`
	By         string   `json:"by,omitempty"`
	Finalizers []string `json:"finalizers"`
}

// oomKill is the last kill of a container as memory ran out.
type oomKill struct {
	Container string `json:"container"`
	At        moment `json:"at"`
	Restarts  int32  `json:"restarts"`
}

func oomKillsOf(pod *v1.Pod) (all []oomKill) {
	for i := range pod.Status.ContainerStatuses {
		s := &pod.Status.ContainerStatuses[i]
		if at, number := observer.LastOOMKill(s); number >= 0 {
			all = append(all, oomKill{s.Name, momentOf(at), s.RestartCount})
		}
	}
	return all
}

// podStatusOf returns a pod's state with its time and causes.
func podStatusOf(e *engine.Engine, pod *v1.Pod, l *diagnose.Lifecycle) podStatus {
	in := e.PodState(pod.Namespace, pod.Name)
	w := podStatus{State: l.State(in), Node: l.Node, OutOfMemory: oomKillsOf(pod), in: in}
	for _, gate := range pod.Spec.SchedulingGates {
		w.Gates = append(w.Gates, gate.Name)
	}
	transitions := e.PodTransitions(pod.UID)
	if t := l.Termination; t != nil {
		w.Terminating = &terminating{momentOf(t.Since), momentOf(t.Until), string(t.Cause), t.By, append([]string{}, t.Finalizers...)}
		w.since, w.Since = t.Since, momentOf(t.Since)
		return w
	}
	if len(transitions) == 0 {
		return w
	}
	last := transitions[len(transitions)-1]
	w.Attempts, w.since, w.Since = last.Attempts, last.At, momentOf(last.At)
	if last.To == queue.Backoff || last.To == queue.ErrorBackoff {
		w.retry, w.RetryAt = last.Until, momentOf(last.Until)
	}
	if last.To == queue.Unschedulable {
		w.RejectedBy = last.NewRejectors
	}
	w.setQueueing(diagnose.QueueingOf(e, pod))
	return w
}

// setQueueing adds what ends the wait of a pod in unschedulablePods.
func (w *podStatus) setQueueing(q *diagnose.Queueing) {
	if q == nil || q.RequeuesOn == nil {
		return
	}
	w.RequeuesOn = q.RequeuesOn
	if !q.RetryBy.IsZero() {
		w.retryBy, w.RetryBy = q.RetryBy, momentOf(q.RetryBy)
	}
}

// words returns the status as text.
func (w podStatus) words() string {
	switch {
	case w.Terminating != nil && w.Node != "":
		return "terminating on " + printable.Line(w.Node, 100)
	case w.Terminating != nil:
		return "terminating"
	}
	switch w.in {
	case engine.StateGated:
		if len(w.Gates) > 0 {
			return "gated by " + printable.Line(strings.Join(w.Gates, ", "), 200)
		}
		return "gated"
	case engine.StateBackoff:
		return "in backoffQ"
	case engine.StateUnschedulable:
		return "in unschedulablePods"
	case engine.StateActive:
		return "in activeQ"
	case engine.StateScheduling:
		return "waiting for extenders"
	case engine.StateWaiting:
		return "waiting on Permit for " + printable.Line(w.Node, 100)
	case engine.StateBinding:
		return "binding to " + printable.Line(w.Node, 100)
	case engine.StateBound:
		if w.Node == "" {
			return "bound"
		}
		return "bound to " + printable.Line(w.Node, 100)
	}
	return "not in the scheduler"
}
