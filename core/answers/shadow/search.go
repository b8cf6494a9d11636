package shadow

import (
	"cmp"
	"slices"

	"orrery/core/world"
)

// causes searches for events that explain a real decision; nil if there are none. It reports whether it has searched: too many
// differences at once leave no budget.
func (j *Comparator) causes(head *numberedInput, q realDecision, nodes int) (found []Cause, searched bool) {
	allowed := j.budget.allow(head.At, nodes, j.engine.Store().Len(world.Pod))
	if allowed == 0 {
		return nil, false
	}
	return j.search(head, q, nodes, allowed), true
}

func (j *Comparator) search(head *numberedInput, q realDecision, nodes, allowed int) []Cause {
	pod := j.queue.byUID[q.uid]
	if pod == nil {
		pod = &queuePlace{unordered: true}
	}
	toggles := j.reorderableEvents(head, q.pod, pod)
	if len(toggles) == 0 {
		return nil
	}
	fork, err := j.engine.Fork()
	if err != nil {
		return nil
	}
	t := newCounterfactual(q, fork, toggles)
	t.window, t.rankingsLeft = j.window, allowed
	defer func() { j.budget.nodes = max(j.budget.nodes-t.rankings*nodes, 0) }()
	if !t.tryCertain() && !t.tryStreams() && !t.trySingleEvents() {
		return nil
	}
	return t.minimalCauses()
}

// tryCertain reorders only the events that were certainly seen at another time.
func (t *counterfactual) tryCertain() bool {
	for i := range t.events {
		t.set(i, t.events[i].stream == certainStream)
	}
	return t.measure() == 0
}

// tryStreams varies how much of each stream the other scheduler had seen.
func (t *counterfactual) tryStreams() bool {
	for range 2 {
		for _, s := range []eventStream{podStream, lowerPriorityStream, otherStream, unorderedStream} {
			if t.slide(s); t.current == 0 {
				return true
			}
		}
	}
	return false
}

// slide finds the part of a stream that brings the real node closest to the best: all of it, less and less from its
// end, or nothing.
func (t *counterfactual) slide(s eventStream) {
	list := t.indices(func(g *reorderableEvent) bool { return g.stream == s })
	if len(list) == 0 || t.rankingsLeft <= 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(t.events[a].position, t.events[b].position) })
	stride := len(list)/max(t.rankingsLeft/4, 1) + 1
	best, state := t.current, slices.Clone(t.reordered)
	for seen := len(list); seen >= 0; seen-- {
		if seen == len(list) {
			for _, i := range list {
				t.set(i, t.events[i].seenEarly)
			}
		} else {
			t.set(list[seen], !t.events[list[seen]].seenEarly)
		}
		if seen%stride > 0 && seen < len(list) {
			continue
		}
		if t.measure() < best {
			best, state = t.current, slices.Clone(t.reordered)
		}
		if best == 0 || t.rankingsLeft <= 0 {
			break
		}
	}
	t.restore(state)
	t.remeasure()
}

// trySingleEvents reorders single events, each of which must bring the real node closer.
func (t *counterfactual) trySingleEvents() bool {
	for n := 0; t.current > 0 && n < maxReordered; n++ {
		if !t.trySingleEvent() {
			break
		}
	}
	return t.current == 0
}

// trySingleEvent reorders the one event that helps most, and reports whether there is one. It tries events about the
// real node and its rivals first.
func (t *counterfactual) trySingleEvent() bool {
	before, rivals := t.current, t.rivals
	involved := func(node string) bool { return node == t.node || rivals[node] }
	best, at := -1, before
	for _, relevant := range []bool{true, false} {
		for i := range t.events {
			g := &t.events[i]
			if !g.independent() || g.offset > t.window || g.concerns(involved) != relevant {
				continue
			}
			if t.rankingsLeft <= 0 || best >= 0 && at == 0 {
				break
			}
			was := t.reordered[i]
			t.set(i, !was)
			if t.measure() < at {
				best, at = i, t.current
			}
			t.set(i, was)
		}
		if best >= 0 {
			break
		}
	}
	t.current, t.rivals = before, rivals
	if best < 0 {
		return false
	}
	t.set(best, !t.reordered[best])
	t.remeasure()
	return true
}

// independent reports whether an event may have been seen at another time regardless of the others.
func (g *reorderableEvent) independent() bool {
	return g.stream == unorderedStream || g.stream == otherStream || g.stream == lowerPriorityStream
}
