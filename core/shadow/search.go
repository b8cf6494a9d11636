package shadow

import (
	"cmp"
	"slices"
)

// causes looks for events that explain a real decision; nil if there are none.
func (j *Judge) causes(head *heard, q question, nodes int) []Cause {
	pod := j.places.of[q.uid]
	if pod == nil {
		pod = &place{loose: true}
	}
	toggles := j.toggles(head, q.pod, pod)
	if len(toggles) == 0 {
		return nil
	}
	fork, err := j.engine.Fork()
	if err != nil {
		return nil
	}
	t := &trial{
		question: q, engine: fork, toggles: toggles, flipped: make([]bool, len(toggles)), window: j.window,
		left: j.effort.trials(head.At, nodes),
	}
	defer func() { j.effort.nodes = max(j.effort.nodes-t.made*nodes, 0) }()
	if !t.inOrder() && !t.atAnotherMoment() && !t.oneByOne() {
		return nil
	}
	return t.named()
}

// inOrder supposes what is certain.
func (t *trial) inOrder() bool {
	for i := range t.toggles {
		t.set(i, t.toggles[i].stream == certain)
	}
	return t.measure() == 0
}

// atAnotherMoment supposes that the other scheduler had seen more or less of each stream.
func (t *trial) atAnotherMoment() bool {
	for range 2 {
		for _, s := range []stream{comings, lesser, elsewhere, loose} {
			if t.slide(s); t.at == 0 {
				return true
			}
		}
	}
	return false
}

// slide finds how much of a stream brings agreement nearest: all of it, less and less from its end, or nothing.
func (t *trial) slide(s stream) {
	list := t.all(func(g *toggle) bool { return g.stream == s })
	if len(list) == 0 || t.left <= 0 {
		return
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(t.toggles[a].turn, t.toggles[b].turn) })
	stride := len(list)/max(t.left/4, 1) + 1
	best, state := t.at, slices.Clone(t.flipped)
	for seen := len(list); seen >= 0; seen-- {
		if seen == len(list) {
			for _, i := range list {
				t.set(i, t.toggles[i].foreseen)
			}
		} else {
			t.set(list[seen], !t.toggles[list[seen]].foreseen)
		}
		if seen%stride > 0 && seen < len(list) {
			continue
		}
		if t.measure() < best {
			best, state = t.at, slices.Clone(t.flipped)
		}
		if best == 0 || t.left <= 0 {
			break
		}
	}
	t.restore(state)
	t.again()
}

// oneByOne supposes single events, each of which must bring agreement nearer.
func (t *trial) oneByOne() bool {
	for flips := 0; t.at > 0 && flips < mostFlips; flips++ {
		if !t.nearer() {
			break
		}
	}
	return t.at == 0
}

// nearer flips the one event that brings agreement nearest, and tells whether there is one. Those about the nodes in
// question are tried first.
func (t *trial) nearer() bool {
	before, rivals := t.at, t.rivals
	asked := func(node string) bool { return node == t.node || rivals[node] }
	best, at := -1, before
	for _, relevant := range []bool{true, false} {
		for i := range t.toggles {
			g := &t.toggles[i]
			if !g.single() || g.off > t.window || g.touches(asked) != relevant {
				continue
			}
			if t.left <= 0 || best >= 0 && at == 0 {
				break
			}
			was := t.flipped[i]
			t.set(i, !was)
			if t.measure() < at {
				best, at = i, t.at
			}
			t.set(i, was)
		}
		if best >= 0 {
			break
		}
	}
	t.at, t.rivals = before, rivals
	if best < 0 {
		return false
	}
	t.set(best, !t.flipped[best])
	t.again()
	return true
}

// single tells whether an event may have been seen at another time whatever the others were.
func (g *toggle) single() bool {
	return g.stream == loose || g.stream == elsewhere || g.stream == lesser
}
