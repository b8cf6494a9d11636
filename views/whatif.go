package views

import (
	"strconv"
	"strings"

	"orrery/themes"
	"orrery/views/draw"
)

var changeColumns = []draw.Column{
	{Long: "pod", Short: "pod", Min: 16, Grow: 4, Most: 48, Rank: 0},
	{Long: "before", Short: "before", Min: 13, Grow: 1, Most: 15, Rank: 0},
	{Long: "on", Short: "on", Min: 10, Grow: 2, Most: 28, Rank: 2},
	{Long: "after", Short: "after", Min: 15, Grow: 1, Most: 17, Rank: 0},
	{Long: "on", Short: "on", Min: 10, Grow: 2, Most: 28, Rank: 1},
	{Long: "because", Short: "why", Min: 18, Grow: 4, Rank: 3},
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
	x = 0
	if !strings.HasPrefix(w.Command, ":") { // it is for a shell
		x = a.Text(0, 1, themes.Style(themes.Dim), "$ ")
	}
	a.Fit(x, 1, a.W-x, themes.Style(themes.Dim), w.Command)
	counts := a.Row(2)
	_, rest := a.Top(3)
	a = a.In(rest)
	y := outcomes(a, w)
	right, _ := a.Rect.Right(a.W - besidesFrom)
	beside, below := right.W >= 30, a.H > y+len(w.Notes)+6
	switch {
	case len(w.Notes) == 0:
	case beside:
		right, _ = right.Top(y)
		notes(a.In(right), w.Notes)
	case below:
		_, under := a.Top(y + 1)
		notes(a.In(under), w.Notes)
		y += len(w.Notes) + 1
	}
	besides(counts, w, !beside && !below)
	_, rest = a.Top(y + 1)
	list := changeDetail(a.In(rest), s, selected(s, &w.Changes))
	table(list, s, changeColumns, &w.Changes, "nothing would be different", changeRow)
}

// besidesFrom is the column from which on there is room beside the two worlds' numbers.
const besidesFrom = 50

// besides says how the pods of the list fare differently, how many of it fare no differently, and what there is to know besides if there is no room
// for that anywhere else.
func besides(row draw.Area, w *WhatIf, noted bool) {
	r := run{a: row}
	for _, f := range w.Fates {
		style := themes.Style(themes.Text)
		if f.Bad {
			style = themes.Style(themes.Bad)
		}
		r.number(style, "", int(f.Count), f.Name)
	}
	if w.Held > 0 {
		r.number(themes.Warn.With(themes.Bold), "", w.Held, "held by budgets")
	}
	if w.Waiting > 0 {
		r.number(themes.Style(themes.Text), "", w.Waiting, "wait either way")
	}
	if n := len(w.Notes); n > 0 && noted {
		room := row.W - r.x - 3
		if r.x == 0 {
			room = row.W
		}
		if draw.Width(w.Notes[0]) <= room && n == 1 {
			r.fact(themes.Style(themes.Dim), w.Notes[0], "")
		} else {
			r.fact(themes.Style(themes.Dim), counted(n, "note"), "")
		}
	}
}

// notes draws what there is to know besides, a line for each.
func notes(a draw.Area, notes []string) {
	heading(a, 0, "besides")
	for i, note := range notes {
		a.Fit(0, i+1, a.W, themes.Style(themes.Text), note)
	}
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
	pod(row, places[0], themes.Style(themes.Text), c.Pod)
	mark(row, places[1].X, places[1].W, c.From)
	row.FitHost(places[2].X, 0, places[2].W, themes.Style(themes.Dim), c.Before)
	row.Set(places[3].X, 0, themes.Style(themes.Dim), '→')
	mark(row, places[3].X+2, places[3].W-2, c.To)
	row.FitHost(places[4].X, 0, places[4].W, themes.Style(themes.Text), c.After)
	why := c.Why
	if c.Same && c.To != Bound {
		why = "either way: " + why
	}
	reason(row, places[5].X, places[5].W, themes.Style(themes.Dim), why)
}
