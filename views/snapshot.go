package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

var nodeColumns = []draw.Column{
	{Long: "node", Short: "node", Min: 14, Grow: 4, Most: 44, Rank: 0},
	{Long: "zone", Short: "zone", Min: 8, Grow: 1, Most: 18, Rank: 6},
	{Long: "generation", Short: "gen", Min: 7, Grow: 1, Most: 10, Rank: 4, Right: true},
	{Long: "cpu", Short: "cpu", Min: 12, Grow: 3, Most: 34, Rank: 1},
	{Long: "memory", Short: "mem", Min: 12, Grow: 3, Most: 34, Rank: 2},
	{Long: "pods", Short: "pods", Min: 7, Rank: 3, Right: true},
	{Long: "state", Short: "state", Min: 10, Grow: 5, Rank: 5},
	{Long: "affinity", Short: "affin.", Min: 6, Grow: 1, Most: 8, Rank: 7, From: 150, Right: true},
	{Long: "claims", Short: "claims", Min: 6, Rank: 8, From: 150, Right: true},
	{Long: "images", Short: "images", Min: 6, Rank: 9, From: 150, Right: true},
	{Long: "ports", Short: "ports", Min: 5, Rank: 10, From: 150, Right: true},
}

// recentColumns are the same for the nodes that changed last.
var recentColumns = append([]draw.Column{{Long: "changed last", Short: "changed last", Min: 14, Grow: 4, Most: 44, Rank: 0}}, nodeColumns[1:]...)

func snapshotRight(m *Model) string {
	if m.Snapshot == nil {
		return ""
	}
	return nodes(m.Snapshot.Nodes) + " · " + count(m.Snapshot.Changed, "changed")
}

func drawSnapshot(a draw.Area, s *scene) {
	p := s.Snapshot
	if p == nil {
		absent(a, "no snapshot has been taken yet")
		return
	}
	snapshotFacts(a.Row(0), p, s)
	gap := 0
	if a.H > len(p.Heat)+4 {
		gap = 1
	}
	_, rest := a.Top(1 + gap)
	a = a.In(rest)
	listed := min(len(p.Recent)+1, max(a.H-len(p.Heat)-2, 0)/2) // recent nodes, below the map
	if s.full {
		listed = max(a.H*3/5, min(a.H-4, 8))
	}
	most := max(a.H-listed-1-gap, len(p.Heat))
	plan := planHeat(p.Heat, a.W, most)
	mapped, rest := a.Rect.Top(plan.rows + 1)
	drawHeat(a.In(mapped), p.Heat, plan)
	_, rest = rest.Top(gap)
	switch {
	case s.full:
		table(a.In(rest), s, nodeColumns, &p.List, "there are no nodes", nodeRow)
	case listed > 1:
		recentNodes(a.In(rest), s)
	}
}

func snapshotFacts(a draw.Area, p *Snapshot, s *scene) {
	text := themes.Style(themes.Text)
	r := run{a: a}
	r.fact(text, "gen "+string(draw.AppendCount(nil, p.Generation)), "")
	if !p.Taken.IsZero() {
		r.fact(text, string(draw.AppendAge(nil, s.now.Sub(p.Taken))), "old")
	}
	if p.Drift != "" {
		a.Fit(r.x+3, 0, a.W-r.x-3, themes.Bad.With(themes.Bold), "✗ drift: "+p.Drift)
		return
	}
	if p.Compared {
		r.fact(themes.Style(themes.Good), "✓", "no drift")
	}
}

// recentNodes are the nodes that changed last, under the headings of their columns.
func recentNodes(a draw.Area, s *scene) {
	recent, ring := s.Snapshot.Recent, &s.places().nodes
	places := draw.Arrange(recentColumns, a.W-ringGutter)
	head := a
	_, head.Rect = a.Left(ringGutter)
	head.Header(recentColumns, &places)
	for y, i := range ring.place(a.H-1, len(recent), func(i int) deed { return deed{name: recent[i].Key} }) {
		if i >= 0 {
			nodeRow(latest(a.Row(y+1), ring, y), &recent[i], &places, s)
		}
	}
}

func nodeRow(row draw.Area, n *NodeRow, places *draw.Columns, _ *scene) {
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	generation := dim
	if n.Flags&Changed != 0 {
		generation = themes.Focus.With(themes.Bold)
	}
	row.FitHost(places[0].X, 0, places[0].W, text, n.Name)
	row.Fit(places[1].X, 0, places[1].W, dim, n.Zone)
	row.CountRight(places[2].X, 0, places[2].W, generation, n.Generation)
	amount(row, places[3], n.CPU)
	amount(row, places[4], n.Memory)
	if n.Pods.Most != "" {
		row.TextRight(places[5].X, 0, places[5].W, dim, n.Pods.Used+"/"+n.Pods.Most)
	}
	x, end := places[6].X, places[6].X+places[6].W
	for _, f := range nodeMarks {
		if n.Flags&f.flag != 0 && x+2+len(f.word) <= end {
			row.Set(x, 0, themes.Style(f.token), f.glyph)
			x = row.Text(x+2, 0, themes.Style(f.token), f.word) + 2
		}
	}
	if n.Taints != "" && (end-x >= 20 || draw.Width(n.Taints) <= end-x) {
		row.Fit(x, 0, end-x, dim, n.Taints)
	}
	affinity := string(draw.AppendCount(nil, int64(n.Affine)))
	if n.Repelling > 0 {
		affinity += "/" + string(draw.AppendCount(nil, int64(n.Repelling)))
	}
	some(row, places[7], n.Affine, affinity)
	some(row, places[8], n.Claims, "")
	some(row, places[9], n.Images, "")
	some(row, places[10], n.Ports, "")
}

// some is a number that is only shown where there is something, in words if it has any.
func some(row draw.Area, p draw.Place, n int, words string) {
	switch {
	case n == 0 || p.W == 0:
	case words != "":
		row.TextRight(p.X, 0, p.W, themes.Style(themes.Dim), words)
	default:
		row.CountRight(p.X, 0, p.W, themes.Style(themes.Dim), int64(n))
	}
}

// nodeMarks are what is particular about a node, the gravest first.
var nodeMarks = [...]struct {
	flag  NodeFlags
	glyph rune
	word  string
	token themes.Token
}{
	{NotReady, '✗', "not ready", themes.Bad},
	{Pressed, '≥', "pressure", themes.Warn},
	{Cordoned, '⊘', "cordoned", themes.Warn},
	{Changed, '◆', "changed", themes.Focus},
}

// amount draws how much is used: a bar, the percentage, and the numbers where there is room.
func amount(row draw.Area, p draw.Place, v Amount) {
	if p.W == 0 {
		return
	}
	token := themes.Heat(v.Fraction)
	bar := p.W - 5
	if bar-amountNumbers >= 8 {
		bar -= amountNumbers
		row.TextRight(p.X+bar+5, 0, amountNumbers, themes.Style(themes.Dim), v.Used+"/"+v.Most)
	}
	row.Bar(p.X, 0, bar, themes.Style(token), v.Fraction)
	row.PercentRight(p.X+bar, 0, 5, themes.Style(themes.Text), v.Fraction)
}

// amountNumbers is the room of what is used and what there is, behind a bar, so that all bars of a column are as long.
const amountNumbers = 15

func stripSnapshot(a draw.Area, s *scene) {
	p := s.Snapshot
	if p == nil {
		return
	}
	text := themes.Style(themes.Text)
	r := run{a: a}
	if p.Drift != "" {
		r.fact(themes.Bad.With(themes.Bold), "✗", "drift: "+p.Drift)
	}
	r.number(text, "", p.Nodes, "nodes").number(text, "", p.Changed, "changed").number(text, "", int(p.Generation), "generation")
}
