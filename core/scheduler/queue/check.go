package queue

import (
	"errors"
	"fmt"
	"slices"
)

// Check looks for inconsistencies in the queue: a pod that is in no state or in two, a heap out of order, an
// unschedulable pod that an event would not find, in-flight events or nominations that contradict their index. It
// visits every pod, so it is for tests.
func (q *Queue) Check() error {
	return errors.Join(q.checkPlaces(), q.checkHeaps(), q.checkGroups(), q.checkUnschedulableOrder(), q.checkInFlight(), q.checkNominations())
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
			if p.queuedIn != held[p] || p.state != held[p] {
				return fmt.Errorf("pod %q is in %s, but says %s and was last recorded in %s", p.key, held[p], p.queuedIn, p.state)
			}
			if q.pods[p.key] != p || p.key != keyOf(p.pod) {
				return fmt.Errorf("pod %q is in %s, but not found by its name", p.key, place)
			}
			if q.inFlightEvents.has(p.pod) {
				return fmt.Errorf("pod %q is in %s and in flight", p.key, place)
			}
		}
		return nil
	}
	err := errors.Join(take(Active, q.active.Items), take(Backoff, q.backoff.Items), take(ErrorBackoff, q.errored.Items),
		take(Unschedulable, slices.Collect(q.unschedulablePods.order.all())))
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
		{"leftover", &q.unschedulablePods.leftovers},
		{"held", &q.unschedulablePods.exempt},
	} {
		name, h := named.name, named.heap
		for i, p := range h.Items {
			if p.at[h.slot] != i {
				errs = append(errs, fmt.Errorf("pod %q is at %d of %s, but says %d", p.key, i, name, p.at[h.slot]))
			}
			if i > 0 && h.Less(p, h.Items[(i-1)/2]) {
				errs = append(errs, fmt.Errorf("pod %q of %s should come before its parent", p.key, name))
			}
		}
	}
	if aged := len(q.unschedulablePods.leftovers.Items) + len(q.unschedulablePods.exempt.Items); aged != q.unschedulablePods.len() {
		errs = append(errs, fmt.Errorf("%d of %d unschedulable pods are indexed by age", aged, q.unschedulablePods.len()))
	}
	return errors.Join(errs...)
}

func (q *Queue) checkGroups() error {
	var errs []error
	gated := 0
	for p := range q.unschedulablePods.order.all() {
		if p.queuedIn == Gated {
			gated++
		}
		for _, s := range p.groupEntries {
			if s.at >= len(s.pods.pods) || s.pods.pods[s.at] != p {
				errs = append(errs, fmt.Errorf("pod %q is not in its group where it says", p.key))
			}
		}
		for _, g := range q.expectedGroups(p) {
			if !slices.ContainsFunc(p.groupEntries, func(s groupEntry) bool { return s.pods == g }) {
				errs = append(errs, fmt.Errorf("unschedulable pod %q would not be found by the events that its rejectors await", p.key))
			}
		}
		if len(p.groupEntries) != len(q.expectedGroups(p)) {
			errs = append(errs, fmt.Errorf("unschedulable pod %q would be found by events that its rejectors do not await", p.key))
		}
	}
	if gated != q.unschedulablePods.gated {
		errs = append(errs, fmt.Errorf("%d pods are gated, but %d are counted", gated, q.unschedulablePods.gated))
	}
	return errors.Join(errs...)
}

// checkUnschedulableOrder compares unschedulableOrder with its counts.
func (q *Queue) checkUnschedulableOrder() error {
	var errs []error
	l := &q.unschedulablePods.order
	counted, live := make([]blockCount, len(l.blocks)), 0
	for i, p := range l.pods {
		if p == nil {
			continue
		}
		live++
		counted[i/orderBlock][blockIndex(p.queuedIn)]++
		if p.position != i {
			errs = append(errs, fmt.Errorf("unschedulable pod %q is at %d of unschedulableOrder, but says %d", p.key, i, p.position))
		}
	}
	if live != l.count || !slices.Equal(counted, l.blocks) {
		errs = append(errs, fmt.Errorf("%d pods are in unschedulableOrder, %v by block, but %d are counted, %v by block", live, counted, l.count, l.blocks))
	}
	if !slices.IsSortedFunc(slices.Collect(l.all()), byUnschedulableSeq) {
		errs = append(errs, errors.New("the unschedulable pods are not in the order in which they arrived"))
	}
	return errors.Join(errs...)
}

// expectedGroups returns the groups that a pod in unschedulablePods belongs to.
func (q *Queue) expectedGroups(p *Pod) []*pluginPods {
	if q.profiles[p.pod.Spec.SchedulerName] == nil || len(p.rejectors) == 0 {
		return []*pluginPods{&q.unschedulablePods.unattributed}
	}
	if group := groupHolding(p); group != nil && slices.Contains(group.pods, p) {
		return []*pluginPods{&group.pluginPods}
	}
	var groups []*pluginPods
	for _, plugin := range sorted(p.unschedulable, p.pending) {
		groups = append(groups, p.profile.rejectedBy(plugin))
	}
	return groups
}

func (q *Queue) checkInFlight() error {
	f, markers := &q.inFlightEvents, 0
	for i := range f.list {
		if i < f.head && f.list[i] != (inFlightEntry{}) {
			return fmt.Errorf("entry %d of the in-flight events is before the head, but not released", i)
		}
		p := f.list[i].pod
		if p == nil {
			continue
		}
		markers++
		if at, ok := f.markers[p.inFlightUID]; !ok || at != f.first+i || p.state != InFlight {
			return fmt.Errorf("pod %q is in flight, but its marker is not found", p.key)
		}
	}
	if markers != len(f.markers) {
		return fmt.Errorf("%d pods are in flight, but %d have a marker", len(f.markers), markers)
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
