package queue

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Fork is a copy that goes its own way from here, under its own options: its Profiles and Pods look at state that is
// forked as well, and its records go elsewhere. Only its timers keep the time at which they were started. Pod objects
// are shared; whoever holds pods in flight finds the fork's own with InFlight, and copies those that are past Done with
// Pod.Clone.
func (q *Queue) Fork(opts Options) *Queue {
	f := q.forkBare(opts)
	f.take(q, slices.Concat(q.active.pods, q.backoff.pods, q.errored.pods, slices.Collect(q.parked.line.all())))
	return f
}

// ForkNominated is a fork in which only those pods wait that are nominated for a node: all that a question about one pod
// looks at, at a price that does not depend on how many wait.
func (q *Queue) ForkNominated(opts Options) *Queue {
	f := q.forkBare(opts)
	var pods []*Pod
	for _, nominees := range q.byNode {
		for _, n := range nominees {
			if p := q.pods[n.key]; p != nil && !slices.Contains(pods, p) {
				pods = append(pods, p)
			}
		}
	}
	slices.SortFunc(pods, func(a, b *Pod) int { return cmp.Or(byParking(a, b), cmp.Compare(a.stamp, b.stamp)) })
	f.take(q, pods)
	return f
}

// forkBare is a fork in which nobody waits yet.
func (q *Queue) forkBare(opts Options) *Queue {
	f := &Queue{
		pods: map[types.NamespacedName]*Pod{}, cycle: q.cycle, moveRequest: q.moveRequest,
		now: q.now, start: q.start, stamps: q.stamps, seq: q.seq, picks: q.picks,
	}
	f.setup(opts)
	for name, pr := range f.profiles {
		if from := q.profiles[name]; from != nil {
			pr.gates = slices.Clone(from.gates)
		}
	}
	f.forkFlights(q)
	f.byNode, f.nodeOf = maps.Clone(q.byNode), maps.Clone(q.nodeOf)
	for node, nominees := range f.byNode {
		f.byNode[node] = slices.Clone(nominees)
	}
	return f
}

// take copies waiting pods, those of every heap in its order, so that the fork is no different in layout either, and
// parked ones in theirs.
func (q *Queue) take(from *Queue, pods []*Pod) {
	q.pods = make(map[types.NamespacedName]*Pod, len(pods))
	room := make([]Pod, len(pods))
	for i, p := range pods {
		c := &room[i]
		*c = *p
		c.seats, c.age = nil, nil
		c.profile = q.profiles[c.pod.Spec.SchedulerName]
		if p.place.Parked() {
			q.pods[c.key] = c
			q.parked.line.push(c)
			q.parked.seat(c)
		} else {
			q.insert(c, p.place)
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
