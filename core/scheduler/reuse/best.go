package reuse

import (
	"math"
	"math/bits"
	"slices"
)

// Scores are a part of the totals of nodes, by classes of these.
type Scores struct {
	Classes *Classes
	// Present are the classes that a feasible node is in, and Score has theirs, by class.
	Present []int32
	Score   []int64
	most    int64
}

// Best is the best total of the feasible nodes, and how many have it.
type Best struct {
	Total int64
	Ties  int
}

// ranking has the two best totals found so far, and the nodes that have them. Of the second best, nodes may be missing while more
// than one has the best.
type ranking struct {
	parts  []Scores
	totals [2]int64
	nodes  [2]Bitmap
	counts [2]int
	rooms  []Bitmap // for the nodes of one class of each of the first parts
}

// Present appends the classes that a feasible node is in.
func (f *Found) Present(classes *Classes, to []int32) []int32 {
	f.findRanges()
	for class := range classes.sets {
		if set := &classes.sets[class]; set.count > 0 && set.meets(f.feasible, f.ranges) {
			to = append(to, int32(class))
		}
	}
	return to
}

// Rate finds the scores of the feasible nodes for their table. It returns false if one is not for reuse.
func (f *Found) Rate() bool {
	t := f.table
	for w, nodes := range f.words() {
		for unrated := t.classes.none[w] & f.feasible[w] & nodes; unrated != 0; unrated &= unrated - 1 {
			position := positionOf(w, unrated)
			evaluated := t.passing.Has(position) || t.evaluate(position, f.plugins) // those evaluated by themselves may not be known
			if !evaluated || !t.rate(position, f.plugins) {
				return false
			}
		}
	}
	return true
}

// Count is how many feasible nodes are of a class.
func (f *Found) Count(classes *Classes, class int32) int {
	f.findRanges()
	return classes.sets[class].countIn(f.feasible, f.ranges)
}

// In are the positions of the feasible nodes of a class, in no order.
func (f *Found) In(classes *Classes, class int32) []int32 {
	f.findRanges()
	return classes.sets[class].in(f.feasible, f.ranges)
}

// findRanges finds the words of the window.
func (f *Found) findRanges() {
	f.ranges = f.ranges[:0]
	from, over := f.Start/wordSize, f.Start+f.Visited
	if over <= f.nodes {
		f.ranges = append(f.ranges, span{from, wordsFor(over)})
		return
	}
	to := wordsFor(over - f.nodes)
	if to >= from {
		f.ranges = append(f.ranges, span{0, len(f.feasible)})
		return
	}
	f.ranges = append(f.ranges, span{0, to}, span{from, len(f.feasible)})
}

// Best finds the best totals. A node's total is the sum of its scores in all parts.
func (f *Found) Best(parts []Scores) Best {
	f.findRanges()
	r := &f.ranking
	r.parts = append(r.parts[:0], parts...)
	for i := range r.parts {
		r.parts[i].most = math.MinInt64
		for _, class := range r.parts[i].Present {
			r.parts[i].most = max(r.parts[i].most, r.parts[i].Score[class])
		}
	}
	for i := range r.nodes {
		r.totals[i], r.counts[i] = math.MinInt64, 0
		r.nodes[i] = r.nodes[i].Zeroed(f.nodes)
	}
	f.descend(0, f.feasible, 0)
	return Best{r.totals[0], r.counts[0]}
}

// descend adds a part to the totals of nodes whose parts before come to sum. It leaves out classes that the best cannot be in.
func (f *Found) descend(at int, nodes Bitmap, sum int64) {
	r := &f.ranking
	if at == len(r.parts) {
		r.note(sum, nodes, f.ranges)
		return
	}
	var rest int64
	for _, p := range r.parts[at+1:] {
		rest += p.most
	}
	part := &r.parts[at]
	for _, class := range part.Present {
		total := sum + part.Score[class]
		if total+rest < r.least() {
			continue
		}
		set := &part.Classes.sets[class]
		if set.bitmap == nil {
			for _, position := range set.few {
				if inRanges(position, f.ranges) && nodes.Has(int(position)) {
					r.noteOne(at, position, total)
				}
			}
			continue
		}
		switch common, n := f.common(at, set.bitmap, nodes); {
		case n > sparseLimit(len(common)):
			f.descend(at+1, common, total)
		case n > 0:
			f.noteFew(at, common, total)
		}
	}
}

// least is the lowest total that matters: below it, a node is neither among the best nor the runner-up.
func (r *ranking) least() int64 {
	if r.counts[0] > 1 {
		return r.totals[0]
	}
	return r.totals[1]
}

// common is the nodes of a window that are in both bitmaps, and how many.
func (f *Found) common(at int, a, b Bitmap) (common Bitmap, n int) {
	r := &f.ranking
	for len(r.rooms) <= at {
		r.rooms = append(r.rooms, nil)
	}
	if len(r.rooms[at]) < len(f.feasible) {
		r.rooms[at] = make(Bitmap, len(f.feasible))
	}
	common = r.rooms[at]
	for _, s := range f.ranges {
		for w := s.from; w < s.to; w++ {
			common[w] = a[w] & b[w]
			n += bits.OnesCount64(common[w])
		}
	}
	return common, n
}

// noteFew notes nodes one by one, where their classes of the parts behind may be more than they are.
func (f *Found) noteFew(at int, nodes Bitmap, sum int64) {
	for _, s := range f.ranges {
		for w := s.from; w < s.to; w++ {
			for word := nodes[w]; word != 0; word &= word - 1 {
				f.ranking.noteOne(at, int32(positionOf(w, word)), sum)
			}
		}
	}
}

// noteOne notes a node whose sum includes a part and those before. It reads the parts behind.
func (r *ranking) noteOne(at int, position int32, sum int64) {
	for i := at + 1; i < len(r.parts); i++ {
		sum += r.parts[i].Score[r.parts[i].Classes.of[position]]
	}
	if rank := r.rankOf(sum); rank >= 0 {
		r.nodes[rank].Set(position)
		r.counts[rank]++
	}
}

// note notes nodes with a total.
func (r *ranking) note(total int64, nodes Bitmap, ranges []span) {
	rank := r.rankOf(total)
	if rank < 0 {
		return
	}
	for _, s := range ranges {
		for w := s.from; w < s.to; w++ {
			r.nodes[rank][w] |= nodes[w]
			r.counts[rank] += bits.OnesCount64(nodes[w])
		}
	}
}

// rankOf makes room for a total, and returns its rank: 0 if it is the best, 1 if it is the second best, -1 if it is less.
func (r *ranking) rankOf(total int64) int {
	switch {
	case r.counts[0] == 0 || total > r.totals[0]:
		// The best so far become the second best. The bitmaps change places, so that nothing is allocated.
		r.nodes[0], r.nodes[1] = r.nodes[1], r.nodes[0]
		r.totals[1], r.counts[1] = r.totals[0], r.counts[0]
		clear(r.nodes[0])
		r.totals[0], r.counts[0] = total, 0
		return 0
	case total == r.totals[0]:
		return 0
	case r.counts[1] == 0 || total > r.totals[1]:
		clear(r.nodes[1])
		r.totals[1], r.counts[1] = total, 0
		return 1
	case total == r.totals[1]:
		return 1
	}
	return -1
}

// Tied returns the position of the node with the best total that has that many such nodes before it.
func (f *Found) Tied(before int) int { return f.nth(f.ranking.nodes[0], before) }

// RunnerUp is the position and the total of the best node besides the one at a position, the first of equal ones.
func (f *Found) RunnerUp(won int) (position int, total int64) {
	r := &f.ranking
	if r.counts[0] == 1 {
		return f.nth(r.nodes[1], 0), r.totals[1]
	}
	if position = f.nth(r.nodes[0], 0); position == won {
		position = f.nth(r.nodes[0], 1)
	}
	return position, r.totals[0]
}

// nth returns the position of the node of the window that has that many nodes before it.
func (f *Found) nth(nodes Bitmap, before int) int {
	for w, visited := range f.words() {
		word := nodes[w] & visited
		if n := bits.OnesCount64(word); n <= before {
			before -= n
			continue
		}
		return positionOf(w, nthBit(word, before))
	}
	return -1
}

// Totals appends the totals of the feasible nodes, in the order of the search.
func (f *Found) Totals(parts []Scores, to []int64) []int64 {
	to = slices.Grow(to, f.Feasible)
	for position, feasible := range f.Visits() {
		if !feasible {
			continue
		}
		var total int64
		for i := range parts {
			total += parts[i].Score[parts[i].Classes.of[position]]
		}
		to = append(to, total)
	}
	return to
}
