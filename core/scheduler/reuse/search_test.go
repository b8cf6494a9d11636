package reuse

import (
	"errors"
	"slices"
	"testing"

	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"
)

const (
	fits = 2 // the stop of a feasible node, as two plugins may reject
	pods = 0 // the column of scaled scores
)

var rejected = fwk.NewStatus(fwk.Unschedulable, "full")

// nodes is a list of nodes that change, with the verdicts and scores that plugins would give them.
type nodes struct {
	places    []Place
	known     []Cell // by number
	scaled    []int64
	changed   []int32
	moves     uint64 // how often the list was ordered anew
	evaluated int
	counted   bool // scores hold for a number of nodes
	table     *Table
}

func (n *nodes) ChangesSince(since uint64) ([]int32, uint64, bool) {
	now := n.moves<<32 + uint64(len(n.changed))
	if since < n.moves<<32 || since == 0 {
		return nil, now, false
	}
	return n.changed[since-n.moves<<32:], now, true
}

func (n *nodes) drawNode(t *rapid.T, position int) {
	number := n.places[position].Number
	n.places[position].Generation++
	n.known[number] = Cell{Stop: rapid.SampledFrom([]int32{0, 1, fits, fits, fits}).Draw(t, "stop"), Sum: rapid.Int64Range(-1, 2).Draw(t, "sum")}
	n.scaled[number] = rapid.Int64Range(0, 2).Draw(t, "scaled")
	n.changed = append(n.changed, int32(position))
}

// order gives the list so many nodes in another order.
func (n *nodes) order(t *rapid.T, size int) {
	n.come(t, size-len(n.known))
	n.places = rapid.Permutation(n.places).Draw(t, "order")
	n.moves, n.changed = n.moves+1, nil
}

// come adds nodes at the end, as most nodes come.
func (n *nodes) come(t *rapid.T, more int) {
	for range more {
		n.places = append(n.places, Place{Number: int32(len(n.known))})
		n.known, n.scaled = append(n.known, Cell{}), append(n.scaled, 0)
		n.drawNode(t, len(n.places)-1)
	}
}

// leave removes a node, and moves every third of those after it up, as they are of its zone.
func (n *nodes) leave(at int) {
	for ; at+3 < len(n.places); at += 3 {
		n.places[at] = n.places[at+3]
		n.changed = append(n.changed, int32(at))
	}
	for ; at+1 < len(n.places); at++ {
		n.places[at] = n.places[at+1]
		n.changed = append(n.changed, int32(at))
	}
	n.places = n.places[:at]
}

// change changes the list as clusters change.
func (n *nodes) change(t *rapid.T) {
	switch rapid.IntRange(0, 9).Draw(t, "change") {
	case 0:
		n.order(t, len(n.known)+rapid.IntRange(0, 40).Draw(t, "more"))
	case 1:
	case 2:
		n.come(t, rapid.IntRange(1, 70).Draw(t, "more"))
	case 3:
		for range rapid.IntRange(0, min(70, len(n.places)-1)).Draw(t, "fewer") {
			n.leave(rapid.IntRange(0, len(n.places)-1).Draw(t, "leaves"))
		}
	default:
		for range rapid.IntRange(1, 8).Draw(t, "changed") {
			n.drawNode(t, rapid.IntRange(0, len(n.places)-1).Draw(t, "position"))
		}
	}
}

func (n *nodes) cell(position int) *Cell { return &n.known[n.places[position].Number] }

// Evaluate is what plugins say of a node.
func (n *nodes) Evaluate(position int, cell *Cell) bool {
	n.evaluated++
	cell.Generation, cell.Stop, cell.Status = n.places[position].Generation, n.cell(position).Stop, nil
	if cell.Stop != fits {
		cell.Status = rejected
	}
	return true
}

// Rate is how plugins score a node. If scores count nodes, they are higher by their number.
func (n *nodes) Rate(position int, cell *Cell) bool {
	cell.Scored, cell.Sum, cell.Nodes = n.places[position].Generation, n.sum(position), 0
	if n.counted {
		cell.Nodes = int32(len(n.places))
	}
	n.table.Scaled[pods][n.places[position].Number] = n.scaled[n.places[position].Number]
	return true
}

func (n *nodes) EvaluateAlone(int) (bool, error) { return false, nil }

func (n *nodes) sum(position int) int64 {
	if n.counted {
		return n.cell(position).Sum + int64(len(n.places))
	}
	return n.cell(position).Sum
}

// trial is a search, and another plugin that looks at the zones of nodes.
type trial struct {
	*nodes
	zones    Classes
	zoneOf   []int64 // by position
	rejects  int64   // the zone that the plugin rejects
	alone    Bitmap
	aloneFit []bool
	found    *Found
}

const zonePlugin = 1 // its position; a plugin of the table is before it, and one is at the same

func (r *trial) stop(position int) int {
	stop := int(r.cell(position).Stop)
	if r.zoneOf[position] == r.rejects {
		stop = min(stop, zonePlugin)
	}
	return stop
}

func (r *trial) feasible(position int) bool {
	if r.alone.Has(position) {
		return r.aloneFit[position]
	}
	return r.stop(position) == fits
}

func drawTrial(t *rapid.T, n *nodes, table *Table, found *Found) *trial {
	n.table = table
	r := &trial{nodes: n, found: found, alone: make(Bitmap, wordsFor(len(n.places))), rejects: rapid.Int64Range(0, 3).Draw(t, "rejected")}
	r.zones.Reset(len(n.places))
	lone := rapid.SampledFrom([]int{0, 1, 9}).Draw(t, "alone of ten")
	for position := range n.places {
		zone := rapid.Int64Range(1, 4).Draw(t, "zone")
		r.zoneOf = append(r.zoneOf, zone)
		r.zones.Put(int32(position), Signature(nil).Number(zone))
		if rapid.IntRange(0, 9).Draw(t, "alone") < lone {
			r.alone.Set(int32(position))
		}
		r.aloneFit = append(r.aloneFit, n.cell(position).Stop == fits && rapid.Bool().Draw(t, "fits alone"))
	}
	return r
}

func (r *trial) search(start, wanted int) error {
	r.table.Follow(r.places, r.nodes, fits)
	r.found.Begin(r.table, r, start, wanted)
	r.found.Reject(zonePlugin, &r.zones, r)
	r.found.EvaluateAlone(r.alone, false)
	return r.found.Search()
}

func (r *trial) Rejects(class int32) bool {
	return r.zones.keys[class] == string(Signature(nil).Number(r.rejects))
}

func (r *trial) EvaluateAlone(position int) (bool, error) { return r.aloneFit[position], nil }

// visit is the search that visits one node after the other.
func (r *trial) visit(start, wanted int) (visited, feasible []int, next int) {
	for i := range r.places {
		at := (start + i) % len(r.places)
		if r.feasible(at) {
			if len(feasible) == wanted {
				return visited, feasible, at
			}
			feasible = append(feasible, at)
		}
		visited = append(visited, at)
	}
	return visited, feasible, -1
}

// Whatever changes between searches, one finds the window, the best, those that are as good and the runner-up that a visit of
// one node after the other finds.
func TestFound_IsWhatVisitFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := &nodes{counted: rapid.Bool().Draw(t, "scores count nodes")}
		n.order(t, rapid.IntRange(1, 200).Draw(t, "nodes"))
		tables, found := New(1<<20), &Found{}
		tables.Find(sign("web"), 0, 0)
		for range rapid.IntRange(1, 12).Draw(t, "searches") {
			n.change(t)
			r := drawTrial(t, n, tables.Find(sign("web"), len(n.known), 1), found)
			compareSearch(t, r, rapid.IntRange(0, len(n.places)-1).Draw(t, "start"), rapid.IntRange(1, len(n.places)).Draw(t, "wanted"))
		}
	})
}

func compareSearch(t *rapid.T, r *trial, start, wanted int) {
	visited, feasible, next := r.visit(start, wanted)
	if err := r.search(start, wanted); err != nil {
		t.Fatal(err)
	}
	if want := (Window{start, len(visited), len(feasible), next >= 0}); r.found.Window != want {
		t.Fatalf("the window is %+v, a visit gives %+v", r.found.Window, want)
	}
	var gotVisited, gotFeasible []int
	for position, fits := range r.found.Visits() {
		gotVisited = append(gotVisited, position)
		if fits {
			gotFeasible = append(gotFeasible, position)
		}
	}
	if !slices.Equal(gotVisited, visited) || !slices.Equal(gotFeasible, feasible) {
		t.Fatalf("of %v, %v are feasible, a visit gives %v of %v", gotVisited, gotFeasible, feasible, visited)
	}
	stops, wantStops := make([]int, fits+1), make([]int, fits+1)
	r.found.CountStops(stops)
	for _, at := range visited {
		if !r.alone.Has(at) {
			wantStops[r.stop(at)]++
		}
	}
	if next >= 0 && !r.alone.Has(next) {
		wantStops[fits]++
	}
	if !slices.Equal(stops, wantStops) {
		t.Fatalf("the verdicts ended at %v, a visit gives %v", stops, wantStops)
	}
	if len(feasible) > 1 {
		compareBest(t, r, feasible)
	}
}

func compareBest(t *rapid.T, r *trial, feasible []int) {
	total := func(at int) int64 { return r.sum(at) + 3*r.zoneOf[at] }
	parts := r.parts(t, feasible)
	byRank := slices.Clone(feasible)
	slices.SortStableFunc(byRank, func(a, b int) int { return int(total(b) - total(a)) })
	ties := 0
	for _, at := range feasible {
		if total(at) == total(byRank[0]) {
			ties++
		}
	}
	if best := r.found.Best(parts); best != (Best{total(byRank[0]), ties}) {
		t.Fatalf("the best are %+v, a visit gives %d of %d", best, ties, total(byRank[0]))
	}
	won := rapid.IntRange(0, ties-1).Draw(t, "drawn")
	if at := r.found.Tied(won); at != byRank[won] {
		t.Fatalf("number %d of the best is at %d, a visit gives %d", won, at, byRank[won])
	}
	runnerUp := byRank[0]
	if won == 0 {
		runnerUp = byRank[1]
	}
	if at, second := r.found.RunnerUp(byRank[won]); at != runnerUp || second != total(runnerUp) {
		t.Fatalf("the runner-up is at %d with %d, a visit gives %d with %d", at, second, runnerUp, total(runnerUp))
	}
	for i, got := range r.found.Totals(parts, nil) {
		if got != total(feasible[i]) {
			t.Fatalf("the total at %d is %d, want %d", feasible[i], got, total(feasible[i]))
		}
	}
}

// parts are the scores of the table, and three for each zone, in any order.
func (r *trial) parts(t *rapid.T, feasible []int) []Scores {
	if !r.found.Rate() {
		t.Fatal("scores are not for reuse")
	}
	rated := r.found.Present(r.table.Classes(), nil)
	zones := Scores{Classes: &r.zones, Present: r.found.Present(&r.zones, nil), Score: make([]int64, r.zones.Len())}
	counted := 0
	for _, class := range zones.Present {
		counted += r.found.Count(&r.zones, class)
	}
	if counted != len(feasible) {
		t.Fatalf("%d feasible nodes are in the zones, of %d", counted, len(feasible))
	}
	for position := range r.places {
		zones.Score[r.zones.Of(position)] = 3 * r.zoneOf[position]
	}
	table := Scores{Classes: r.table.Classes(), Present: rated, Score: make([]int64, r.table.Classes().Len())}
	scaled := map[int64]bool{}
	for _, class := range rated {
		table.Score[class] = r.table.Sum(class)
		scaled[r.table.ScaledOf(class, pods)] = true
	}
	for _, at := range feasible {
		delete(scaled, r.scaled[r.places[at].Number])
	}
	if len(scaled) > 0 {
		t.Fatalf("no feasible node has the scaled scores %v", scaled)
	}
	if rapid.Bool().Draw(t, "zones first") {
		return []Scores{zones, table}
	}
	return []Scores{table, zones}
}

// A search computes nothing of nodes that it does not come near to, and after a change of one node that node's verdict alone.
func TestFound_ComputesWhatSearchReaches(t *testing.T) {
	n := &nodes{moves: 1}
	for i := range 40 * wordSize {
		n.places = append(n.places, Place{Number: int32(i), Generation: 1})
		n.known = append(n.known, Cell{Stop: fits})
	}
	tables := New(1 << 20)
	tables.Find(sign("web"), 0, 0)
	table, found := tables.Find(sign("web"), len(n.known), 0), &Found{}
	search := func() {
		table.Follow(n.places, n, fits)
		found.Begin(table, n, 3, 100)
		if err := found.Search(); err != nil {
			t.Fatal(err)
		}
	}
	search()
	if most := 2 * wordSize; n.evaluated > most {
		t.Errorf("finding 100 nodes computes %d verdicts, want at most %d", n.evaluated, most)
	}
	n.evaluated = 0
	n.places[7].Generation++
	n.changed = append(n.changed, 7)
	search()
	if n.evaluated != 1 {
		t.Errorf("after a change of one node %d verdicts are computed", n.evaluated)
	}
}

// failing are plugins that fail on the second node.
type failing struct{ *nodes }

var errBroken = errors.New("broken")

func (f failing) Evaluate(at int, cell *Cell) bool { return at == 0 && f.nodes.Evaluate(at, cell) }

func (failing) EvaluateAlone(int) (bool, error) { return false, errBroken }

// Nodes whose verdict is not for reuse are evaluated one by one, in order, and an error there ends the search. What is known stays
// right.
func TestFound_FailedVerdictIsEvaluatedAlone(t *testing.T) {
	n := &nodes{places: []Place{{Number: 0, Generation: 1}, {Number: 1, Generation: 1}}, known: []Cell{{Stop: fits}, {Stop: 1}}, moves: 1}
	tables := New(1 << 20)
	tables.Find(sign("web"), 0, 0)
	table, found := tables.Find(sign("web"), 2, 0), &Found{}
	table.Follow(n.places, n, fits)
	found.Begin(table, failing{n}, 0, 2)
	err := found.Search()
	if !errors.Is(err, errBroken) || found.Window != (Window{Visited: 1, Feasible: 1}) {
		t.Fatalf("the search ends with %v and %+v", err, found.Window)
	}
	found.Begin(table, n, 0, 2)
	if err := found.Search(); err != nil || found.Window != (Window{Visited: 2, Feasible: 1}) {
		t.Errorf("the next search ends with %v and %+v", err, found.Window)
	}
}
