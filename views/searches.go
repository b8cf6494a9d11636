package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

var laneColumns = []draw.Column{
	{Long: "zone", Short: "zone", Min: 12, Grow: 1, Max: 24, Rank: 0},
	{Long: "nodes", Short: "nodes", Min: 7, Rank: 1, Right: true},
	{Long: "feasible", Short: "feasible", Min: 9, Rank: 2, Right: true},
	{Long: "rejected", Short: "rejected", Min: 9, Rank: 3, Right: true},
	{Long: "allocated", Short: "allocated", Min: 14, Grow: 3, Max: 60, Rank: 4},
}

var searchColumns = []draw.Column{
	{Long: "at", Short: "at", Min: 10, Rank: 3, Right: true},
	{Long: "for", Short: "for", Min: 16, Grow: 2, Max: 40, Rank: 0},
	{Long: "nodes examined", Short: "examined", Min: 12, Grow: 4, Rank: 1},
	{Long: "feasible", Short: "feasible", Min: 11, Rank: 2},
	{Long: "chosen", Short: "chosen", Min: 14, Grow: 1, Max: 32, Rank: 4},
}

// zonesBelow draws the figures of each zone and the latest searches below the lanes.
func zonesBelow(a draw.Area, z *Zones, s *drawCtx) {
	_, rest := a.Top(1)
	zones, rest := rest.Top(len(z.Lanes) + 1)
	zoneNumbers(a.In(zones), z)
	if _, rest = rest.Top(1); rest.H > 1 && len(z.Searches) > 0 {
		drawSearches(a.In(rest), z.Searches, s)
	}
}

func zoneNumbers(a draw.Area, z *Zones) {
	places := draw.Arrange(laneColumns, a.W-2)
	head := a
	_, head.Rect = a.Left(2)
	head.Header(laneColumns, &places)
	for i := range z.Lanes {
		l, row := &z.Lanes[i], head.Row(i+1)
		name := l.Zone
		if name == "" {
			name = "no zone"
		}
		row.Fit(places[0].X, 0, places[0].W, themes.Style(themes.Text), name)
		row.CountRight(places[1].X, 0, places[1].W, themes.Style(themes.Dim), int64(l.Nodes))
		row.CountRight(places[2].X, 0, places[2].W, themes.Style(themes.Good), int64(l.Feasible))
		row.CountRight(places[3].X, 0, places[3].W, themes.Style(themes.Bad), int64(l.Rejected))
		if p := places[4]; p.W > 0 {
			row.Bar(p.X+1, 0, p.W-6, themes.Style(themes.Heat(l.Allocated)), l.Allocated)
			row.PercentRight(p.X+p.W-5, 0, 5, themes.Style(themes.Text), l.Allocated)
		}
	}
}

// drawSearches draws a line for every search, the newest first: its range of nodes, its start index, and the chosen node.
func drawSearches(a draw.Area, searches []Search, s *drawCtx) {
	drawHeading(a, 0, "recent searches")
	places := draw.Arrange(searchColumns, a.W)
	a.Row(1).Header(searchColumns, &places)
	for i := range min(a.H-2, len(searches)) {
		s.searchRow(a.Row(i+2), &searches[i], &places)
	}
}

func (s *drawCtx) searchRow(row draw.Area, q *Search, places *draw.Slots) {
	s.timeRight(row, places[0].X, places[0].W, themes.Style(themes.Dim), q.At)
	s.podName(row, places[1], themes.Style(themes.Text), q.Pod)
	drawSearchRange(row, places[2], q)
	drawShare(row, places[3], q.Feasible, q.Examined)
	if q.Chosen == "" {
		row.Fit(places[4].X, 0, places[4].W, themes.Style(themes.Bad), "✗ none")
		return
	}
	row.FitHost(places[4].X, 0, places[4].W, themes.Style(themes.Text), q.Chosen)
}

// drawSearchRange draws the order of all nodes as a line, and on it the range that a search visited: from its start
// index until it had enough nodes, wrapping at the end.
func drawSearchRange(row draw.Area, p draw.Slot, q *Search) {
	if p.W == 0 || q.Nodes <= 0 {
		return
	}
	token := themes.Good
	if q.Feasible == 0 {
		token = themes.Bad
	}
	row.Repeat(p.X, 0, p.W, themes.Style(themes.Border), '┄')
	column := func(node int) int { return node % q.Nodes * p.W / q.Nodes }
	steps := min((q.Examined*p.W+q.Nodes-1)/q.Nodes, p.W)
	for i := range steps {
		row.Set(p.X+(column(q.Start)+i)%p.W, 0, themes.Style(token), '━')
	}
	row.Set(p.X+column(q.Start), 0, themes.Focus.With(themes.Bold), '▸')
	if q.Chosen != "" && q.Place >= 0 {
		row.Set(p.X+column(q.Place), 0, themes.Focus.With(themes.Bold), '★')
	}
}
