package views

import (
	"strings"
	"time"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var pressurePane = ListPane[PressurePod]{
	Pane: Pane{
		ID: PressurePane, Title: "Pressure", About: AboutNode, Opens: JourneyPane, AllNamespaces: true,
		minW: 50, minH: 8, borderFact: pressureRight,
		named: rowNames{"pods", "on this node"},
	},
	Columns: pressureColumns, Row: pressureRow, Empty: "no pods on this node", Absent: "select a node and press p", Head: pressureHead,
	Rows: Source.PressurePods,
	In: func(m *Model) *List[PressurePod] {
		if m.Pressure == nil {
			return nil
		}
		return &m.Pressure.Pods
	},
	Match: func(f *filter.Row, p *PressurePod) {
		f.Namespace, f.Name, _ = strings.Cut(p.Key, "/")
		f.Labels = p.Labels
	},
	Sorts: pressureSorts, // the collector ranks the pods by the chosen signal
	Key:   func(p *PressurePod) string { return p.Key },
	Pod:   func(p *PressurePod) string { return p.Key },
}

// pressureSorts are the kinds of signals that can rank the pods.
var pressureSorts = []Sort[PressurePod]{{Name: "memory"}, {Name: "disk"}, {Name: "inodes"}, {Name: "image disk"}, {Name: "image inodes"}, {Name: "processes"}}

var signalColumns = []draw.Column{
	{Long: "signal", Short: "signal", Min: 22, Grow: 1, Max: 28, Rank: 0},
	{Long: "state", Short: "state", Min: 14, Rank: 1},
	{Long: "left", Short: "left", Min: 9, Rank: 0, Right: true},
	{Long: "of", Short: "of", Min: 8, Rank: 3, Right: true},
	{Long: "", Short: "", Min: 10, Grow: 2, Max: 40, Rank: 4},
	{Long: "threshold", Short: "threshold", Min: 13, Grow: 1, Max: 26, Rank: 2},
}

var pressureColumns = []draw.Column{
	{Long: "rank", Short: "rank", Min: 4, Rank: 0, Right: true},
	{Long: "pod", Short: "pod", Min: 18, Grow: 4, Max: 52, Rank: 0},
	{Long: "usage", Short: "usage", Min: 9, Rank: 0, Right: true},
	{Long: "requests", Short: "requests", Min: 9, Rank: 2, Right: true},
	{Long: "excess", Short: "excess", Min: 9, Rank: 3, Right: true},
	{Long: "usage / requests", Short: "", Min: 10, Grow: 2, Max: 30, Rank: 5},
	{Long: "priority", Short: "prio", Min: 13, Rank: 4, Right: true},
	{Long: "because", Short: "because", Min: 17, Grow: 2, Max: 40, Rank: 1},
}

func pressureRight(m *Model) string {
	p := m.Pressure
	if p == nil || p.UnrankedBecause != "" {
		return ""
	}
	return "ranked by " + p.RankedBy
}

// pressureHead draws a node's eviction signals, above its pods in eviction order.
func pressureHead(a draw.Area, s *drawCtx) draw.Area {
	p := s.Pressure
	pressureNode(a, p, s.now)
	y := pressureNotes(a, p)
	y = pressureSignals(a, p, y)
	_, rest := a.Top(y)
	return a.In(rest)
}

// pressureNode draws the node, its pressure conditions, and the age of the readings.
func pressureNode(a draw.Area, p *Pressure, now time.Time) {
	x := a.FitHost(0, 0, a.W/2, themes.Title.With(themes.Bold), p.Node)
	r := rowWriter{a: a.Row(0), x: x}
	for _, c := range p.Conditions {
		r.fact(themes.Style(themes.Bad), "≥", c)
	}
	if len(p.Conditions) == 0 {
		r.fact(themes.Style(themes.Good), "✓", "reports no pressure")
	}
	if p.Known {
		r.fact(themes.Style(themes.Dim), string(draw.AppendAge(nil, max(now.Sub(p.At), 0))), "old")
	}
}

// pressureNotes draws the sources of the readings and what is missing, in as few rows as possible, and returns the row
// after.
func pressureNotes(a draw.Area, p *Pressure) int {
	dim, warn := themes.Style(themes.Dim), themes.Style(themes.Warn)
	const most = 3 // rows for one thing
	style := dim
	if !p.Known {
		style = warn
	}
	y := 1
	if p.Next != "" {
		y = a.Wrap(0, y, a.W, most, themes.Text.With(themes.Bold), p.Next)
	}
	y = a.Wrap(0, y, a.W, most, style, p.Usage)
	if len(p.Rules) > 0 {
		y = a.Wrap(0, y, a.W, most, dim, "needs the RBAC rule "+strings.Join(p.Rules, ", or "))
	}
	y = a.Wrap(0, y, a.W, most, dim, p.Thresholds)
	for _, w := range p.Warnings {
		y = a.Wrap(0, y, a.W, 1, warn, "the kubelet warns: "+w)
	}
	if p.UnrankedBecause != "" {
		y = a.Wrap(0, y, a.W, most, warn, p.UnrankedBecause)
	}
	if p.KilledFirst != "" {
		y = a.Wrap(0, y, a.W, 1, dim, p.KilledFirst)
	}
	return y
}

// pressureSignals draws the signals from row y on, those below their threshold if there is little room.
func pressureSignals(a draw.Area, p *Pressure, y int) int {
	beside := 6 // rows for pods, at least
	if !p.Known {
		beside = 12 // what is not measured is worth less
	}
	room := min(len(p.Signals), a.H-y-beside)
	if room <= 0 {
		return y + 1
	}
	y++
	places := draw.Arrange(signalColumns, a.W)
	a.Row(y).Header(signalColumns, &places)
	shown := 0
	for _, pressing := range []bool{true, false} {
		for i := range p.Signals {
			if s := &p.Signals[i]; s.BelowThreshold == pressing && shown < room {
				shown++
				signalRow(a.Row(y+shown), s, &places)
			}
		}
	}
	return y + shown + 2
}

func signalRow(row draw.Area, s *PressureSignal, places *draw.Slots) {
	dim := themes.Style(themes.Dim)
	row.Fit(places[0].X, 0, places[0].W, themes.Style(themes.Text), s.Name)
	token, glyph, word := themes.Good, '✓', "ok"
	switch {
	case !s.Measured:
		token, glyph, word = themes.Dim, '·', "not measured"
	case s.BelowThreshold:
		token, glyph, word = themes.Bad, '≥', "below"
	}
	if places[1].W > 0 {
		row.Set(places[1].X, 0, themes.Style(token), glyph)
		row.Fit(places[1].X+2, 0, places[1].W-2, themes.Style(token), word)
	}
	row.TextRight(places[2].X, 0, places[2].W, themes.Style(themes.Text), s.Available)
	row.TextRight(places[3].X, 0, places[3].W, dim, s.Capacity)
	if s.Measured && places[4].W > 0 {
		row.Bar(places[4].X, 0, places[4].W, themes.Style(token), s.AvailableFraction)
	}
	row.Fit(places[5].X, 0, places[5].W, dim, s.Threshold)
}

func pressureRow(row draw.Area, p *PressurePod, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	if s.Pressure.UnrankedBecause == "" && p.ExcludedBecause == "" && p.Rank > 0 {
		row.CountRight(places[0].X, 0, places[0].W, text, int64(p.Rank))
	} else {
		row.TextRight(places[0].X, 0, places[0].W, dim, "·")
	}
	s.podName(row, places[1], text, p.Name)
	usage := text
	if p.Exceeds {
		usage = themes.Style(themes.Warn)
	}
	row.TextRight(places[2].X, 0, places[2].W, usage, p.Usage)
	row.TextRight(places[3].X, 0, places[3].W, dim, p.Request)
	row.TextRight(places[4].X, 0, places[4].W, usage, p.Excess)
	if p.Share > 0 && places[5].W > 0 {
		row.Bar(places[5].X, 0, places[5].W, usage, min(p.Share, 1))
	}
	row.CountRight(places[6].X, 0, places[6].W, dim, int64(p.Priority))
	row.Fit(places[7].X, 0, places[7].W, dim, evictionReason(p, s.Pressure))
}

// evictionReason returns what gives a pod its rank.
func evictionReason(p *PressurePod, of *Pressure) string {
	switch {
	case p.ExcludedBecause != "":
		return p.ExcludedBecause + ": not evicted"
	case of.UnrankedBecause != "":
		return p.Because
	case p.Rank == 0:
		return "came after the reading"
	case !p.Measured:
		return "no usage data"
	case of.RankedBy == "pid.available":
		return "priority, then processes"
	case p.Exceeds:
		return "usage exceeds requests"
	}
	return "usage within requests"
}
