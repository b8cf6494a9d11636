package queue

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Fork is a copy that goes its own way from here, under its own options: its Profiles and Pods look at state that is
// forked as well, and its records go elsewhere. Only its timers keep the time at which they were started. Pod objects
// are shared; whoever holds pods in flight finds the fork's own with InFlight, and copies those that are past Done with
// Pod.Clone.
func (q *Queue) Fork(opts Options) *Queue {
	f := &Queue{
		pods: make(map[types.NamespacedName]*Pod, len(q.pods)), cycle: q.cycle, moveRequest: q.moveRequest,
		now: q.now, start: q.start, stamps: q.stamps, seq: q.seq, picks: q.picks,
	}
	f.setup(opts)
	f.forkWaiting(q)
	f.forkFlights(q)
	f.byNode, f.nodeOf = maps.Clone(q.byNode), maps.Clone(q.nodeOf)
	for node, nominees := range f.byNode {
		f.byNode[node] = slices.Clone(nominees)
	}
	return f
}

// forkWaiting copies the pods of every heap in its order, so that the fork is no different in layout either.
func (q *Queue) forkWaiting(from *Queue) {
	room := make([]Pod, 0, len(from.pods))
	for _, pods := range [...][]*Pod{from.active.pods, from.backoff.pods, from.errored.pods, from.parked.all.pods} {
		for _, p := range pods {
			room = append(room, *p)
			c := &room[len(room)-1]
			c.seats, c.age = nil, nil
			c.profile = q.profiles[c.pod.Spec.SchedulerName]
			if p.place.Parked() {
				q.pods[c.key] = c
				q.parked.seat(c)
			} else {
				q.insert(c, p.place)
			}
		}
	}
	q.parked.parkings = from.parked.parkings
}

func (q *Queue) forkFlights(from *Queue) {
	q.flights = flights{list: slices.Clone(from.flights.list), head: from.flights.head, first: from.flights.first, at: maps.Clone(from.flights.at)}
	for i := range q.flights.list {
		f := &q.flights.list[i]
		switch {
		case f.pod != nil:
			f.pod = f.pod.Clone()
			f.pod.profile = q.profiles[f.pod.pod.Spec.SchedulerName]
		case f.in != nil:
			f.in = q.interestIn(f.in.event)
		}
	}
}
