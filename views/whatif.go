package views

import (
	"strconv"

	"orrery/themes"
	"orrery/views/draw"
)

var changeColumns = []draw.Column{
	{Long: "pod", Short: "pod", Min: 16, Grow: 4, Most: 48, Rank: 0},
	{Long: "before", Short: "before", Min: 13, Grow: 1, Most: 15, Rank: 0},
	{Long: "on", Short: "on", Min: 10, Grow: 2, Most: 28, Rank: 2},
	{Long: "after", Short: "after", Min: 15, Grow: 1, Most: 17, Rank: 0},
	{Long: "on", Short: "on", Min: 10, Grow: 2, Most: 28, Rank: 1},
}

// drawWhatIf puts how things are beside how they would be. It says that it is only supposed, and how to repeat it.
func drawWhatIf(a draw.Area, s *scene) {
	w := s.WhatIf
	if w == nil {
		absent(a, "choose something to change, and press w")
		return
	}
	x := a.Text(0, 0, themes.Nominated.With(themes.Bold), "⚑ hypothetical")
	a.Fit(x+2, 0, a.W-x-2, themes.Title.With(themes.Bold), w.Question)
	a.Text(0, 1, themes.Style(themes.Dim), "$")
	a.Fit(2, 1, a.W-2, themes.Style(themes.Dim), w.Command)
	_, rest := a.Top(3)
	a = a.In(rest)
	y := outcomes(a, w)
	_, rest = a.Top(y + 1)
	table(a.In(rest), s, changeColumns, &w.Changes, "nothing would be different", changeRow)
}

// outcomes draws the two worlds' numbers side by side, and the difference.
func outcomes(a draw.Area, w *WhatIf) int {
	dim := themes.Style(themes.Dim)
	a.Text(20, 0, dim, "before")
	a.Text(30, 0, dim, " after")
	a.Text(40, 0, dim, "change")
	b, c := &w.Before, &w.After
	y := 1
	line := func(name string, before, after int, moreIsGood bool) {
		compare(a.Row(y), name, before, after, moreIsGood, "")
		y++
	}
	line("placed", b.Placed, c.Placed, true)
	line("pending", b.Pending, c.Pending, false)
	line("moved", b.Moved, c.Moved, false)
	line("evicted", b.Evicted, c.Evicted, false)
	percent := func(v float64) int { return int(v*100 + 0.5) }
	compare(a.Row(y), "cpu allocated", percent(b.CPU), percent(c.CPU), true, "%")
	compare(a.Row(y+1), "memory allocated", percent(b.Memory), percent(c.Memory), true, "%")
	compare(a.Row(y+2), "fullest to emptiest", percent(b.Spread), percent(c.Spread), false, "%")
	return y + 3
}

func compare(row draw.Area, name string, before, after int, moreIsGood bool, unit string) {
	const number = 6
	row.Fit(0, 0, 19, themes.Style(themes.Dim), name)
	row.TextRight(20, 0, number, themes.Style(themes.Text), strconv.Itoa(before)+unit)
	row.Set(28, 0, themes.Style(themes.Dim), '│')
	row.TextRight(30, 0, number, themes.Text.With(themes.Bold), strconv.Itoa(after)+unit)
	if after == before {
		row.TextRight(40, 0, number, themes.Style(themes.Dim), "=")
		return
	}
	token, sign := themes.Good, ""
	if (after > before) != moreIsGood {
		token = themes.Bad
	}
	if after > before {
		sign = "+"
	}
	row.TextRight(40, 0, number, themes.Style(token), sign+strconv.Itoa(after-before)+unit)
}

func changeRow(row draw.Area, c *WhatIfChange, places *draw.Columns, _ *scene) {
	row.FitPath(places[0].X, 0, places[0].W, themes.Style(themes.Text), c.Pod)
	mark(row, places[1].X, places[1].W, c.From)
	row.FitHost(places[2].X, 0, places[2].W, themes.Style(themes.Dim), c.Before)
	row.Set(places[3].X, 0, themes.Style(themes.Dim), '→')
	mark(row, places[3].X+2, places[3].W-2, c.To)
	row.FitHost(places[4].X, 0, places[4].W, themes.Style(themes.Text), c.After)
}
