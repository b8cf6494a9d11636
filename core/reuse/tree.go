package reuse

import (
	"math"
	"math/bits"
	"unsafe"
)

// Tree has sums of a table's cells by the positions of their nodes, so that a search of many nodes looks at few.
//
//	          sums of all
//	        /             \
//	  sums of half     sums of half
//	   /      \          /      \
//	block   block     block   block     blockSize positions each
//
// A change of a node makes the sums of its block stale, and those above it. A stale block counts as if no node in it were
// feasible, until a search comes to it: so a search computes nothing about nodes that it does not reach.
type Tree struct {
	table  *Table
	places []Place
	seen   uint64 // of the changes of the list

	leaves   int   // a power of two: block b is node leaves+b, and node i is above 2i and 2i+1
	nodes    []sum // the first is not used
	stops    []int32
	width    int      // how many stops a node has
	scaled   []bounds // of the columns of scaled scores, for each node
	inWindow []bounds // room for those of one window
}

// blockSize is how many cells are read when one changes.
const blockSize = 32

// sum sums up some neighbouring cells.
type sum struct {
	feasible int32
	ties     int32 // feasible cells with the best sum of scores
	best     int64
	stale    part
	// ofCount says that scores hold for the number of nodes alone.
	ofCount bool
}

// part is what of a sum is not known.
type part uint8

const (
	verdicts part = 1 << iota
	scores
)

// bounds are the lowest and the highest scaled score of feasible nodes.
type bounds struct{ least, most int64 }

var noBounds = bounds{least: math.MaxInt64}

func (b bounds) join(other bounds) bounds {
	return bounds{min(b.least, other.least), max(b.most, other.most)}
}

// Changes tells which positions of a list of nodes changed.
type Changes interface {
	// ChangesSince returns the positions of which the node changed, or is another one, since an earlier call returned since, and
	// what to pass to the next call. The list may have become shorter than some of them. If known is false, as at the first call,
	// with 0, any may have changed.
	ChangesSince(since uint64) (positions []int32, now uint64, known bool)
}

// Tree is the table's tree, up to date with a list of nodes. stops is how many plugins may reject.
func (t *Table) Tree(places []Place, changes Changes, stops int) *Tree {
	if t.tree == nil {
		t.tree = &Tree{table: t}
	}
	tree := t.tree
	changed, now, known := changes.ChangesSince(tree.seen)
	before := len(tree.places)
	tree.seen, tree.places = now, places
	if !known || tree.width != stops+1 || tree.blocks() > tree.leaves {
		tree.rebuild(stops + 1)
		return tree
	}
	tree.resize(before)
	for _, position := range changed {
		if int(position) < len(places) {
			tree.expire(int(position) / blockSize)
		}
	}
	return tree
}

// blocks is how many blocks the places are in.
func (t *Tree) blocks() int { return (len(t.places) + blockSize - 1) / blockSize }

// rebuild makes room for all places; every block is stale.
func (t *Tree) rebuild(width int) {
	blocks := t.blocks()
	t.leaves = 1 << bits.Len(uint(max(blocks, 1)-1))
	t.width = width
	t.nodes = resized(t.nodes, 2*t.leaves)
	t.stops = resized(t.stops, 2*t.leaves*width)
	t.scaled = resized(t.scaled, 2*t.leaves*len(t.table.Scaled))
	for i := range t.scaled {
		t.scaled[i] = noBounds
	}
	for b := range blocks {
		t.nodes[t.leaves+b].stale = verdicts | scores
	}
	for i := t.leaves - 1; i > 0; i-- {
		t.add(i)
	}
}

// resize takes a list that ends elsewhere than that of before: the blocks between both ends are stale, or empty.
func (t *Tree) resize(before int) {
	now := len(t.places)
	if before == now {
		return
	}
	t.expireOfCount(1)
	for block := min(before, now) / blockSize; block*blockSize < max(before, now); block++ {
		if block < t.blocks() {
			t.expire(block)
		} else {
			t.clear(block)
		}
	}
}

// expireOfCount makes the scores below a node stale that hold for another number of nodes.
func (t *Tree) expireOfCount(i int) {
	n := &t.nodes[i]
	switch {
	case !n.ofCount:
	case i >= t.leaves:
		n.stale, n.ofCount = n.stale|scores, false
	default:
		t.expireOfCount(2 * i)
		t.expireOfCount(2*i + 1)
		t.add(i)
	}
}

// clear empties a block that has no places any more.
func (t *Tree) clear(block int) {
	i := t.leaves + block
	t.nodes[i] = sum{}
	clear(t.stopsOf(i))
	for column := range t.scaledOf(i) {
		t.scaledOf(i)[column] = noBounds
	}
	t.addUp(i)
}

func resized[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// expire makes a block stale.
func (t *Tree) expire(block int) {
	i := t.leaves + block
	if t.nodes[i].stale == verdicts|scores {
		return
	}
	t.nodes[i] = sum{stale: verdicts | scores}
	clear(t.stopsOf(i))
	t.addUp(i)
}

// addUp adds up everything above a node.
func (t *Tree) addUp(i int) {
	for i >>= 1; i > 0; i >>= 1 {
		t.add(i)
	}
}

// add adds up the two below a node.
func (t *Tree) add(i int) {
	left, right := &t.nodes[2*i], &t.nodes[2*i+1]
	n := &t.nodes[i]
	*n = sum{feasible: left.feasible + right.feasible, stale: left.stale | right.stale, ofCount: left.ofCount || right.ofCount}
	n.best, n.ties = better(left.best, left.ties, right.best, right.ties)
	stops, leftStops, rightStops := t.stopsOf(i), t.stopsOf(2*i), t.stopsOf(2*i+1)
	for at := range stops {
		stops[at] = leftStops[at] + rightStops[at]
	}
	scaled, leftScaled, rightScaled := t.scaledOf(i), t.scaledOf(2*i), t.scaledOf(2*i+1)
	for column := range scaled {
		scaled[column] = leftScaled[column].join(rightScaled[column])
	}
}

// better is the better of two sums of scores, and how many cells have it.
func better(a int64, ofA int32, b int64, ofB int32) (best int64, ties int32) {
	switch {
	case ofB == 0 || ofA > 0 && a > b:
		return a, ofA
	case ofA == 0 || b > a:
		return b, ofB
	}
	return a, ofA + ofB
}

func (t *Tree) stopsOf(i int) []int32 { return t.stops[i*t.width : (i+1)*t.width] }

func (t *Tree) scaledOf(i int) []bounds {
	columns := len(t.table.Scaled)
	return t.scaled[i*columns : (i+1)*columns]
}

// block is the positions of a block.
func (t *Tree) block(b int) span {
	return span{b * blockSize, min((b+1)*blockSize, len(t.places))}
}

func (t *Tree) cell(position int) *Cell { return &t.table.cells[t.places[position].Number] }

// nextStale is the first block from one on of which a part is not known; -1 if there is none.
func (t *Tree) nextStale(block int, what part) int {
	i := t.leaves + block
	for t.nodes[i].stale&what == 0 {
		for i&1 == 1 {
			i >>= 1
		}
		if i == 0 {
			return -1
		}
		i++
	}
	for i < t.leaves {
		i *= 2
		if t.nodes[i].stale&what == 0 {
			i++
		}
	}
	return i - t.leaves
}

// Compute computes the verdict or the scores of the node at a position. It returns false if they are not for reuse.
type Compute func(position int, cell *Cell) bool

// judge sums up the verdicts of a block.
func (t *Tree) judge(block int, compute Compute) bool {
	i := t.leaves + block
	n, stops, at := sum{stale: scores}, t.stopsOf(i), t.block(block)
	clear(stops)
	for position := at.from; position < at.to; position++ {
		cell := t.cell(position)
		if cell.Generation != t.places[position].Generation && !compute(position, cell) {
			clear(stops)
			return false
		}
		stops[cell.Stop]++
		if cell.Status == nil {
			n.feasible++
		}
	}
	t.nodes[i] = n
	t.addUp(i)
	return true
}

// rate sums up the scores of a block.
func (t *Tree) rate(block int, compute Compute) bool {
	i := t.leaves + block
	n, scaled, at := t.nodes[i], t.scaledOf(i), t.block(block)
	n.stale, n.ties, n.ofCount = 0, 0, false
	for column := range scaled {
		scaled[column] = noBounds
	}
	for position := at.from; position < at.to; position++ {
		cell := t.cell(position)
		if cell.Status != nil {
			continue
		}
		if !cell.HasScores(t.places[position].Generation, len(t.places)) && !compute(position, cell) {
			return false
		}
		n.ofCount = n.ofCount || cell.Nodes != 0
		n.best, n.ties = better(n.best, n.ties, cell.Sum, 1)
		t.joinScaled(scaled, position)
	}
	t.nodes[i] = n
	t.addUp(i)
	return true
}

// joinScaled widens bounds by the scaled scores at a position.
func (t *Tree) joinScaled(all []bounds, position int) {
	for column := range all {
		score := t.table.Scaled[column][t.places[position].Number]
		all[column] = all[column].join(bounds{score, score})
	}
}

func (t *Tree) bytes() int {
	return cap(t.nodes)*int(unsafe.Sizeof(sum{})) + 4*cap(t.stops) + cap(t.scaled)*int(unsafe.Sizeof(bounds{}))
}
