package views

import (
	"strconv"

	"orrery/themes"
	"orrery/views/draw"
)

var differenceColumns = []draw.Column{
	{Long: "at", Short: "at", Min: 10, Rank: 4, Right: true},
	{Long: "verdict", Short: "verdict", Min: 11, Rank: 0},
	{Long: "pod", Short: "pod", Min: 16, Grow: 3, Most: 44, Rank: 0},
	{Long: "went to", Short: "went to", Min: 12, Grow: 2, Most: 28, Rank: 1},
	{Long: "better", Short: "better", Min: 12, Grow: 2, Most: 28, Rank: 2},
	{Long: "behind", Short: "behind", Min: 6, Rank: 3, Right: true},
	{Long: "why", Short: "why", Min: 12, Grow: 5, Rank: 5},
}

// The looks of a decision that was compared.
var (
	agreedLook    = look{'✓', "agreed", "agreed", themes.Good}
	explainedLook = look{'◔', "explained", "explained", themes.Warn}
	differsLook   = look{'✗', "differs", "differs", themes.Bad}
)

func agreementRight(m *Model) string {
	if m.Agreement == nil {
		return ""
	}
	return count(int(m.Agreement.Judged()), "decisions compared")
}

// drawAgreement says how often the cluster's scheduler decides as Orrery would, and why where it does not.
func drawAgreement(a draw.Area, s *scene) {
	g := s.Agreement
	if g == nil {
		absent(a, "there is no other scheduler to compare with: this needs a shadow beside one")
		return
	}
	used := agreementRate(a, g)
	_, rest := a.Top(used + 1)
	list := rest
	if chosen := g.List.At(s.ui.Cursors[AgreementPane].Selected); chosen != nil && rest.H >= 10 {
		const most = 12
		var below draw.Rect
		below, list = rest.Bottom(min(detailRows(chosen)+2, rest.H/2, most))
		_, below = below.Top(1)
		drawDifference(a.In(below), chosen)
	}
	none := "every decision so far was one of Orrery's best"
	if g.Judged() == 0 {
		none = "nothing has been decided in the cluster since this began"
	}
	table(a.In(list), s, differenceColumns, &g.List, none, differenceRow)
}

// agreementRate draws the rate in figures as large as there is room for, what it is made of, and what it leaves out.
func agreementRate(a draw.Area, g *Agreement) int {
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
		x, rows = figures(a, themes.Style(token), rate)+3, figureRows
	} else {
		x = a.Text(0, 0, themes.Style(token).With(themes.Bold), rate) + 3
	}
	_, right := a.Left(x)
	b := a.In(right)
	b.Shares(0, 0, b.W, []draw.Part{
		{Count: int(g.Agreed), Style: themes.Style(agreedLook.token), Fill: '█'},
		{Count: int(g.Explained), Style: themes.Style(explainedLook.token), Fill: '▓'},
		{Count: int(g.Differs), Style: themes.Style(differsLook.token), Fill: '▒'},
	})
	line := run{a: b, y: 1}
	for _, part := range []struct {
		look look
		n    int64
	}{{agreedLook, g.Agreed}, {explainedLook, g.Explained}, {differsLook, g.Differs}} {
		line.number(themes.Style(part.look.token), string(part.look.glyph)+" ", int(part.n), part.look.word)
	}
	if rows > 2 {
		line = run{a: b, y: 2}
	}
	dim := themes.Style(themes.Dim)
	line.number(dim, "", int(g.Unschedulable), "of them unschedulable")
	if g.Predicted > 0 {
		line.number(dim, "", g.Predicted, "foretold")
	}
	if g.Missed > 0 {
		line.number(dim, "", int(g.Missed), "not seen")
	}
	if g.Others > 0 {
		line.number(dim, "", int(g.Others), "by others")
	}
	return rows
}

// percentText is a share that is 100% only if it is whole.
func percentText(share float64) string {
	tenths := int(share * 1000)
	if tenths == 1000 {
		return "100%"
	}
	return strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10) + "%"
}

func differenceRow(row draw.Area, d *Difference, places *draw.Columns, _ *scene) {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	look := differsLook
	if d.Explained {
		look = explainedLook
	}
	row.ClockRight(places[0].X, 0, places[0].W, dim, d.At)
	row.Set(places[1].X, 0, themes.Style(look.token), look.glyph)
	row.Fit(places[1].X+2, 0, places[1].W-2, themes.Style(look.token), look.word)
	row.FitPath(places[2].X, 0, places[2].W, text, d.Pod)
	if d.Real == "" {
		row.Fit(places[3].X, 0, places[3].W, themes.Style(Unschedulable.Token()), "no node")
	} else {
		row.FitHost(places[3].X, 0, places[3].W, text, d.Real)
	}
	if d.Ours == "" {
		row.Fit(places[4].X, 0, places[4].W, dim, "none would do")
	} else {
		row.FitHost(places[4].X, 0, places[4].W, text, d.Ours)
	}
	if d.Scored {
		row.CountRight(places[5].X, 0, places[5].W, text, d.Behind)
	}
	row.Fit(places[6].X, 0, places[6].W, dim, d.Why)
}

func detailRows(d *Difference) int { return 1 + len(d.Details) + len(d.Parts) }

// drawDifference tells all there is to tell of the selected difference.
func drawDifference(a draw.Area, d *Difference) {
	heading(a, 0, d.Pod)
	y := a.Wrap(0, 1, a.W, max(min(2, a.H-1), 0), themes.Style(themes.Text), d.Why)
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

// figureRows is how high large figures are.
const figureRows = 3

// large are figures of half blocks.
var large = map[rune][figureRows]string{
	'0': {"█▀█", "█ █", "▀▀▀"}, '1': {"▀█ ", " █ ", "▀▀▀"}, '2': {"▀▀█", "█▀▀", "▀▀▀"}, '3': {"▀▀█", " ▀█", "▀▀▀"}, '4': {"█ █", "▀▀█", "  ▀"},
	'5': {"█▀▀", "▀▀█", "▀▀▀"}, '6': {"█▀▀", "█▀█", "▀▀▀"}, '7': {"▀▀█", "  █", "  ▀"}, '8': {"█▀█", "█▀█", "▀▀▀"}, '9': {"█▀█", "▀▀█", "▀▀▀"},
	'.': {" ", " ", "▀"}, '%': {"█ █", " █ ", "█ █"},
}

// figures draws a number large, and gives the column after it.
func figures(a draw.Area, s themes.Style, text string) int {
	x := 0
	for _, r := range text {
		wide := 0
		for y, line := range large[r] {
			wide = a.Text(x, y, s, line)
		}
		x = wide + 1
	}
	return x - 1
}
