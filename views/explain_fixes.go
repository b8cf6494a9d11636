package views

import (
	"orrery/core/answers/answer"
	"orrery/themes"
	"orrery/views/draw"
)

// Below fewRows rows a fix has one row, with its effect beside it in as little as leastEffect columns.
const (
	fewRows     = 24
	leastEffect = 12
)

// explainFixes draws the fixes, each with its effect, as a list with a cursor, and returns the row after them, and the rows of
// each.
func explainFixes(a draw.Area, y int, s *drawCtx, compact bool) (next int, rows []draw.Window) {
	e := s.Explain
	if len(e.Remedies) == 0 {
		return y, nil
	}
	const title, keys = "fixes, tried on a copy", "enter what-if, y copy command"
	drawHeading(a, y, title)
	if x := a.W - len(keys); x > len(title)+3 && !s.preview {
		a.Set(x-1, y, themes.Style(themes.Dim), ' ')
		a.Text(x, y, themes.Style(themes.Dim), keys)
	}
	y++
	rows = make([]draw.Window, len(e.Remedies))
	for i := range e.Remedies {
		next := fixRow(a, y, &e.Remedies[i], i == s.ui.Fix && !s.ui.OnNodes, compact)
		rows[i] = draw.Window{First: y, Count: next - y}
		y = next
	}
	return y + 1, rows
}

// fixRow draws a fix with its effect, on a second row if there is no room beside it, and returns the row after it.
func fixRow(a draw.Area, y int, r *answer.Remedy, selected, compact bool) int {
	row := a.Item(y, selected)
	row.Set(0, 0, themes.Style(themes.Good), '→')
	x := row.Fit(2, 0, row.W-2, themes.Style(themes.Text), r.Text)
	effect, short, room := "placed on "+r.Node, r.Node, row.W-x-2
	if r.Node == "" {
		effect, short = "the gang goes", "gang goes"
	}
	switch {
	case room >= draw.Width(effect):
		row.Text(row.W-draw.Width(effect), 0, themes.Style(themes.Good), effect)
		return y + 1
	case room >= leastEffect && compact:
		row.Set(x+2, 0, themes.Style(themes.Good), '→')
		row.FitHost(x+4, 0, room-2, themes.Style(themes.Good), short)
		return y + 1
	}
	row = a.Item(y+1, selected)
	row.FitHost(2, 0, row.W-2, themes.Style(themes.Good), effect)
	return y + 2
}
