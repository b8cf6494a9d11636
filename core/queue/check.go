package queue

import (
	"errors"
	"fmt"
	"slices"
)

// Check looks for a contradiction in the queue: a pod, by name and UID, that is in no place or in two, a heap out of
// order, a parked pod that an event would not find, a list of flights or nominations that does not agree with its
// index. It is for tests; it costs as much as all pods together.
func (q *Queue) Check() error {
	return errors.Join(q.checkPlaces(), q.checkHeaps(), q.checkGroups(), q.checkLine(), q.checkFlights(), q.checkNominations())
}

func (q *Queue) checkPlaces() error {
	held := map[*Pod]State{}
	take := func(place State, pods []*Pod) error {
		for _, p := range pods {
			if other, twice := held[p]; twice {
				return fmt.Errorf("pod %q is in %s and in %s", p.key, other, place)
			}
			held[p] = place
			if place == Unschedulable && p.gate != "" {
				held[p] = Gated
			}
			if p.place != held[p] || p.state != held[p] {
				return fmt.Errorf("pod %q is in %s, but says %s and was last recorded in %s", p.key, held[p], p.place, p.state)
			}
			if q.pods[p.key] != p || p.key != keyOf(p.pod) {
				return fmt.Errorf("pod %q is in %s, but not found by its name", p.key, place)
			}
			if q.flights.has(p.pod) {
				return fmt.Errorf("pod %q is in %s and in flight", p.key, place)
			}
		}
		return nil
	}
	err := errors.Join(take(Active, q.active.pods), take(Backoff, q.backoff.pods), take(ErrorBackoff, q.errored.pods),
		take(Unschedulable, slices.Collect(q.parked.line.all())))
	if err == nil && len(held) != len(q.pods) {
		err = fmt.Errorf("%d pods are known by name, but %d are in a queue", len(q.pods), len(held))
	}
	return err
}

func (q *Queue) checkHeaps() error {
	var errs []error
	for _, named := range []struct {
		name string
		heap *podHeap
	}{
		{"activeQ", &q.active},
		{"backoffQ", &q.backoff},
		{"error backoffQ", &q.errored},
		{"leftover", &q.parked.leftover},
		{"held", &q.parked.held},
	} {
		name, h := named.name, named.heap
		for i, p := range h.pods {
			if p.at[h.slot] != i {
				errs = append(errs, fmt.Errorf("pod %q is at %d of %s, but says %d", p.key, i, name, p.at[h.slot]))
			}
			if i > 0 && h.less(p, h.pods[(i-1)/2]) {
				errs = append(errs, fmt.Errorf("pod %q of %s should come before its parent", p.key, name))
			}
		}
	}
	if parked := q.parked.leftover.len() + q.parked.held.len(); parked != q.parked.len() {
		errs = append(errs, fmt.Errorf("%d of %d parked pods have a place by age", parked, q.parked.len()))
	}
	return errors.Join(errs...)
}

func (q *Queue) checkGroups() error {
	var errs []error
	gated := 0
	for p := range q.parked.line.all() {
		if p.place == Gated {
			gated++
		}
		for _, s := range p.seats {
			if s.at >= len(s.group.pods) || s.group.pods[s.at] != p {
				errs = append(errs, fmt.Errorf("pod %q does not sit where it says", p.key))
			}
		}
		for _, g := range q.groupsOf(p) {
			if !slices.ContainsFunc(p.seats, func(s seat) bool { return s.group == g }) {
				errs = append(errs, fmt.Errorf("parked pod %q would not be found by the events that its rejectors await", p.key))
			}
		}
		if len(p.seats) != len(q.groupsOf(p)) {
			errs = append(errs, fmt.Errorf("parked pod %q would be found by events that its rejectors do not await", p.key))
		}
	}
	if gated != q.parked.gated {
		errs = append(errs, fmt.Errorf("%d pods are gated, but %d are counted", gated, q.parked.gated))
	}
	return errors.Join(errs...)
}

// checkLine compares the line with its counts.
func (q *Queue) checkLine() error {
	var errs []error
	l := &q.parked.line
	counted, live := make([]blockCount, len(l.blocks)), 0
	for i, p := range l.pods {
		if p == nil {
			continue
		}
		live++
		counted[i/lineBlock][kindOf(p.place)]++
		if p.turn != i {
			errs = append(errs, fmt.Errorf("parked pod %q stands at %d in the line, but says %d", p.key, i, p.turn))
		}
	}
	if live != l.live || !slices.Equal(counted, l.blocks) {
		errs = append(errs, fmt.Errorf("%d pods stand in line, %v by block, but %d are counted, %v by block", live, counted, l.live, l.blocks))
	}
	if !slices.IsSortedFunc(slices.Collect(l.all()), byParking) {
		errs = append(errs, errors.New("the parked pods do not stand in the order in which they were parked"))
	}
	return errors.Join(errs...)
}

// groupsOf are the groups that a parked pod belongs to.
func (q *Queue) groupsOf(p *Pod) []*group {
	if q.profiles[p.pod.Spec.SchedulerName] == nil || len(p.rejectors) == 0 {
		return []*group{&q.parked.strays}
	}
	var groups []*group
	for _, plugin := range sorted(p.unschedulable, p.pending) {
		groups = append(groups, p.profile.group(plugin))
	}
	return groups
}

func (q *Queue) checkFlights() error {
	f, markers := &q.flights, 0
	for i := range f.list {
		if i < f.head && f.list[i] != (flight{}) {
			return fmt.Errorf("entry %d of the flights is before the head, but not let go", i)
		}
		p := f.list[i].pod
		if p == nil {
			continue
		}
		markers++
		if at, ok := f.at[p.flight]; !ok || at != f.first+i || p.state != InFlight {
			return fmt.Errorf("pod %q is in flight, but its marker is not found", p.key)
		}
	}
	if markers != len(f.at) {
		return fmt.Errorf("%d pods are in flight, but %d have a marker", len(f.at), markers)
	}
	if markers == 0 && f.head != len(f.list) {
		return fmt.Errorf("no pod is in flight, but %d events are kept", len(f.list)-f.head)
	}
	return nil
}

func (q *Queue) checkNominations() error {
	n := 0
	for _, node := range sortedKeys(q.byNode) {
		if len(q.byNode[node]) == 0 {
			return fmt.Errorf("node %q is kept without a nominated pod", node)
		}
		for _, nominee := range q.byNode[node] {
			if n++; q.nodeOf[nominee.id] != node {
				return fmt.Errorf("pod %q is nominated for %q, but for %q by its UID", nominee.key, node, q.nodeOf[nominee.id])
			}
		}
	}
	if n != len(q.nodeOf) {
		return fmt.Errorf("%d pods are nominated, but %d by their UIDs", n, len(q.nodeOf))
	}
	return nil
}
