package reuse

import "iter"

// Window is the part of a list that a search visits: so many positions from the start on, going on at the beginning after the
// last one. Next reports whether the node after them is feasible, too, and one more than wanted.
type Window struct {
	Start, Visited, Feasible int
	Next                     bool
}

// span is the positions from one up to another.
type span struct{ from, to int }

// spans are the positions of a window in order.
func (t *Tree) spans(w Window) [2]span {
	end := w.Start + w.Visited
	return [2]span{{w.Start, min(end, len(t.places))}, {0, max(0, end-len(t.places))}}
}

// Window returns what a search from a start visits that ends before the first feasible node of more than it wants. It computes
// the verdicts that are not known, and returns false if one is not for reuse.
func (t *Tree) Window(start, wanted int, compute Compute) (Window, bool) {
	for {
		w := t.window(start, wanted)
		block := t.staleIn(w, verdicts)
		if block < 0 {
			return w, true
		}
		if !t.judge(block, compute) {
			return Window{}, false
		}
	}
}

// window is the window by the verdicts that are known.
func (t *Tree) window(start, wanted int) Window {
	feasible := int(t.nodes[1].feasible)
	if feasible <= wanted {
		return Window{Start: start, Visited: len(t.places), Feasible: feasible}
	}
	next := t.nth((t.before(start) + wanted) % feasible)
	if next < start {
		next += len(t.places)
	}
	return Window{Start: start, Visited: next - start, Feasible: wanted, Next: true}
}

// before is how many nodes before a position are feasible.
func (t *Tree) before(position int) int {
	block, n := position/blockSize, int32(0)
	for i := t.leaves + block; i > 1; i >>= 1 {
		if i&1 == 1 {
			n += t.nodes[i-1].feasible
		}
	}
	if t.nodes[t.leaves+block].feasible > 0 {
		for at := block * blockSize; at < position; at++ {
			if t.cell(at).Status == nil {
				n++
			}
		}
	}
	return int(n)
}

// nth is the position of a feasible node, of which n are before it.
func (t *Tree) nth(n int) int {
	i, left := 1, int32(n)
	for i < t.leaves {
		i *= 2
		if feasible := t.nodes[i].feasible; feasible <= left {
			left -= feasible
			i++
		}
	}
	at := (i - t.leaves) * blockSize
	for ; ; at++ {
		if t.cell(at).Status != nil {
			continue
		}
		if left == 0 {
			return at
		}
		left--
	}
}

// staleIn is the first block of a window of which a part is not known; -1 if there is none.
func (t *Tree) staleIn(w Window, what part) int {
	for _, s := range t.spans(w) {
		if s.from == s.to {
			continue
		}
		if block := t.nextStale(s.from/blockSize, what); block >= 0 && block*blockSize < s.to {
			return block
		}
	}
	return -1
}

// CountStops adds to each stop how many verdicts of a window, and of the node after it, ended there.
func (t *Tree) CountStops(w Window, stops []int) {
	if w.Next {
		stops[len(stops)-1]++
	}
	if w.Feasible == w.Visited {
		stops[len(stops)-1] += w.Visited
		return
	}
	for _, s := range t.spans(w) {
		t.each(1, t.all(), s, func(i int) {
			for at, n := range t.stopsOf(i) {
				stops[at] += int(n)
			}
		}, func(position int) { stops[t.cell(position).Stop]++ })
	}
}

// all is the positions below the topmost node.
func (t *Tree) all() span { return span{0, t.leaves * blockSize} }

// each goes through a span: by nodes of the tree where they are whole, by positions else.
func (t *Tree) each(i int, below, s span, node func(i int), position func(position int)) {
	from, to := max(below.from, s.from), min(below.to, s.to)
	switch {
	case from >= to:
	case from == below.from && (to == below.to || to == len(t.places)):
		node(i)
	case i >= t.leaves:
		for at := from; at < to; at++ {
			position(at)
		}
	default:
		middle := (below.from + below.to) / 2
		t.each(2*i, span{below.from, middle}, s, node, position)
		t.each(2*i+1, span{middle, below.to}, s, node, position)
	}
}

// Nodes goes through a window, and tells of each position whether its node is feasible.
func (t *Tree) Nodes(w Window) iter.Seq2[int, *Cell] {
	return func(yield func(int, *Cell) bool) {
		for _, s := range t.spans(w) {
			for at := s.from; at < s.to; at++ {
				if !yield(at, t.cell(at)) {
					return
				}
			}
		}
	}
}
