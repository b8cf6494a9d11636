package reuse

import fwk "k8s.io/kube-scheduler/framework"

// Place is what a table has to know of a node: a number that no other node of the snapshot has while this one is in it, and its
// generation. Places lie side by side, so that looking whether a node has changed reads no node. Position is where the node is in
// the order of the snapshot.
type Place struct {
	Number, Position int32
	Generation       int64
}

// Changes tells which positions of a list of nodes changed.
type Changes interface {
	// ChangesSince returns the positions whose node changed or was replaced since an earlier call returned since, and what to pass
	// to the next call. Some may be beyond the end of a list that has become shorter. If known is false, as at the first call, with
	// 0, any may have changed.
	ChangesSince(since uint64) (positions []int32, now uint64, known bool)
}

// ChangedNodes is a snapshot of nodes that says which positions of its list changed. The cache's is one; kube-scheduler's is not.
type ChangedNodes interface {
	Changes
	List() ([]fwk.NodeInfo, error)
}

// Cell is what is known of one node. The zero value knows nothing: no node has generation 0.
type Cell struct {
	// Generation is that of the node when Status was computed, and Scored when Sum was.
	Generation, Scored int64
	// Status is the first rejection, or nil; Stop is the position of the plugin that rejected.
	Status *fwk.Status
	Stop   int32
	// Nodes is the number of nodes that Sum holds for; 0 if that does not matter.
	Nodes int32
	// Sum is the weighted sum of the scores that are not scaled.
	Sum int64
}

// HasScores reports whether the scores hold for a generation of the node, in a cluster of that many nodes.
func (c *Cell) HasScores(generation int64, nodes int) bool {
	return c.Scored == generation && (c.Nodes == 0 || int(c.Nodes) == nodes)
}

// Table is what is known of the nodes for one signature. Nodes that one plugin rejects, and nodes that pass and have the same scores,
// are a class. A node that passes without a class has scores that are not known; one that does not pass either is not known at all.
type Table struct {
	// Scaled are the raw scores of the plugins that scale them, one column for each, by the number of the node.
	Scaled [][]int64

	cells []Cell // by number

	// The rest is by position in the list of nodes that the table followed last.
	places  []Place
	seen    uint64 // of the changes of the list
	plugins int    // how many may reject
	classes Classes
	kinds   []kind // by class
	passing Bitmap
	key     Signature
}

// kind is what the nodes of a class have in common: a plugin rejects them, or they have these scores.
type kind struct {
	rejecting int32 // the position of the plugin; none
	nodes     int32 // as in Cell
	sum       int64
	scaled    []int64
}

const none = -1

// Cell is the cell of a node, by its number.
func (t *Table) Cell(number int32) *Cell { return &t.cells[number] }

// CellAt is the cell of the node at a position.
func (t *Table) CellAt(position int) *Cell { return &t.cells[t.places[position].Number] }

// Knows reports whether the verdict on a node is kept; a nil table knows none.
func (t *Table) Knows(node Place) bool {
	return t != nil && int(node.Number) < len(t.cells) && t.cells[node.Number].Generation == node.Generation
}

// Follow takes a new list of nodes, and the number of plugins that may reject some. Results for nodes that have not changed stay.
func (t *Table) Follow(places []Place, changes Changes, plugins int) {
	before := len(t.places)
	changed, now, known := changes.ChangesSince(t.seen)
	t.seen, t.places = now, places
	if !known || t.plugins != plugins {
		t.plugins = plugins
		t.classes.Reset(len(places))
		t.passing = t.passing.Zeroed(len(places))
		return
	}
	// Classes and passing go by position, so a changed position leaves them. Cells go by number and generation, and stay.
	t.resize(before)
	for _, position := range changed {
		if int(position) < len(places) {
			t.forget(position)
		}
	}
}

// resize follows a change of the list's length.
func (t *Table) resize(before int) {
	now := len(t.places)
	if before == now {
		return
	}
	for position := now; position < before; position++ {
		t.forget(int32(position))
	}
	t.classes.Resize(now)
	if more := wordsFor(now) - len(t.passing); more > 0 {
		t.passing = append(t.passing, make(Bitmap, more)...)
	}
	t.forgetStale()
}

// forgetStale invalidates the results of classes whose scores hold for another number of nodes.
func (t *Table) forgetStale() {
	stale := false
	for class := range t.classes.sets {
		stale = stale || t.classes.sets[class].count > 0 && t.isStale(int32(class))
	}
	for position := 0; stale && position < len(t.places); position++ {
		if class := t.classes.Of(position); class != noClass && t.isStale(class) {
			t.forget(int32(position))
		}
	}
}

func (t *Table) isStale(class int32) bool {
	nodes := t.kinds[class].nodes
	return nodes != 0 && int(nodes) != len(t.places)
}

// forget invalidates the result for the node at a position. Its cell may still hold.
func (t *Table) forget(position int32) {
	t.classes.Drop(position)
	t.passing.clear(position)
}

// unknown returns the positions of a word without a result.
func (t *Table) unknown(w int) uint64 { return t.classes.none[w] &^ t.passing[w] }

// evaluate finds the verdict on the node at a position, which is not known. It returns false if that is not for reuse.
func (t *Table) evaluate(position int, p Plugins) bool {
	// The node may only have moved: then the cell holds, and the position gets its class back without a call of a plugin.
	cell, generation := t.CellAt(position), t.places[position].Generation
	if cell.Generation != generation && !p.Evaluate(position, cell) {
		return false
	}
	// Who rejects is the class. Messages may differ between nodes, and are read from their cells.
	if cell.Status != nil {
		t.put(position, t.key[:0].Flag(false).Number(int64(cell.Stop)))
		return true
	}
	t.passing.Set(int32(position))
	if cell.HasScores(generation, len(t.places)) {
		t.putScored(position, cell)
	}
	return true
}

// rate finds the scores of a node that passes. It returns false if they are not for reuse.
func (t *Table) rate(position int, p Plugins) bool {
	cell := t.CellAt(position)
	if !cell.HasScores(t.places[position].Generation, len(t.places)) && !p.Rate(position, cell) {
		return false
	}
	t.putScored(position, cell)
	return true
}

func (t *Table) putScored(position int, cell *Cell) {
	key := t.key[:0].Flag(true).Number(int64(cell.Nodes)).Number(cell.Sum)
	for _, column := range t.Scaled {
		key = key.Number(column[t.places[position].Number])
	}
	t.put(position, key)
}

// put puts a position into a class.
func (t *Table) put(position int, key Signature) {
	t.key = key
	class, isNew := t.classes.Put(int32(position), key)
	if isNew {
		t.describe(class, position)
	}
}

// describe keeps what the nodes of a class have in common, as read from the one at a position.
func (t *Table) describe(class int32, position int) {
	for int(class) >= len(t.kinds) {
		t.kinds = append(t.kinds, kind{})
	}
	k, cell := &t.kinds[class], t.CellAt(position)
	*k = kind{rejecting: none, scaled: k.scaled[:0]}
	if cell.Status != nil {
		k.rejecting = cell.Stop
		return
	}
	k.nodes, k.sum = cell.Nodes, cell.Sum
	for _, column := range t.Scaled {
		k.scaled = append(k.scaled, column[t.places[position].Number])
	}
}

// Classes are those of the nodes of the list.
func (t *Table) Classes() *Classes { return &t.classes }

// Sum is the sum of the scores that are not scaled, of a class with scores.
func (t *Table) Sum(class int32) int64 { return t.kinds[class].sum }

// ScaledOf is the raw score of a class in a column.
func (t *Table) ScaledOf(class int32, column int) int64 { return t.kinds[class].scaled[column] }
