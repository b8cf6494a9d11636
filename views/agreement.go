package views

import (
	"strconv"
	"strings"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/filter"
)

var agreementPane = ListPane[Difference]{
	Pane: Pane{
		ID: AgreementPane, Title: "Agreement", Help: "how the cluster's scheduler compares with Orrery", Opens: JourneyPane,
		minW: 50, minH: 6, borderFact: agreementRight, named: rowNames{Many: "differences"},
	},
	Columns: differenceColumns, Row: differenceRow, Head: agreementHead, Empty: "every decision so far was one of Orrery's best",
	Absent: "there is no other scheduler to compare with: this needs a shadow beside one",
	Rows:   Source.Differences,
	In:     in(func(m *Model) *Agreement { return m.Agreement }, func(p *Agreement) *List[Difference] { return &p.List }),
	Match: func(f *filter.Row, d *Difference) {
		f.Namespace, f.Name, _ = strings.Cut(d.Pod, "/")
		f.Words = [4]string{d.look().searched(), d.Actual, d.Best, d.Reason}
	},
	Sorts: []Sort[Difference]{
		{"verdict", func(a, b *Difference) int {
			switch {
			case a.Explained == b.Explained:
				return 0
			case b.Explained:
				return -1
			}
			return 1
		}},
		byMost("gap", func(d *Difference) int64 { return d.ScoreGap }),
		by("pod", func(d *Difference) string { return d.Pod }),
	},
	Key:  func(d *Difference) string { return strconv.FormatUint(d.Seq, 10) },
	Pod:  func(d *Difference) string { return d.Pod },
	Node: func(d *Difference) string { return d.Actual },
}

var differenceColumns = []draw.Column{
	{Long: "at", Short: "at", Min: 10, Rank: 4, Right: true},
	{Long: "verdict", Short: "verdict", Min: 11, Rank: 0},
	{Long: "pod", Short: "pod", Min: 16, Grow: 3, Max: 44, Rank: 0},
	{Long: "bound to", Short: "bound to", Min: 12, Grow: 2, Max: 28, Rank: 1},
	{Long: "better", Short: "better", Min: 12, Grow: 2, Max: 28, Rank: 2},
	{Long: "gap", Short: "gap", Min: 6, Rank: 3, Right: true},
	{Long: "why", Short: "why", Min: 12, Grow: 5, Rank: 5},
}

// The styles of a compared decision.
var (
	agreedStyle    = glyphStyle{'✓', "agreed", "agreed", themes.Good}
	explainedStyle = glyphStyle{'◔', "explained", "explained", themes.Warn}
	differsStyle   = glyphStyle{'✗', "differs", "differs", themes.Bad}
)

func agreementRight(m *Model) string {
	if m.Agreement == nil || m.Agreement.Recorded {
		return ""
	}
	return count(int(m.Agreement.Compared()), "decisions compared")
}

// agreementHead draws how often the cluster's scheduler decides as Orrery would, and below the list the selected difference.
func agreementHead(a draw.Area, s *drawCtx) draw.Area {
	g := s.Agreement
	used := agreementRate(a, g)
	_, list := a.Top(used + 1)
	if g.Compared() == 0 {
		why := "nothing has been decided in the cluster since this began"
		if g.Recorded {
			why = "while this was recorded, no decision of the cluster's scheduler was without an explanation"
		}
		drawAbsent(a.In(list), why)
		return a.In(draw.Rect{})
	}
	if chosen := g.List.At(s.ui.Cursor.Selected); chosen != nil && list.H >= 10 {
		const most = 12
		var below draw.Rect
		below, list = list.Bottom(min(detailRows(chosen)+2, list.H/2, most))
		_, below = below.Top(1)
		drawDifference(a.In(below), chosen)
	}
	return a.In(list)
}

// agreementRate draws the rate in large figures if there is room, the counts behind it, and what it leaves out.
func agreementRate(a draw.Area, g *Agreement) int {
	if g.Recorded {
		return agreementRecorded(a, g)
	}
	if g.Compared() == 0 {
		r := rowWriter{a: a, x: a.Text(0, 0, themes.Style(themes.Dim), "nothing compared yet")}
		r.number(themes.Style(themes.Dim), "", g.Predicted, "predicted")
		return 1
	}
	x, rows := 0, 2
	rate := percentText(g.Rate())
	token := themes.Good
	if g.Rate() < 0.99 {
		token = themes.Warn
	}
	if g.Rate() < 0.9 {
		token = themes.Bad
	}
	if a.H >= 12 && a.Glyphs() != draw.ASCII {
		x, rows = largeFigures(a, themes.Style(token), rate)+3, figureRows
	} else {
		x = a.Text(0, 0, themes.Style(token).With(themes.Bold), rate) + 3
	}
	_, right := a.Left(x)
	b := a.In(right)
	b.StackedBar(0, 0, b.W, []draw.Part{
		{Count: int(g.Agreed), Style: themes.Style(agreedStyle.token), Fill: '█'},
		{Count: int(g.Explained), Style: themes.Style(explainedStyle.token), Fill: '▓'},
		{Count: int(g.Differs), Style: themes.Style(differsStyle.token), Fill: '▒'},
	})
	line := rowWriter{a: b, y: 1}
	for _, part := range []struct {
		look glyphStyle
		n    int64
	}{{agreedStyle, g.Agreed}, {explainedStyle, g.Explained}, {differsStyle, g.Differs}} {
		line.number(themes.Style(part.look.token), string(part.look.glyph)+" ", int(part.n), part.look.word)
	}
	if rows > 2 {
		line = rowWriter{a: b, y: 2}
	}
	dim := themes.Style(themes.Dim)
	line.number(dim, "", int(g.Unschedulable), "of them unschedulable")
	if g.Predicted > 0 {
		line.number(dim, "", g.Predicted, "predicted")
	}
	if g.Missed > 0 {
		line.number(dim, "", int(g.Missed), "not seen")
	}
	if g.Others > 0 {
		line.number(dim, "", int(g.Others), "by others")
	}
	return rows
}

// agreementRecorded says of a recording how many decisions were not explained while it was made. How many agreed is not in it.
func agreementRecorded(a draw.Area, g *Agreement) int {
	if g.Differs > 0 {
		text := counted(int(g.Differs), "decision") + " of the cluster's scheduler without an explanation, while this was recorded"
		a.Fit(0, 0, a.W, themes.Style(differsStyle.token), string(differsStyle.glyph)+" "+text)
	}
	return 1
}

// percentText formats a share with one decimal, rounded down, so that only a whole share is 100%.
func percentText(share float64) string {
	tenths := int(share * 1000)
	if tenths == 1000 {
		return "100%"
	}
	return strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10) + "%"
}

func differenceRow(row draw.Area, d *Difference, places *draw.Slots, s *drawCtx) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	look := d.look()
	s.timeRight(row, places[0].X, places[0].W, dim, d.At)
	row.Set(places[1].X, 0, themes.Style(look.token), look.glyph)
	row.Fit(places[1].X+2, 0, places[1].W-2, themes.Style(look.token), look.word)
	row.FitPath(places[2].X, 0, places[2].W, text, d.Pod)
	if d.Told {
		row.Fit(places[3].X, 0, row.W-places[3].X, dim, d.Reason)
		return
	}
	if d.Actual == "" {
		row.Fit(places[3].X, 0, places[3].W, themes.Style(Unschedulable.Token()), "Unschedulable")
	} else {
		row.FitHost(places[3].X, 0, places[3].W, text, d.Actual)
	}
	if d.Best == "" {
		row.Fit(places[4].X, 0, places[4].W, dim, "no feasible node")
	} else {
		row.FitHost(places[4].X, 0, places[4].W, text, d.Best)
	}
	if d.Scored {
		row.CountRight(places[5].X, 0, places[5].W, text, d.ScoreGap)
	}
	row.Fit(places[6].X, 0, places[6].W, dim, d.Reason)
}

// look is the style of a difference's verdict.
func (d *Difference) look() *glyphStyle {
	if d.Explained {
		return &explainedStyle
	}
	return &differsStyle
}

func detailRows(d *Difference) int { return 1 + len(d.Details) + len(d.Parts) }

// drawDifference draws the selected difference in full.
func drawDifference(a draw.Area, d *Difference) {
	drawHeading(a, 0, d.Pod)
	y := a.Wrap(0, 1, a.W, max(min(2, a.H-1), 0), themes.Style(themes.Text), d.Reason)
	for _, text := range d.Details {
		if y >= a.H {
			return
		}
		a.Fit(2, y, a.W-2, themes.Style(themes.Dim), text)
		y++
	}
	most := int64(1)
	for _, p := range d.Parts {
		most = max(most, p.Ahead, -p.Ahead)
	}
	for _, p := range d.Parts {
		if y >= a.H {
			return
		}
		differencePart(a.Row(y), p, most)
		y++
	}
}

func differencePart(row draw.Area, p DifferencePart, most int64) {
	const name, number = 32, 7
	row.Fit(2, 0, name-3, themes.Style(themes.Text), p.Plugin)
	token, sign := themes.Bad, "+"
	if p.Ahead < 0 {
		token, sign = themes.Good, "−"
	}
	size := max(p.Ahead, -p.Ahead)
	row.TextRight(name, 0, number, themes.Style(token), sign+string(draw.AppendCount(nil, size)))
	row.Bar(name+number+2, 0, min(row.W-name-number-3, 40), themes.Style(token), float64(size)/float64(most))
}

// figureRows is the height of large figures.
const figureRows = 3

// largeDigits are figures made of half blocks.
var largeDigits = map[rune][figureRows]string{
	'0': {"█▀█", "█ █", "▀▀▀"}, '1': {"▀█ ", " █ ", "▀▀▀"}, '2': {"▀▀█", "█▀▀", "▀▀▀"}, '3': {"▀▀█", " ▀█", "▀▀▀"}, '4': {"█ █", "▀▀█", "  ▀"},
	'5': {"█▀▀", "▀▀█", "▀▀▀"}, '6': {"█▀▀", "█▀█", "▀▀▀"}, '7': {"▀▀█", "  █", "  ▀"}, '8': {"█▀█", "█▀█", "▀▀▀"}, '9': {"█▀█", "▀▀█", "▀▀▀"},
	'.': {" ", " ", "▀"}, '%': {"█ █", " █ ", "█ █"},
}

// largeFigures draws a number in large figures and returns the column after it.
func largeFigures(a draw.Area, s themes.Style, text string) int {
	x := 0
	for _, r := range text {
		wide := 0
		for y, line := range largeDigits[r] {
			wide = a.Text(x, y, s, line)
		}
		x = wide + 1
	}
	return x - 1
}
