package queue

import (
	"cmp"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
)

// Fork returns an independent copy under its own options: its Profiles and LookupPod read forked state, and its records
// go to another observer. Timers keep their start. Pod objects are shared. The owner of pods in flight finds the fork's
// copies with InFlight, and copies pods past Done with Pod.Clone.
func (q *Queue) Fork(opts Options) *Queue {
	f := q.forkEmpty(opts)
	f.copyPods(q, slices.Concat(q.active.Items, q.backoff.Items, q.errored.Items, slices.Collect(q.unschedulablePods.order.all())))
	return f
}

// ForkNominated returns a fork with only the nominated pods queued: all that explaining one pod needs, at a cost
// independent of the number of queued pods.
func (q *Queue) ForkNominated(opts Options) *Queue {
	f := q.forkEmpty(opts)
	var pods []*Pod
	for _, nominees := range q.byNode {
		for _, n := range nominees {
			if p := q.pods[n.key]; p != nil && !slices.Contains(pods, p) {
				pods = append(pods, p)
			}
		}
	}
	slices.SortFunc(pods, func(a, b *Pod) int { return cmp.Or(byUnschedulableSeq(a, b), cmp.Compare(a.stamp, b.stamp)) })
	f.copyPods(q, pods)
	return f
}

// Freeze returns what CodeState writes of a queue. It costs less than a fork, and is of no other use.
func (q *Queue) Freeze(opts Options) *Queue {
	f := q.forkEmpty(opts)
	room := make([]Pod, 0, len(q.pods))
	copied := func(pods []*Pod) []*Pod {
		own := make([]*Pod, len(pods))
		for i, p := range pods {
			room = append(room, *p)
			own[i] = &room[len(room)-1]
		}
		return own
	}
	f.active.Items, f.backoff.Items, f.errored.Items = copied(q.active.Items), copied(q.backoff.Items), copied(q.errored.Items)
	f.unschedulablePods.order.pods = copied(slices.Collect(q.unschedulablePods.order.all()))
	f.unschedulablePods.added = q.unschedulablePods.added
	return f
}

// forkEmpty returns a fork without queued pods.
func (q *Queue) forkEmpty(opts Options) *Queue {
	f := &Queue{
		pods: map[types.NamespacedName]*Pod{}, schedulingCycle: q.schedulingCycle, moveRequestCycle: q.moveRequestCycle,
		now: q.now, start: q.start, stamps: q.stamps, seq: q.seq, scan: q.scan,
	}
	f.setup(opts)
	for name, pr := range f.profiles {
		if from := q.profiles[name]; from != nil {
			pr.preEnqueueCounts = slices.Clone(from.preEnqueueCounts)
		}
	}
	f.forkInFlight(q)
	f.byNode, f.nodeOf, f.version = maps.Clone(q.byNode), maps.Clone(q.nodeOf), q.version
	for node, nominees := range f.byNode {
		f.byNode[node] = slices.Clone(nominees)
	}
	return f
}

// copyPods copies queued pods in the order given, which is that of the heaps and of unschedulablePods, so that the fork
// has the same layout.
func (q *Queue) copyPods(from *Queue, pods []*Pod) {
	q.pods = make(map[types.NamespacedName]*Pod, len(pods))
	room := make([]Pod, len(pods))
	for i, p := range pods {
		c := &room[i]
		*c = *p
		c.groupEntries, c.leftoverHeap = nil, nil
		c.profile = q.profiles[c.pod.Spec.SchedulerName]
		if p.queuedIn.InUnschedulablePods() {
			q.pods[c.key] = c
			q.unschedulablePods.order.push(c)
			q.unschedulablePods.index(c)
		} else {
			q.insert(c, p.queuedIn)
		}
	}
	q.unschedulablePods.added = from.unschedulablePods.added
}

func (q *Queue) forkInFlight(from *Queue) {
	q.inFlightEvents = inFlightEvents{list: slices.Clone(from.inFlightEvents.list), head: from.inFlightEvents.head, first: from.inFlightEvents.first, markers: maps.Clone(from.inFlightEvents.markers)}
	for i := range q.inFlightEvents.list {
		f := &q.inFlightEvents.list[i]
		switch {
		case f.pod != nil:
			f.pod = f.pod.Clone()
			f.pod.profile = q.profiles[f.pod.pod.Spec.SchedulerName]
		case f.match != nil:
			f.match = q.matchFor(f.match.event)
		}
	}
}
