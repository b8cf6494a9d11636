package views

import (
	"strconv"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// Pending is all pending pods by owner and cause, at one moment.
type Pending struct {
	At   time.Time
	Pods int
	// Groups are the groups, the largest first; More is how many small ones are left out.
	Groups List[PendingGroup]
	More   int
	// Capacity names which nodes would place the pods; empty if no number of nodes does.
	Capacity string
}

// PendingGroup is the pending pods of one owner that wait for the same reason.
type PendingGroup struct {
	Owner string // "namespace/deployment/web"
	// Key is the first pod's.
	Key    string
	Pods   int
	Oldest time.Time
	Cause  string
	// Fix is the change that places the most of the pods, and Places how many; empty if none places one.
	Fix    string
	Places int
}

var pendingPane = ListPane[PendingGroup]{
	Pane:    Pane{ID: PendingPane, Title: "Pending", Opens: ExplainPane, minW: 50, minH: 8},
	Columns: pendingColumns, Row: pendingRow, Empty: "no pending pods", Absent: "press P to group the pending pods", Head: pendingHead,
	Detail: func(g *PendingGroup) (string, string) {
		if g.Fix == "" {
			return g.Owner, joinDetails(g.Cause, "no single change that was tried places one of them")
		}
		return g.Owner, joinDetails(g.Cause, g.Fix+" places "+placesText(g))
	},
	In:  in(func(m *Model) *Pending { return m.Pending }, func(p *Pending) *List[PendingGroup] { return &p.Groups }),
	Key: func(g *PendingGroup) string { return g.Key },
	Pod: func(g *PendingGroup) string { return g.Key },
}

var pendingColumns = []draw.Column{
	{Long: "pods", Short: "pods", Min: 5, Rank: 0, Right: true},
	{Long: "", Short: "", Min: 8, Grow: 1, Max: 16, Rank: 5},
	{Long: "owner", Short: "owner", Min: 20, Grow: 3, Max: 46, Rank: 0},
	{Long: "oldest", Short: "oldest", Min: 6, Rank: 4, Right: true},
	{Long: "cause", Short: "cause", Min: 24, Grow: 6, Rank: 1},
	{Long: "best fix", Short: "best fix", Min: 22, Grow: 4, Max: 60, Rank: 3},
	{Long: "places", Short: "places", Min: 11, Rank: 2, Right: true},
}

func placesText(g *PendingGroup) string {
	return strconv.Itoa(g.Places) + " of " + strconv.Itoa(g.Pods)
}

// pendingHead draws what would help all pending pods.
func pendingHead(a draw.Area, s *drawCtx) draw.Area {
	p := s.Pending
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	r := rowWriter{a: a.Row(0)}
	r.number(text, "", p.Pods, "pending pods")
	r.number(text, "", p.Groups.Total+p.More, "groups by owner and cause")
	r.fact(dim, "diagnosed", formatSpan(max(s.now.Sub(p.At), 0))+" ago, P again")
	y := 1
	if p.Capacity != "" {
		a.Set(0, y, themes.Style(themes.Good), '→')
		y = a.Wrap(2, y, a.W-2, 2, themes.Style(themes.Good), p.Capacity)
	}
	if p.More > 0 {
		y = a.Wrap(0, y, a.W, 1, dim, strconv.Itoa(p.More)+" smaller groups are left out")
	}
	_, rest := a.Top(y + 1)
	return a.In(rest)
}

func pendingRow(row draw.Area, g *PendingGroup, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	row.CountRight(places[0].X, 0, places[0].W, themes.Bad.With(themes.Bold), int64(g.Pods))
	if places[1].W > 0 {
		row.Bar(places[1].X, 0, places[1].W, themes.Style(themes.Bad), float64(g.Pods)/float64(max(s.Pending.Pods, 1)))
	}
	s.podName(row, places[2], text, g.Owner)
	if !g.Oldest.IsZero() {
		row.AgeRight(places[3].X, 0, places[3].W, dim, max(s.now.Sub(g.Oldest), 0))
	}
	row.Fit(places[4].X, 0, places[4].W, text, g.Cause)
	if g.Fix == "" {
		row.Fit(places[5].X, 0, places[5].W, dim, "–")
		return
	}
	row.Fit(places[5].X, 0, places[5].W, themes.Style(themes.Good), g.Fix)
	row.TextRight(places[6].X, 0, places[6].W, themes.Style(themes.Good), placesText(g))
}
