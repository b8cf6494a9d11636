package reuse

import (
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
	places  []Place
	known   []Cell // by number
	scaled  []int64
	changed []int32
	moves   uint64 // how often the list was ordered anew
	judged  int
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

func (n *nodes) feasible(position int) bool { return n.cell(position).Stop == fits }
func (n *nodes) cell(position int) *Cell    { return &n.known[n.places[position].Number] }

// judge is what plugins say of a node.
func (n *nodes) judge(position int, cell *Cell) bool {
	n.judged++
	cell.Generation, cell.Stop, cell.Status = n.places[position].Generation, n.cell(position).Stop, nil
	if !n.feasible(position) {
		cell.Status = rejected
	}
	return true
}

// rate is how plugins score a node.
func (n *nodes) rate(table *Table) Compute {
	return func(position int, cell *Cell) bool {
		cell.Scored, cell.Sum = n.places[position].Generation, n.cell(position).Sum
		table.Scaled[pods][n.places[position].Number] = n.scaled[n.places[position].Number]
		return true
	}
}

// visit is the search that visits one node after the other.
func (n *nodes) visit(start, wanted int) (visited, feasible []int, next bool) {
	for i := range n.places {
		at := (start + i) % len(n.places)
		if n.feasible(at) {
			if len(feasible) == wanted {
				return visited, feasible, true
			}
			feasible = append(feasible, at)
		}
		visited = append(visited, at)
	}
	return visited, feasible, false
}

// Whatever changes between searches, the tree finds the window, the best, those that are as good and the runner-up that a visit of
// one node after the other finds.
func TestTree_FindsWhatVisitFinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := &nodes{}
		n.order(t, rapid.IntRange(1, 150).Draw(t, "nodes"))
		tables := New(1 << 20)
		tables.Find(sign("web"), 0, 0)
		for range rapid.IntRange(1, 12).Draw(t, "searches") {
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
			table := tables.Find(sign("web"), len(n.known), 1)
			compareSearch(t, n, table, rapid.IntRange(0, len(n.places)-1).Draw(t, "start"), rapid.IntRange(1, len(n.places)).Draw(t, "wanted"))
		}
	})
}

func compareSearch(t *rapid.T, n *nodes, table *Table, start, wanted int) {
	visited, feasible, next := n.visit(start, wanted)
	tree := table.Tree(n.places, n, fits)
	w, ok := tree.Window(start, wanted, n.judge)
	if want := (Window{start, len(visited), len(feasible), next}); !ok || w != want {
		t.Fatalf("the window is %+v, a visit gives %+v", w, want)
	}
	stops, wantStops := make([]int, fits+1), make([]int, fits+1)
	tree.CountStops(w, stops)
	for _, at := range visited {
		wantStops[n.cell(at).Stop]++
	}
	if next {
		wantStops[fits]++
	}
	if !slices.Equal(stops, wantStops) {
		t.Fatalf("the verdicts ended at %v, a visit gives %v", stops, wantStops)
	}
	if len(feasible) > 1 {
		compareBest(t, n, tree, w, feasible, n.rate(table))
	}
}

func compareBest(t *rapid.T, n *nodes, tree *Tree, w Window, feasible []int, rate Compute) {
	sum := func(at int) int64 { return n.cell(at).Sum }
	byRank := slices.Clone(feasible)
	slices.SortStableFunc(byRank, func(a, b int) int { return int(sum(b) - sum(a)) })
	ties := 0
	least, most := int64(9), int64(0)
	for _, at := range feasible {
		if sum(at) == sum(byRank[0]) {
			ties++
		}
		scaled := n.scaled[n.places[at].Number]
		least, most = min(least, scaled), max(most, scaled)
	}
	best, ok := tree.Best(w, rate)
	if !ok || best.Sum != sum(byRank[0]) || best.Ties != ties {
		t.Fatalf("the best are %d of %d, a visit gives %d of %d", best.Ties, best.Sum, ties, sum(byRank[0]))
	}
	if gotLeast, gotMost := best.Scaled(pods); gotLeast != least || gotMost != most {
		t.Fatalf("scaled scores are %d to %d, a visit gives %d to %d", gotLeast, gotMost, least, most)
	}
	won := rapid.IntRange(0, ties-1).Draw(t, "drawn")
	if at := tree.Tied(w, best, won); at != byRank[won] {
		t.Fatalf("number %d of the best is at %d, a visit gives %d", won, at, byRank[won])
	}
	runnerUp := byRank[0]
	if won == 0 {
		runnerUp = byRank[1]
	}
	if at, second := tree.RunnerUp(w, byRank[won]); at != runnerUp || second != sum(runnerUp) {
		t.Fatalf("the runner-up is at %d with %d, a visit gives %d with %d", at, second, runnerUp, sum(runnerUp))
	}
}

// A search computes nothing of nodes that it does not come near to, and after a change of one node that node's verdict alone.
func TestTree_ComputesWhatSearchReaches(t *testing.T) {
	n := &nodes{}
	for i := range 40 * blockSize {
		n.places = append(n.places, Place{Number: int32(i), Generation: 1})
		n.known = append(n.known, Cell{Stop: fits})
	}
	n.moves = 1
	tables := New(1 << 20)
	tables.Find(sign("web"), 0, 0)
	table := tables.Find(sign("web"), len(n.known), 0)
	table.Tree(n.places, n, fits).Window(3, 100, n.judge)
	if most := 5 * blockSize; n.judged > most {
		t.Errorf("finding 100 nodes computes %d verdicts, want at most %d", n.judged, most)
	}
	n.judged = 0
	n.places[7].Generation++
	n.changed = append(n.changed, 7)
	table.Tree(n.places, n, fits).Window(3, 100, n.judge)
	if n.judged != 1 {
		t.Errorf("after a change of one node %d verdicts are computed", n.judged)
	}
}

// A verdict that is not for reuse ends the search; what is known stays right.
func TestTree_FailedVerdictEndsSearch(t *testing.T) {
	n := &nodes{places: []Place{{Number: 0, Generation: 1}, {Number: 1, Generation: 1}}, known: []Cell{{Stop: fits}, {Stop: 1}}, moves: 1}
	tables := New(1 << 20)
	tables.Find(sign("web"), 0, 0)
	table := tables.Find(sign("web"), 2, 0)
	if _, ok := table.Tree(n.places, n, fits).Window(0, 2, func(at int, cell *Cell) bool { return at == 0 && n.judge(at, cell) }); ok {
		t.Fatal("a window without a verdict")
	}
	if w, ok := table.Tree(n.places, n, fits).Window(0, 2, n.judge); !ok || w != (Window{0, 2, 1, false}) {
		t.Errorf("the next search gives %+v", w)
	}
}
