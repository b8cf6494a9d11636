package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// Below fewRows rows a fix has one row, with its effect beside it in as little as leastEffect columns.
const (
	fewRows     = 24
	leastEffect = 12
)

// explainFixes draws the fixes, each with its effect, as a list with a cursor, and returns the row after them.
func explainFixes(a draw.Area, y int, s *drawCtx) int {
	e := s.Explain
	if len(e.Remedies) == 0 || y+1 >= a.H {
		return y
	}
	const title, keys = "fixes, tried on a copy", "enter what-if, y copy command"
	drawHeading(a, y, title)
	if x := a.W - len(keys); x > len(title)+3 {
		a.Set(x-1, y, themes.Style(themes.Dim), ' ')
		a.Text(x, y, themes.Style(themes.Dim), keys)
	}
	y++
	for i := range e.Remedies {
		if y >= a.H {
			break
		}
		y = fixRow(a, y, &e.Remedies[i], i == s.ui.Fix && !s.ui.OnNodes)
	}
	return y + 1
}

// fixRow draws a fix with its effect, on a second row if there is no room beside it, and returns the row after it.
func fixRow(a draw.Area, y int, r *Remedy, selected bool) int {
	row := a.Item(y, selected)
	row.Set(0, 0, themes.Style(themes.Good), '→')
	x := row.Fit(2, 0, row.W-2, themes.Style(themes.Text), r.Text)
	effect, room := "placed on "+r.Node, row.W-x-2
	switch {
	case room >= draw.Width(effect):
		row.Text(row.W-draw.Width(effect), 0, themes.Style(themes.Good), effect)
		return y + 1
	case room >= leastEffect && a.H < fewRows:
		row.Set(x+2, 0, themes.Style(themes.Good), '→')
		row.FitHost(x+4, 0, room-2, themes.Style(themes.Good), r.Node)
		return y + 1
	}
	if y++; y < a.H && a.H >= fewRows {
		row = a.Item(y, selected)
		row.FitHost(2, 0, row.W-2, themes.Style(themes.Good), effect)
		y++
	}
	return y
}

// fixRows is how many rows the fixes take at most in a height, with a blank row above.
func fixRows(e *Explanation, h int) int {
	switch {
	case len(e.Remedies) == 0:
		return 0
	case h < fewRows:
		return 2 + len(e.Remedies)
	}
	return 2 + 2*len(e.Remedies)
}
