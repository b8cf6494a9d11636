package queue

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// Counts say how many pods are where.
type Counts struct {
	Active, Backoff, ErrorBackoff, Unschedulable, Gated, InFlight int
}

// Counts say how many pods are where, without counting.
func (q *Queue) Counts() Counts {
	return Counts{
		Active: q.active.len(), Backoff: q.backoff.len(), ErrorBackoff: q.errored.len(),
		Unschedulable: q.parked.len() - q.parked.gated, Gated: q.parked.gated, InFlight: len(q.flights.at),
	}
}

// Len is how many pods there are, those in flight included.
func (q *Queue) Len() int { return len(q.pods) + len(q.flights.at) }

// Get finds a waiting pod by name. The pod is the queue's own.
func (q *Queue) Get(namespace, name string) (*Pod, bool) {
	p, ok := q.pods[types.NamespacedName{Namespace: namespace, Name: name}]
	return p, ok
}

// StateOf is where the pod of a name is.
func (q *Queue) StateOf(namespace, name string) State {
	key := types.NamespacedName{Namespace: namespace, Name: name}
	if p := q.pods[key]; p != nil {
		return p.place
	}
	for i := range q.flights.list {
		if p := q.flights.list[i].pod; p != nil && p.key == key {
			return InFlight
		}
	}
	return Gone
}

// InFlight are the pods being scheduled, in the order in which they were popped. They are the queue's own.
func (q *Queue) InFlight() []*Pod {
	pods := make([]*Pod, 0, len(q.flights.at))
	for i := range q.flights.list {
		if p := q.flights.list[i].pod; p != nil {
			pods = append(pods, p)
		}
	}
	return pods
}

// Active are copies of the pods in activeQ, in the order in which they would be popped.
func (q *Queue) Active() []*Pod { return copies(q.active.pods, q.active.less) }

// Backoff are copies of the pods that back off, those after errors included, the first to be released first.
func (q *Queue) Backoff() []*Pod {
	return copies(append(slices.Clone(q.backoff.pods), q.errored.pods...), q.backoff.less)
}

// Unschedulable are copies of the pods parked after an attempt, the longest parked first.
func (q *Queue) Unschedulable() []*Pod { return q.parkedAs(Unschedulable) }

// Gated are copies of the pods that a PreEnqueue plugin holds back, the longest held first.
func (q *Queue) Gated() []*Pod { return q.parkedAs(Gated) }

func (q *Queue) parkedAs(place State) []*Pod {
	var pods []*Pod
	for p := range q.parked.line.all() {
		if p.place == place {
			pods = append(pods, p)
		}
	}
	return copies(pods, func(a, b *Pod) bool { return a.parkedAs < b.parkedAs })
}

// copies are copies of pods in a total order.
func copies(pods []*Pod, less func(a, b *Pod) bool) []*Pod {
	room := make([]Pod, len(pods))
	list := make([]*Pod, len(pods))
	for i, p := range pods {
		room[i] = *p
		room[i].seats, room[i].age = nil, nil
		list[i] = &room[i]
	}
	slices.SortFunc(list, func(a, b *Pod) int {
		switch {
		case less(a, b):
			return -1
		case less(b, a):
			return 1
		}
		return 0
	})
	return list
}

var (
	anything = fwk.ClusterEvent{Resource: fwk.WildCard, ActionType: fwk.All}
	listed   = func() []fwk.ClusterEvent {
		var events []fwk.ClusterEvent
		for _, r := range sortedKeys(movesEverything) {
			if r != AssignedPod && r != UnschedulablePod {
				events = append(events, fwk.ClusterEvent{Resource: r, ActionType: fwk.All})
			}
		}
		return events
	}()
)

// Awaits are the events that would move a parked pod, unless a hint says that the very change does not help: those that
// its rejectors registered or, for a gated pod, the one that gates it. It is nil for a pod that is not parked, or that
// no event would move.
func (q *Queue) Awaits(p *Pod) []fwk.ClusterEvent {
	switch {
	case !p.state.Parked():
		return nil
	case p.gate != "":
		return slices.Clone(p.gateEvents)
	case q.opts.Rule == MoveRequestCycle:
		return q.awaitsListed()
	}
	pr := q.profiles[p.pod.Spec.SchedulerName]
	if pr == nil || len(p.rejectors) == 0 {
		return []fwk.ClusterEvent{anything}
	}
	var events []fwk.ClusterEvent
	for _, plugin := range p.rejectors {
		events = appendNew(events, pr.Hints.events(plugin)...)
	}
	return events
}

// awaitsListed are the events that move everything under the rule MoveRequestCycle.
func (q *Queue) awaitsListed() []fwk.ClusterEvent {
	events := slices.Clone(listed)
	for _, name := range sortedKeys(q.profiles) {
		if h := q.profiles[name].Hints; h != nil {
			for _, r := range h.all {
				events = appendNew(events, r.event)
			}
		}
	}
	return events
}

// Known tells whether the queue has a pod of this name and UID, waiting or in flight.
func (q *Queue) Known(pod *v1.Pod) bool {
	p := q.pods[keyOf(pod)]
	return (p != nil && p.pod.UID == pod.UID) || q.flights.has(pod)
}
