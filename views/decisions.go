package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

var decisionColumns = []draw.Column{
	{Long: "number", Short: "no.", Min: 7, Rank: 6, Right: true},
	{Long: "at", Short: "at", Min: 10, Rank: 3, Right: true},
	{Long: "verdict", Short: "verdict", Min: 10, Grow: 1, Most: 15, Rank: 0},
	{Long: "pod", Short: "pod", Min: 16, Grow: 4, Most: 48, Rank: 0},
	{Long: "node, or what keeps it", Short: "node or reason", Min: 14, Grow: 6, Rank: 1},
	{Long: "feasible", Short: "feasible", Min: 11, Rank: 4},
	{Long: "score", Short: "score", Min: 6, Rank: 5, Right: true},
	{Long: "try", Short: "try", Min: 3, Rank: 7, Right: true},
	{Long: "took", Short: "took", Min: 5, Rank: 2, Right: true},
}

var verdictLooks = [...]look{
	Placed:  {'✓', "placed", "placed", themes.Good},
	NoFit:   {'✗', "unschedulable", "no fit", themes.Bad},
	Failed:  {'☠', "failed", "failed", themes.Warn},
	Skipped: {'·', "skipped", "skipped", themes.Dim},
}

func decisionsRight(m *Model) string {
	d := m.Decisions
	if d == nil {
		return ""
	}
	return "✓ " + count(int(d.Placed), "placed") + " · ✗ " + count(int(d.Unschedulable), "unschedulable")
}

func drawDecisions(a draw.Area, s *scene) {
	if s.Decisions == nil {
		absent(a, "nothing has been decided yet")
		return
	}
	a = decisionDetail(a, s, selected(s, &s.Decisions.List))
	table(a, s, decisionColumns, &s.Decisions.List, "nothing has been decided yet", decisionRow)
}

func decisionRow(row draw.Area, d *DecisionRow, places *draw.Columns, _ *scene) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	look := verdictLooks[d.Verdict]
	style := themes.Style(look.token)
	row.CountRight(places[0].X, 0, places[0].W, dim, int64(d.Seq))
	row.ClockRight(places[1].X, 0, places[1].W, dim, d.At)
	word := look.word
	if len(word)+2 > places[2].W {
		word = look.short
	}
	row.Set(places[2].X, 0, style, look.glyph)
	row.Fit(places[2].X+2, 0, places[2].W-2, style, word)
	pod(row, places[3], text, d.Pod)
	decisionOutcome(row, places[4], d)
	if d.Nodes > 0 {
		shareOf(row, places[5], d.Feasible, d.Examined)
	}
	if d.Score != 0 {
		row.CountRight(places[6].X, 0, places[6].W, text, d.Score)
	}
	row.CountRight(places[7].X, 0, places[7].W, dim, int64(d.Attempt))
	if d.Took > 0 {
		row.SpanRight(places[8].X, 0, places[8].W, text, d.Took)
	}
}

func decisionOutcome(row draw.Area, p draw.Place, d *DecisionRow) {
	x := p.X
	if d.Node != "" {
		sign, style := '→', themes.Style(themes.Text)
		if d.Verdict != Placed {
			sign, style = Nominated.Glyph(), themes.Style(themes.Nominated)
		}
		row.Set(x, 0, themes.Style(themes.Dim), sign)
		x = row.FitHost(x+2, 0, p.W-2, style, d.Node) + 2
	}
	reason(row, x, p.X+p.W-x, themes.Style(themes.Dim), d.Reason)
}
