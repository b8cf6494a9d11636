package reuse

import (
	"iter"
	"math/bits"
	"slices"
)

// Window is the part of a list that a search visits: the positions from Start on, wrapping at the end. Next reports whether the node
// after them is feasible, too, and one more than wanted.
type Window struct {
	Start, Visited, Feasible int
	Next                     bool
}

// Found are the feasible nodes that a search finds. It keeps its memory for the next search.
type Found struct {
	Window
	table      *Table
	nodes      int    // in the list
	wanted     int    // how many feasible ones
	feasible   Bitmap // among those visited
	alone      Bitmap // evaluated one by one
	nextAlone  bool   // the node after the window was evaluated by itself
	rejections []rejection
	plugins    Plugins
	lone       Bitmap // to be evaluated one by one, if not all
	allAlone   bool
	ranges     []span // the words of the window, in order of their positions
	ranking    ranking
}

// Plugins evaluate and score nodes that are not known.
type Plugins interface {
	// Evaluate and Rate compute a verdict and the scores of a node for the table. They return false if these are not for reuse.
	Evaluate(position int, cell *Cell) bool
	Rate(position int, cell *Cell) bool
	// EvaluateAlone evaluates a node by itself. An error ends the search.
	EvaluateAlone(position int) (feasible bool, err error)
}

// Verdicts are a plugin's verdicts on classes of nodes. They do not change during a search.
type Verdicts interface{ Rejects(class int32) bool }

// rejection is the set of nodes that a plugin rejects: those of some classes. If there are many classes, the plugin is asked about one
// when the search comes to its first node.
type rejection struct {
	plugin  int // its position
	bitmaps []Bitmap
	few     Bitmap // the nodes of classes that are lists; empty without such classes
	passing bool   // the classes are those that the plugin passes

	many     *Classes // nil if the plugin was asked about all
	verdicts Verdicts
	asked    []verdict // by class
}

type verdict uint8

const (
	notAsked verdict = iota
	passes
	rejects
)

// of are those of some nodes of a word that are rejected.
func (r *rejection) of(w int, nodes uint64) (rejected uint64) {
	if r.many != nil {
		return r.ask(w, nodes)
	}
	if len(r.few) > 0 {
		rejected = r.few[w]
	}
	for _, b := range r.bitmaps {
		rejected |= b[w]
	}
	if r.passing {
		rejected = ^rejected
	}
	return rejected & nodes
}

func (r *rejection) ask(w int, nodes uint64) (rejected uint64) {
	for ; nodes != 0; nodes &= nodes - 1 {
		class := r.many.of[positionOf(w, nodes)]
		if r.asked[class] == notAsked {
			r.asked[class] = passes
			if r.verdicts.Rejects(class) {
				r.asked[class] = rejects
			}
		}
		if r.asked[class] == rejects {
			rejected |= nodes & -nodes
		}
	}
	return rejected
}

// Begin begins a search among the nodes that a table followed. It will visit them from a start on, until it has found one more feasible
// node than wanted.
func (f *Found) Begin(t *Table, p Plugins, start, wanted int) {
	f.table, f.plugins, f.nodes = t, p, len(t.places)
	f.Window, f.wanted = Window{Start: start}, wanted
	f.lone, f.allAlone, f.nextAlone = nil, false, false
	f.feasible, f.alone = f.feasible.Zeroed(f.nodes), f.alone.Zeroed(f.nodes)
	f.rejections = f.rejections[:0]
}

// manyClasses is how many nodes to find for each class make it faster to ask about all classes than about each node's.
const manyClasses = 8

// Reject has a plugin reject nodes by their classes.
func (f *Found) Reject(plugin int, classes *Classes, v Verdicts) {
	if classes.Len() > f.wanted/manyClasses {
		r := f.addRejection(plugin)
		r.many, r.verdicts = classes, v
		r.asked = slices.Grow(r.asked, classes.Len())[:classes.Len()]
		clear(r.asked)
		return
	}
	rejected := 0
	for class := range classes.sets {
		if classes.sets[class].count > 0 && v.Rejects(int32(class)) {
			rejected++
		}
	}
	if rejected == 0 {
		return
	}
	r := f.addRejection(plugin)
	r.passing = 2*rejected > len(classes.sets)-len(classes.free)
	for class := range classes.sets {
		if set := &classes.sets[class]; set.count > 0 && v.Rejects(int32(class)) != r.passing {
			r.add(set, f.nodes)
		}
	}
}

func (f *Found) addRejection(plugin int) *rejection {
	if len(f.rejections) < cap(f.rejections) {
		f.rejections = f.rejections[:len(f.rejections)+1]
	} else {
		f.rejections = append(f.rejections, rejection{})
	}
	r := &f.rejections[len(f.rejections)-1]
	*r = rejection{plugin: plugin, bitmaps: r.bitmaps[:0], few: r.few[:0], asked: r.asked[:0]}
	return r
}

func (r *rejection) add(set *Positions, nodes int) {
	if set.bitmap != nil {
		r.bitmaps = append(r.bitmaps, set.bitmap)
		return
	}
	if len(r.few) == 0 {
		r.few = r.few.Zeroed(nodes)
	}
	for _, position := range set.few {
		r.few.Set(position)
	}
}

// EvaluateAlone has these nodes evaluated one by one, or all. Those whose verdict is not for reuse are in any case.
func (f *Found) EvaluateAlone(these Bitmap, all bool) { f.lone, f.allAlone = these, all }

// Search visits the nodes.
func (f *Found) Search() error {
	start := f.Start
	for at := start; at < start+f.nodes; {
		from, end := at, f.nodes
		if at >= f.nodes {
			from, end = at-f.nodes, start
		}
		w := from / wordSize
		to := min((w+1)*wordSize, end)
		if over, err := f.visit(w, between(from, to)); over || err != nil {
			return err
		}
		at += to - from
	}
	return nil
}

// between is the bits of the positions from one up to another in the same word.
func between(from, to int) uint64 { return ^uint64(0) >> (wordSize - (to - from)) << (from % wordSize) }

// visit visits some nodes of a word. It reports whether the search is over.
func (f *Found) visit(w int, nodes uint64) (over bool, err error) {
	alone := f.evaluate(w, nodes)
	for ; alone != 0; alone &= alone - 1 {
		one := alone & -alone
		before := nodes & (one - 1)
		nodes &^= before | one
		if f.take(w, before) {
			return true, nil
		}
		feasible, err := f.plugins.EvaluateAlone(positionOf(w, one))
		if err != nil {
			return true, err
		}
		if feasible && f.Feasible == f.wanted {
			f.Next, f.nextAlone = true, true
			return true, nil
		}
		f.alone[w] |= one
		f.Visited++
		if feasible {
			f.feasible[w] |= one
			f.Feasible++
		}
	}
	return f.take(w, nodes), nil
}

// evaluate finds the verdicts on some nodes of a word that are not known. It returns those that have to be evaluated alone.
func (f *Found) evaluate(w int, nodes uint64) (alone uint64) {
	switch {
	case f.allAlone:
		return nodes
	case f.lone != nil:
		alone = nodes & f.lone[w]
	}
	for unknown := f.table.unknown(w) & nodes &^ alone; unknown != 0; unknown &= unknown - 1 {
		if !f.table.evaluate(positionOf(w, unknown), f.plugins) {
			alone |= unknown & -unknown
		}
	}
	return alone
}

// take visits some nodes of a word whose verdicts are known. It reports whether the search is over.
func (f *Found) take(w int, nodes uint64) (over bool) {
	feasible := f.table.passing[w] & nodes
	for i := range f.rejections {
		feasible &^= f.rejections[i].of(w, feasible)
	}
	n := bits.OnesCount64(feasible)
	// The window ends before the first feasible node beyond those wanted, where kube-scheduler's parallel search stops, too.
	if f.Feasible+n > f.wanted {
		nodes &= nthBit(feasible, f.wanted-f.Feasible) - 1
		feasible, n = feasible&nodes, f.wanted-f.Feasible
		f.Next, over = true, true
	}
	f.feasible[w] |= feasible
	f.Feasible += n
	f.Visited += bits.OnesCount64(nodes)
	return over
}

// CountStops adds to each stop how many verdicts of the search ended there, without those evaluated one by one: at the position of a
// plugin, or behind all of them. It is called once for a search.
func (f *Found) CountStops(stops []int) {
	last := len(stops) - 1
	if f.Next && !f.nextAlone {
		stops[last]++
	}
	f.rejectByTable()
	for w, nodes := range f.words() {
		nodes &^= f.alone[w]
		for i := range f.rejections {
			rejected := f.rejections[i].of(w, nodes)
			stops[f.rejections[i].plugin] += bits.OnesCount64(rejected)
			nodes &^= rejected
		}
		stops[last] += bits.OnesCount64(nodes)
	}
}

// rejectByTable adds the rejections of the table, all in the order of the plugins.
func (f *Found) rejectByTable() {
	if f.Feasible == f.Visited {
		f.rejections = f.rejections[:0]
		return
	}
	for class := range f.table.classes.sets {
		set, k := &f.table.classes.sets[class], &f.table.kinds[class]
		if set.count > 0 && k.rejecting != none {
			f.addRejection(int(k.rejecting)).add(set, f.nodes)
		}
	}
	slices.SortStableFunc(f.rejections, func(a, b rejection) int { return a.plugin - b.plugin })
}

// Alone reports whether the node at a position of the window was evaluated by itself.
func (f *Found) Alone(position int) bool { return f.alone.Has(position) }

// words goes through the window by words, and tells which positions of each belong to it. The first word may come twice.
func (f *Found) words() iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		over := f.Start + f.Visited
		for at := f.Start; at < over; {
			from, end := at, min(f.nodes, over)
			if at >= f.nodes {
				from, end = at-f.nodes, over-f.nodes
			}
			w := from / wordSize
			to := min((w+1)*wordSize, end)
			if !yield(w, between(from, to)) {
				return
			}
			at += to - from
		}
	}
}

// Visits goes through the positions of the window, and tells of each whether its node is feasible.
func (f *Found) Visits() iter.Seq2[int, bool] {
	return func(yield func(int, bool) bool) {
		for w, nodes := range f.words() {
			for ; nodes != 0; nodes &= nodes - 1 {
				if !yield(positionOf(w, nodes), f.feasible[w]&nodes&-nodes != 0) {
					return
				}
			}
		}
	}
}

// Keep keeps those of the feasible nodes that are at some positions.
func (f *Found) Keep(positions []int32) {
	clear(f.feasible)
	for _, position := range positions {
		f.feasible.Set(position)
	}
	f.Feasible = len(positions)
}
