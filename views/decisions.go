package views

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"orrery/core/safe/plural"
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var decisionsPane = ListPane[DecisionRow]{
	Pane: Pane{
		ID: DecisionsPane, Title: "Decisions", Help: "the log of scheduling attempts, the newest first", Digit: '7', Opens: ExplainPane,
		minW: 50, minH: 4, borderFact: decisionsRight,
		named: rowNames{"decisions", "in the log"},
	},
	Columns: decisionColumns, Row: decisionRow, Empty: "nothing has been decided yet", Detail: decisionDetail,
	Rows: Source.Decisions,
	In:   in(func(m *Model) *Decisions { return m.Decisions }, func(p *Decisions) *List[DecisionRow] { return &p.List }),
	Match: func(f *filter.Row, d *DecisionRow) {
		f.Namespace, f.Name, _ = strings.Cut(d.Key, "/")
		f.Labels, f.Words = d.Labels, [4]string{verdictStyles[d.Verdict].searched(), d.NodeKey, d.Message}
	},
	Sorts: []Sort[DecisionRow]{
		by("pod", func(d *DecisionRow) string { return d.Key }),
		byMost("verdict", func(d *DecisionRow) Verdict { return d.Verdict }),
		by("node", func(d *DecisionRow) string { return d.NodeKey }),
		byMost("duration", func(d *DecisionRow) time.Duration { return d.Duration }),
		byMost("examined", func(d *DecisionRow) int { return d.Examined }),
	},
	Key:  func(d *DecisionRow) string { return strconv.FormatUint(d.Seq, 10) },
	Pod:  func(d *DecisionRow) string { return d.Key },
	Node: func(d *DecisionRow) string { return d.NodeKey },
}

var decisionColumns = []draw.Column{
	{Long: "number", Short: "no.", Min: 7, Rank: 6, Right: true},
	{Long: "at", Short: "at", Min: 10, Rank: 3, Right: true},
	{Long: "verdict", Short: "verdict", Min: 10, Grow: 1, Max: 15, Rank: 0},
	{Long: "pod", Short: "pod", Min: 16, Grow: 4, Max: 48, Rank: 0},
	{Long: "node, or reason", Short: "node or reason", Min: 14, Grow: 6, Rank: 1},
	{Long: "feasible", Short: "feasible", Min: 11, Rank: 4},
	{Long: "score", Short: "score", Min: 6, Rank: 5, Right: true},
	{Long: "attempt", Short: "att", Min: 3, Rank: 7, Right: true},
	{Long: "duration", Short: "took", Min: 5, Rank: 2, Right: true},
}

var verdictStyles = [...]glyphStyle{
	VerdictScheduled:     {'✓', "scheduled", "sched.", themes.Good},
	VerdictUnschedulable: {'✗', "unschedulable", "unsched", themes.Bad},
	VerdictError:         {'☠', "failed", "failed", themes.Warn},
	VerdictSkipped:       {'·', "skipped", "skipped", themes.Dim},
}

func decisionsRight(m *Model) string {
	d := m.Decisions
	if d == nil {
		return ""
	}
	if of := matching(m.Filtered); of != "" {
		return of + counted(m.Filtered.Of, "decision")
	}
	return "✓ " + count(int(d.Placed), "placed") + " · ✗ " + count(int(d.Unschedulable), "unschedulable")
}

// decisionDetail describes a decision in a sentence.
func decisionDetail(d *DecisionRow) (title, text string) {
	verdict, place := verdictStyles[d.Verdict].word, "on"
	if d.Verdict != VerdictScheduled {
		place = "nominated to"
	}
	searched := ""
	if d.Nodes > 0 && d.Message == "" { // else the message contains it
		searched = strconv.Itoa(d.Feasible) + " feasible of " + strconv.Itoa(d.Examined) + " examined " + plural.Of(d.Examined, "node")
		if d.Examined < d.Nodes {
			searched = strconv.Itoa(d.Feasible) + " feasible, " + strconv.Itoa(d.Examined) + " of " + countNodes(d.Nodes) + " examined"
		}
	}
	return d.Pod, joinDetails(verdict+" at attempt "+strconv.Itoa(d.Attempt), labelled(place, d.Node), searched, cmp.Or(d.Message, d.Reason), d.Unknown)
}

func decisionRow(row draw.Area, d *DecisionRow, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	look := verdictStyles[d.Verdict]
	style := themes.Style(look.token)
	row.CountRight(places[0].X, 0, places[0].W, dim, int64(d.Seq))
	s.timeRight(row, places[1].X, places[1].W, dim, d.At)
	word := look.word
	if len(word)+2 > places[2].W {
		word = look.short
	}
	row.Set(places[2].X, 0, style, look.glyph)
	row.Fit(places[2].X+2, 0, places[2].W-2, style, word)
	s.podName(row, places[3], text, d.Pod)
	decisionOutcome(row, places[4], d)
	if d.Nodes > 0 {
		drawShare(row, places[5], d.Feasible, d.Examined)
	}
	if d.Score != 0 {
		row.CountRight(places[6].X, 0, places[6].W, text, d.Score)
	}
	row.CountRight(places[7].X, 0, places[7].W, dim, int64(d.Attempt))
	if d.Duration > 0 {
		row.SpanRight(places[8].X, 0, places[8].W, text, d.Duration)
	}
}

func decisionOutcome(row draw.Area, p draw.Slot, d *DecisionRow) {
	x := p.X
	if d.Node != "" {
		sign, style := '→', themes.Style(themes.Text)
		if d.Verdict != VerdictScheduled {
			sign, style = Nominated.Glyph(), themes.Style(themes.Nominated)
		}
		row.Set(x, 0, themes.Style(themes.Dim), sign)
		x = row.FitHost(x+2, 0, p.W-2, style, d.Node) + 2
	}
	drawReason(row, x, p.X+p.W-x, themes.Style(themes.Dim), d.Reason)
}
