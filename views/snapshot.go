package views

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"orrery/core/safe/plural"
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var snapshotPane = ListPane[NodeRow]{
	Pane: Pane{
		ID: SnapshotPane, Title: "Snapshot", Help: "what the scheduler believes of the nodes", Digit: '3', Opens: NodePane,
		minW: 30, minH: 3, body: drawSnapshot, drawLine: stripSnapshot, borderFact: snapshotRight,
		named: rowNames{Many: "nodes"},
	},
	Columns: nodeColumns, Row: nodeRow, Empty: "there are no nodes",
	Rows:  Source.SnapshotNodes,
	In:    in(func(m *Model) *Snapshot { return m.Snapshot }, func(p *Snapshot) *List[NodeRow] { return &p.List }),
	Match: matchNode, Sorts: nodeSorts, Key: nodeKey, Node: nodeKey,
}

func matchNode(f *filter.Row, n *NodeRow) {
	f.Name, f.Labels = n.Key, n.Labels
	f.Words = [4]string{n.Zone, n.Flags.Words(), n.Taints}
}

// Words returns the lasting flags in words, for filters.
func (f NodeFlags) Words() string {
	var words []string
	for _, m := range nodeMarks {
		if f&m.flag&^Changed != 0 {
			words = append(words, m.word, string(m.glyph))
		}
	}
	return strings.Join(words, " ")
}

var nodeSorts = []Sort[NodeRow]{
	by("name", nodeKey),
	by("zone", func(n *NodeRow) string { return n.Zone }),
	byMost("generation", func(n *NodeRow) int64 { return n.Generation }),
	byMost("cpu", func(n *NodeRow) float64 { return n.CPU.Fraction }),
	byMost("memory", func(n *NodeRow) float64 { return n.Memory.Fraction }),
	byMost("pods", func(n *NodeRow) int { return n.PodCount }),
}

func nodeKey(n *NodeRow) string { return n.Key }

var nodeColumns = []draw.Column{
	{Long: "node", Short: "node", Min: 14, Grow: 4, Max: 44, Rank: 0},
	{Long: "zone", Short: "zone", Min: 8, Grow: 1, Max: 18, Rank: 6},
	{Long: "generation", Short: "gen", Min: 7, Grow: 1, Max: 10, Rank: 4, Right: true},
	{Long: "cpu", Short: "cpu", Min: 12, Grow: 3, Max: 34, Rank: 1},
	{Long: "memory", Short: "mem", Min: 12, Grow: 3, Max: 34, Rank: 2},
	{Long: "pods", Short: "pods", Min: 7, Rank: 3, Right: true},
	{Long: "state", Short: "state", Min: 11, Grow: 5, Rank: 5},
	{Long: "affinity", Short: "affinity", Min: 8, Rank: 7, ShowFrom: 150, Right: true},
	{Long: "claims", Short: "claims", Min: 6, Rank: 8, ShowFrom: 150, Right: true},
	{Long: "images", Short: "images", Min: 6, Rank: 9, ShowFrom: 150, Right: true},
	{Long: "ports", Short: "ports", Min: 5, Rank: 10, ShowFrom: 150, Right: true},
}

// troubledColumns are the same columns for the nodes in trouble.
var troubledColumns = append([]draw.Column{{Long: "in trouble", Short: "in trouble", Min: 14, Grow: 4, Max: 44, Rank: 0}}, nodeColumns[1:]...)

// recentColumns are the same columns for the nodes that changed last.
var recentColumns = append([]draw.Column{{Long: "changed last", Short: "changed", Min: 14, Grow: 4, Max: 44, Rank: 0}}, nodeColumns[1:]...)

func snapshotRight(m *Model) string {
	if m.Snapshot == nil {
		return ""
	}
	return countNodes(m.Snapshot.Nodes) + " · " + count(m.Snapshot.Changed, "changed")
}

func drawSnapshot(a draw.Area, s *drawCtx) {
	p := s.Snapshot
	if p == nil {
		drawAbsent(a, "no snapshot has been taken yet")
		return
	}
	snapshotFacts(a.Row(0), p, s)
	if p.Capacity != nil && a.H > len(p.Heat)+5 {
		drawCapacity(a.Row(1), p.Capacity)
		_, rest := a.Top(1)
		a = a.In(rest)
	}
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
		s.pane.list.draw(a.In(rest), s)
	case listed > 1:
		recentNodes(a.In(rest), s)
	}
}

// drawCapacity draws what the cluster has free, and the largest pod that fits.
func drawCapacity(row draw.Area, c *Capacity) {
	text := themes.Style(themes.Text)
	r := rowWriter{a: row}
	r.fact(text.With(themes.Bold), c.CPU.Used, "of "+c.CPU.Most+" cpu free")
	r.fact(text.With(themes.Bold), c.Memory.Used, "of "+c.Memory.Most+" memory")
	size := c.PodCPU + " cpu, " + c.PodMemory
	for _, largest := range [...]string{"largest pod " + size + " on " + c.PodNode, "largest pod " + size, "fits " + size} {
		if r.x+3+draw.Width(largest) < row.W {
			r.fact(themes.Style(themes.Dim), largest, "")
			return
		}
	}
}

// staleAfter is the age from which a snapshot without the cluster's last changes says so. A younger one waits for the next pod only.
const staleAfter = 2 * time.Second

// stale returns by how many nodes a snapshot is behind the cluster, in the longest words that fit; empty if it is not, or only just.
func stale(behind int, taken, now time.Time, width int) string {
	age := now.Sub(taken)
	if behind == 0 || !taken.IsZero() && age < staleAfter {
		return ""
	}
	long, short := " changed since this snapshot, "+string(draw.AppendAge(nil, age))+" ago: it is renewed with the next pod", " changed since"
	if taken.IsZero() {
		long, short = " not in the snapshot: it is renewed with the next pod", " not in it"
	}
	sign, nodes := "≥ ", countNodes(behind)
	if text := sign + nodes + long; draw.Width(text) <= width {
		return text
	}
	if text, _, _ := strings.Cut(sign+nodes+long, ":"); draw.Width(text) <= width {
		return text
	}
	return sign + nodes + short
}

func snapshotFacts(a draw.Area, p *Snapshot, s *drawCtx) {
	text := themes.Style(themes.Text)
	if behind := stale(p.Behind, p.Taken, s.now, a.W); behind != "" && p.Drift == "" {
		r := rowWriter{a: a, x: a.Fit(0, 0, a.W, themes.Style(themes.Warn), behind)}
		r.fact(text, "gen "+string(draw.AppendCount(nil, p.Generation)), "")
		return
	}
	r := rowWriter{a: a}
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
	if s.full && p.Reuse != nil {
		reuseFacts(&r, p.Reuse)
	}
	if s.Devices != nil && s.pane.ID == SnapshotPane && !s.full {
		r.fact(text, strconv.Itoa(inUse(&s.Devices.Count))+"/"+strconv.Itoa(s.Devices.all()), "devices in use")
	}
}

// reuseFacts draws the share of verdicts and scores that earlier pods had, and what keeping them takes.
func reuseFacts(r *rowWriter, u *Reuse) {
	text := themes.Style(themes.Text)
	r.fact(text, strconv.FormatFloat(100*u.Share, 'f', 1, 64)+"%", "of verdicts and scores reused")
	r.number(text, "", u.Kinds, plural.Of(u.Kinds, "kind")+" of pods kept").fact(text, u.Bytes, "")
	if u.Evicted > 0 {
		r.number(themes.Style(themes.Warn), "", u.Evicted, "evicted")
	}
}

// recentNodes draws the nodes in trouble, and below them those that changed last, under column headings.
func recentNodes(a draw.Area, s *drawCtx) {
	recent, ring := s.Snapshot.Recent, &s.stableRows().nodes
	places := draw.Arrange(recentColumns, a.W-ringGutter)
	_, head := a.Left(ringGutter)
	if n := min(len(s.Snapshot.Troubled), (a.H-1)/2); n > 0 {
		recent = slices.DeleteFunc(slices.Clone(recent), func(r NodeRow) bool { // one row for each node
			return slices.ContainsFunc(s.Snapshot.Troubled[:n], func(t NodeRow) bool { return t.Key == r.Key })
		})
		a.In(head).Header(troubledColumns, &places)
		for y := range n {
			r := &s.Snapshot.Troubled[y]
			row := s.overviewRow(a.Row(y+1), nodeTarget(r))
			nodeRow(unmarkedRow(row), r, &places, s)
		}
		_, a.Rect = a.Top(n + 1)
		_, head = a.Left(ringGutter)
	}
	a.In(head).Header(recentColumns, &places)
	for y, i := range ring.assign(a.H-1, len(recent), func(i int) rowID { return rowID{name: recent[i].Key} }) {
		if i >= 0 {
			row := s.overviewRow(a.Row(y+1), nodeTarget(&recent[i]))
			nodeRow(newestRow(row, ring, y, newest), &recent[i], &places, s)
		}
	}
}

func nodeTarget(n *NodeRow) OverviewRow { return OverviewRow{Key: n.Key, Opens: NodePane, Node: n.Key} }

func nodeRow(row draw.Area, n *NodeRow, places *draw.Slots, _ *drawCtx) {
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	generation := dim
	if n.Flags&Changed != 0 {
		generation = themes.Focus.With(themes.Bold)
	}
	row.FitHost(places[0].X, 0, places[0].W, text, n.Name)
	row.Fit(places[1].X, 0, places[1].W, dim, n.Zone)
	row.CountRight(places[2].X, 0, places[2].W, generation, n.Generation)
	drawAmount(row, places[3], n.CPU)
	drawAmount(row, places[4], n.Memory)
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
	optionalCount(row, places[7], n.Affine, affinity)
	optionalCount(row, places[8], n.Claims, "")
	optionalCount(row, places[9], n.Images, "")
	optionalCount(row, places[10], n.Ports, "")
}

// optionalCount draws a count if it is not zero, or words in its place if there are any.
func optionalCount(row draw.Area, p draw.Slot, n int, words string) {
	switch {
	case n == 0 || p.W == 0:
	case words != "":
		row.TextRight(p.X, 0, p.W, themes.Style(themes.Dim), words)
	default:
		row.CountRight(p.X, 0, p.W, themes.Style(themes.Dim), int64(n))
	}
}

// nodeMarks are the signs of node flags, the gravest first.
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

// drawAmount draws how much is used: a bar, the percentage, and the numbers if there is room.
func drawAmount(row draw.Area, p draw.Slot, v Amount) {
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

// amountNumbers is the width of the numbers behind a bar, so that all bars of a column are equally long.
const amountNumbers = 15

func stripSnapshot(a draw.Area, s *drawCtx) {
	p := s.Snapshot
	if p == nil {
		return
	}
	text := themes.Style(themes.Text)
	r := rowWriter{a: a}
	if p.Drift != "" {
		r.fact(themes.Bad.With(themes.Bold), "✗", "drift: "+p.Drift)
	}
	if behind := stale(p.Behind, p.Taken, s.now, a.W/2); behind != "" {
		r.fact(themes.Style(themes.Warn), behind, "")
	}
	r.number(text, "", p.Nodes, plural.Of(p.Nodes, "node")).number(text, "", p.Changed, "changed").number(text, "", int(p.Generation), "generation")
}
