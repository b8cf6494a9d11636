package queue

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// Counts is the number of pods by state.
type Counts struct {
	Active, Backoff, ErrorBackoff, Unschedulable, Gated, InFlight int
}

// Counts returns the number of pods by state; it does not iterate.
func (q *Queue) Counts() Counts {
	return Counts{
		Active: len(q.active.Items), Backoff: len(q.backoff.Items), ErrorBackoff: len(q.errored.Items),
		Unschedulable: q.unschedulablePods.len() - q.unschedulablePods.gated, Gated: q.unschedulablePods.gated, InFlight: len(q.inFlightEvents.markers),
	}
}

// Len is the number of pods, including those in flight.
func (q *Queue) Len() int { return len(q.pods) + len(q.inFlightEvents.markers) }

// Get returns a queued pod by name. The pod is the queue's own.
func (q *Queue) Get(namespace, name string) (*Pod, bool) {
	p, ok := q.pods[types.NamespacedName{Namespace: namespace, Name: name}]
	return p, ok
}

// StateOf is the state of the pod with a name.
func (q *Queue) StateOf(namespace, name string) State {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	if p := q.pods[key]; p != nil {
		return p.queuedIn
	}
	for i := range q.inFlightEvents.list {
		if p := q.inFlightEvents.list[i].pod; p != nil && p.key == key {
			return InFlight
		}
	}
	return Gone
}

// InFlight returns the pods in flight, in the order in which they were popped. They are the queue's own.
func (q *Queue) InFlight() []*Pod {
	pods := make([]*Pod, 0, len(q.inFlightEvents.markers))
	for i := range q.inFlightEvents.list {
		if p := q.inFlightEvents.list[i].pod; p != nil {
			pods = append(pods, p)
		}
	}
	return pods
}

var (
	anyEvent     = fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All}
	alwaysMoving = func() []fwk.ClusterEvent {
		var events []fwk.ClusterEvent
		for _, r := range sortedKeys(alwaysMovingResources) {
			if r != fwk.AssignedPod && r != UnschedulablePod && r != fwk.UnscheduledPod && r != fwk.TargetPod {
				events = append(events, fwk.ClusterEvent{Resource: r, ActionType: fwk.All})
			}
		}
		return events
	}()
)

// RequeuesOn returns the events that would requeue a pod, unless a hint skips the particular change: those that its
// rejecting plugins registered or, for a gated pod, its gating plugin. It is nil for a pod that is not in
// unschedulablePods, or that no event would requeue.
func (q *Queue) RequeuesOn(p *Pod) []fwk.ClusterEvent {
	switch {
	case !p.state.InUnschedulablePods():
		return nil
	case p.gate != "":
		return slices.Clone(p.gateEvents)
	case q.opts.RequeueRule == MoveRequestCycle:
		return q.moveRequestEvents()
	}
	pr := q.profiles[p.pod.Spec.SchedulerName]
	if pr == nil || len(p.rejectors) == 0 {
		return []fwk.ClusterEvent{anyEvent}
	}
	var events []fwk.ClusterEvent
	for _, plugin := range p.rejectors {
		events = appendNew(events, pr.Hints.eventsOf(plugin)...)
	}
	return events
}

// moveRequestEvents returns the events that move every pod under MoveRequestCycle.
func (q *Queue) moveRequestEvents() []fwk.ClusterEvent {
	events := slices.Clone(alwaysMoving)
	for _, name := range sortedKeys(q.profiles) {
		if h := q.profiles[name].Hints; h != nil {
			for _, r := range h.all {
				events = appendNew(events, r.event)
			}
		}
	}
	return events
}

// Has reports whether a pod of this name and UID is queued or in flight.
func (q *Queue) Has(pod *v1.Pod) bool {
	p := q.pods[keyOf(pod)]
	return (p != nil && p.pod.UID == pod.UID) || q.inFlightEvents.has(pod)
}
