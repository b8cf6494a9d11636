package views

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"orrery/core/objects/saturating"
	"orrery/themes"
	"orrery/views/draw"
)

var whatIfPane = ListPane[WhatIfChange]{
	Pane:    Pane{ID: WhatIfPane, Title: "What-if", Opens: JourneyPane, minW: 50, minH: 10, body: drawWhatIf},
	Columns: changeColumns, Row: changeRow,
	Detail: func(c *WhatIfChange) (string, string) {
		is := c.To.Word() + labelled(" on", c.With)
		if c.Unchanged {
			return c.Pod, joinDetails("still "+is, c.Reason)
		}
		return c.Pod, joinDetails(c.From.Word()+labelled(" on", c.Without)+" → "+is, c.Reason)
	},
	In: func(m *Model) *List[WhatIfChange] {
		if m.WhatIf == nil {
			return nil
		}
		return &m.WhatIf.Changes
	},
	Key: func(c *WhatIfChange) string { return c.Key },
	Pod: func(c *WhatIfChange) string { return c.Key },
}

var changeColumns = []draw.Column{
	{Long: "pod", Short: "pod", Min: 16, Grow: 4, Max: 48, Rank: 0},
	{Long: "without", Short: "without", Min: 13, Grow: 1, Max: 15, Rank: 0},
	{Long: "on", Short: "on", Min: 10, Grow: 2, Max: 28, Rank: 2},
	{Long: "with", Short: "with", Min: 15, Grow: 1, Max: 17, Rank: 0},
	{Long: "on", Short: "on", Min: 10, Grow: 2, Max: 28, Rank: 1},
	{Long: "reason", Short: "reason", Min: 18, Grow: 4, Rank: 3},
}

// momentColumns are the columns for two moments.
var momentColumns = func() []draw.Column {
	columns := slices.Clone(changeColumns)
	columns[1].Long, columns[1].Short = "then", "then"
	columns[3].Long, columns[3].Short = "later", "later"
	return columns
}()

// drawWhatIf draws the figures, and the pods whose outcome changes.
func drawWhatIf(a draw.Area, s *drawCtx) {
	w := s.WhatIf
	if w == nil {
		drawAbsent(a, "select a pod or node and press w")
		return
	}
	columns := changeColumns
	if w.Moments {
		columns = momentColumns
	}
	a = s.pane.list.detail(whatIfHead(a, s), s)
	table(a, s, columns, &w.Changes, "no pod would change outcome", changeRow)
}

// whatIfHead draws the cluster without and with a change, marked as a what-if, and the command that repeats it.
func whatIfHead(a draw.Area, s *drawCtx) draw.Area {
	w := s.WhatIf
	label := "⚑ what-if:"
	if w.Moments {
		label = "⇄ from"
	}
	x := a.Text(0, 0, themes.Nominated.With(themes.Bold), label)
	a.Fit(x+1, 0, a.W-x-1, themes.Title.With(themes.Bold), w.Tried)
	x = 0
	if w.Command != "" && !strings.HasPrefix(w.Command, ":") { // it is for a shell
		x = a.Text(0, 1, themes.Style(themes.Dim), "$ ")
	}
	a.Fit(x, 1, a.W-x, themes.Style(themes.Dim), w.Command)
	if w.Verdict != "" {
		row := 2
		if w.Command == "" {
			row = 1
		}
		drawVerdict(a.Row(row), w)
		_, rest := a.Top(row - 1)
		a = a.In(rest)
	}
	counts := a.Row(2)
	_, rest := a.Top(3)
	a = a.In(rest)
	y := drawTotals(a, w)
	right, _ := a.Rect.Right(a.W - notesColumn)
	beside, below := right.W >= 30, a.H > y+len(w.Notes)+6
	switch {
	case len(w.Notes) == 0:
	case beside:
		right, _ = right.Top(y)
		drawNotes(a.In(right), w.Notes)
	case below:
		_, under := a.Top(y + 1)
		drawNotes(a.In(under), w.Notes)
		y += len(w.Notes) + 1
	}
	drawWhatIfCounts(counts, w, !beside && !below)
	_, rest = a.Top(y + 1)
	return a.In(rest)
}

// drawVerdict draws what the changes would do, in a sentence.
func drawVerdict(row draw.Area, w *WhatIf) {
	token, glyph := themes.Good, '✓'
	if w.Bad {
		token, glyph = themes.Bad, '✗'
	}
	row.Set(0, 0, token.With(themes.Bold), glyph)
	row.Fit(2, 0, row.W-2, token.With(themes.Bold), w.Verdict)
}

// notesColumn is the column from which there is room beside the totals.
const notesColumn = 50

// drawWhatIfCounts draws how many pods change outcome and how many do not, and the notes if they have no other place.
func drawWhatIfCounts(row draw.Area, w *WhatIf, noted bool) {
	r := rowWriter{a: row}
	for _, f := range w.ChangedOutcomes {
		if w.Verdict != "" {
			break // it says so already
		}
		style := themes.Style(themes.Text)
		if f.Bad {
			style = themes.Style(themes.Bad)
		}
		r.number(style, "", int(f.Count), f.Name)
	}
	if w.HeldByBudget > 0 {
		r.number(themes.Warn.With(themes.Bold), "", w.HeldByBudget, "blocked by budgets")
	}
	if w.StillPending > 0 {
		r.number(themes.Style(themes.Text), "", w.StillPending, "still pending")
	}
	if n := len(w.Notes); n > 0 && noted {
		room := row.W - r.x - 3
		if r.x == 0 {
			room = row.W
		}
		text := w.Notes[0]
		if n > 1 {
			text += ", " + counted(n-1, "more note")
		}
		if draw.Width(text) > room {
			text = counted(n, "note")
		}
		r.fact(themes.Style(themes.Dim), text, "")
	}
}

// drawNotes draws the notes, a line each.
func drawNotes(a draw.Area, notes []string) {
	drawHeading(a, 0, "notes")
	for i, note := range notes {
		a.Fit(0, i+1, a.W, themes.Style(themes.Text), note)
	}
}

// drawTotals draws the figures without and with the change, and the difference.
func drawTotals(a draw.Area, w *WhatIf) int {
	dim := themes.Style(themes.Dim)
	a.TextRight(19, 0, 7, dim, cmp.Or(w.Before, "without"))
	a.TextRight(29, 0, 7, dim, cmp.Or(w.After, "with"))
	a.Text(40, 0, dim, "change")
	b, c := &w.Without, &w.With
	y := 1
	line := func(name string, without, with int, moreIsGood bool) {
		totalsRow(a.Row(y), name, without, with, moreIsGood, "")
		y++
	}
	line("pods placed", b.Placed, c.Placed, true)
	line("pods pending", b.Pending, c.Pending, false)
	line("moved", b.Moved, c.Moved, false)
	line("evicted", b.Evicted, c.Evicted, false)
	percent := func(v float64) int { return int(saturating.Truncate(v*100 + 0.5)) }
	totalsRow(a.Row(y), "cpu requested", percent(b.CPU), percent(c.CPU), true, "%")
	totalsRow(a.Row(y+1), "memory requested", percent(b.Memory), percent(c.Memory), true, "%")
	totalsRow(a.Row(y+2), "utilization spread", percent(b.Spread), percent(c.Spread), false, "%")
	return y + 3
}

func totalsRow(row draw.Area, name string, without, with int, moreIsGood bool, unit string) {
	const number = 6
	row.Fit(0, 0, 19, themes.Style(themes.Dim), name)
	row.TextRight(20, 0, number, themes.Style(themes.Text), strconv.Itoa(without)+unit)
	row.Set(28, 0, themes.Style(themes.Dim), '│')
	row.TextRight(30, 0, number, themes.Text.With(themes.Bold), strconv.Itoa(with)+unit)
	if with == without {
		row.TextRight(40, 0, number, themes.Style(themes.Dim), "=")
		return
	}
	token, sign := themes.Good, ""
	if (with > without) != moreIsGood {
		token = themes.Bad
	}
	if with > without {
		sign = "+"
	}
	row.TextRight(40, 0, number, themes.Style(token), sign+strconv.Itoa(with-without)+unit)
}

func changeRow(row draw.Area, c *WhatIfChange, places *draw.Slots, s *drawCtx) {
	s.podName(row, places[0], themes.Style(themes.Text), c.Pod)
	drawState(row, places[1].X, places[1].W, c.From)
	row.FitHost(places[2].X, 0, places[2].W, themes.Style(themes.Dim), c.Without)
	row.Set(places[3].X, 0, themes.Style(themes.Dim), '→')
	drawState(row, places[3].X+2, places[3].W-2, c.To)
	row.FitHost(places[4].X, 0, places[4].W, themes.Style(themes.Text), c.With)
	why := c.Reason
	if c.Unchanged && c.To != Bound {
		why = "still pending: " + why
	}
	drawReason(row, places[5].X, places[5].W, themes.Style(themes.Dim), why)
}
