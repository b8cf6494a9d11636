package views

import (
	"strings"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

var signalColumns = []draw.Column{
	{Long: "signal", Short: "signal", Min: 22, Grow: 1, Most: 28, Rank: 0},
	{Long: "state", Short: "state", Min: 14, Rank: 1},
	{Long: "left", Short: "left", Min: 9, Rank: 0, Right: true},
	{Long: "of", Short: "of", Min: 8, Rank: 3, Right: true},
	{Long: "", Short: "", Min: 10, Grow: 2, Most: 40, Rank: 4},
	{Long: "acts below", Short: "acts below", Min: 13, Grow: 1, Most: 26, Rank: 2},
}

var pressureColumns = []draw.Column{
	{Long: "goes", Short: "goes", Min: 4, Rank: 0, Right: true},
	{Long: "pod", Short: "pod", Min: 18, Grow: 4, Most: 52, Rank: 0},
	{Long: "uses", Short: "uses", Min: 9, Rank: 0, Right: true},
	{Long: "asks for", Short: "asks for", Min: 9, Rank: 2, Right: true},
	{Long: "beyond", Short: "beyond", Min: 9, Rank: 3, Right: true},
	{Long: "of its request", Short: "", Min: 10, Grow: 2, Most: 30, Rank: 5},
	{Long: "priority", Short: "prio", Min: 13, Rank: 4, Right: true},
	{Long: "because", Short: "because", Min: 17, Grow: 2, Most: 40, Rank: 1},
}

func pressureRight(m *Model) string {
	p := m.Pressure
	if p == nil || p.Unranked != "" {
		return ""
	}
	return "ranked by " + p.By
}

// drawPressure is one node: what its kubelet watches, and the pods in the order in which it would evict them.
func drawPressure(a draw.Area, s *scene) {
	p := s.Pressure
	if p == nil {
		absent(a, "choose a node, and press p")
		return
	}
	pressureHead(a, p, s.now)
	y := pressureSays(a, p)
	y = pressureSignals(a, p, y)
	_, rest := a.Top(y)
	table(a.In(rest), s, pressureColumns, &p.Pods, "no pod is on it", pressureRow)
}

// pressureHead is the node, the pressure that it reports, and how old what is known is.
func pressureHead(a draw.Area, p *Pressure, now time.Time) {
	x := a.FitHost(0, 0, a.W/2, themes.Title.With(themes.Bold), p.Node)
	r := run{a: a.Row(0), x: x}
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

// pressureSays tells where the numbers are from and what is missing, in as few rows as that takes, and gives the row after.
func pressureSays(a draw.Area, p *Pressure) int {
	dim, warn := themes.Style(themes.Dim), themes.Style(themes.Warn)
	const most = 3 // rows for one thing
	style := dim
	if !p.Known {
		style = warn
	}
	y := a.Wrap(0, 1, a.W, most, style, p.Usage)
	if len(p.Rules) > 0 {
		y = a.Wrap(0, y, a.W, most, dim, "it takes the RBAC rule "+strings.Join(p.Rules, ", or "))
	}
	y = a.Wrap(0, y, a.W, most, dim, p.Thresholds)
	for _, w := range p.Warnings {
		y = a.Wrap(0, y, a.W, 1, warn, "the kubelet warns: "+w)
	}
	if p.Unranked != "" {
		y = a.Wrap(0, y, a.W, most, warn, p.Unranked)
	}
	return y
}

// pressureSignals draws what the kubelet watches from a row on, what is most pressing first where there is little room.
func pressureSignals(a draw.Area, p *Pressure, y int) int {
	const beside = 6 // rows for pods, at least
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
			if s := &p.Signals[i]; s.Met == pressing && shown < room {
				shown++
				signalRow(a.Row(y+shown), s, &places)
			}
		}
	}
	return y + shown + 2
}

func signalRow(row draw.Area, s *PressureSignal, places *draw.Columns) {
	dim := themes.Style(themes.Dim)
	row.Fit(places[0].X, 0, places[0].W, themes.Style(themes.Text), s.Name)
	token, glyph, word := themes.Good, '✓', "enough"
	switch {
	case !s.Measured:
		token, glyph, word = themes.Dim, '·', "not measured"
	case s.Met:
		token, glyph, word = themes.Bad, '≥', "too little"
	}
	if places[1].W > 0 {
		row.Set(places[1].X, 0, themes.Style(token), glyph)
		row.Fit(places[1].X+2, 0, places[1].W-2, themes.Style(token), word)
	}
	row.TextRight(places[2].X, 0, places[2].W, themes.Style(themes.Text), s.Available)
	row.TextRight(places[3].X, 0, places[3].W, dim, s.Capacity)
	if s.Measured && places[4].W > 0 {
		row.Bar(places[4].X, 0, places[4].W, themes.Style(token), s.Left)
	}
	row.Fit(places[5].X, 0, places[5].W, dim, s.Threshold)
}

func pressureRow(row draw.Area, p *PressurePod, places *draw.Columns, s *scene) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	if s.Pressure.Unranked == "" && p.Spared == "" {
		row.CountRight(places[0].X, 0, places[0].W, text, int64(p.Place))
	} else {
		row.TextRight(places[0].X, 0, places[0].W, dim, "·")
	}
	pod(row, places[1], text, p.Name)
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
	row.Fit(places[7].X, 0, places[7].W, dim, becauseOf(p, s.Pressure))
}

// becauseOf is what gives a pod its place.
func becauseOf(p *PressurePod, of *Pressure) string {
	switch {
	case p.Spared != "":
		return p.Spared + ": never evicted"
	case of.Unranked != "":
		return ""
	case !p.Measured:
		return "nothing measured of it"
	case of.By == "pid.available":
		return "priority, then processes"
	case p.Exceeds:
		return "beyond its request"
	}
	return "within its request"
}
