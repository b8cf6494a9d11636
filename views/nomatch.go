package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// rowNames say what the rows of a list are called: Many of them, "pods", and What all of them are, such as "pending".
type rowNames struct{ Many, What string }

// drawNone draws why a list has no rows: the filter matches none of them, or there are none.
func drawNone(a draw.Area, s *drawCtx, none string) {
	if s.Filtered == nil || s.ui.Filter == "" || s.Filtered.Of == 0 {
		drawAbsent(a, none)
		return
	}
	style, y := themes.Style(themes.Text), max(a.H/2-1, 0)
	before, after := "no "+s.pane.named.Many+" match /", "/"
	if s.Filtered.Partial {
		after += " so far"
	}
	of := "of " + joinWords(string(draw.AppendCount(nil, int64(s.Filtered.Of))), s.pane.named.What)
	toClear := " · esc clears"
	if s.ui.Scoped {
		toClear = " · :ns shows all"
	}
	whole := after + " (" + of + ")" + toClear
	if room := a.W - draw.Width(before) - draw.Width(whole); room >= min(draw.Width(s.ui.Filter), a.W/3) || a.H < 2 {
		drawQuoted(a, y, before, s.ui.Filter, whole)
		return
	}
	drawQuoted(a, y, before, s.ui.Filter, after)
	a.Center(y+1, style, of+toClear)
}

// drawQuoted draws a text in the middle of a row between two others, and cuts the text if they do not fit.
func drawQuoted(a draw.Area, y int, before, text, after string) {
	style := themes.Style(themes.Text)
	w := min(draw.Width(text), max(a.W-draw.Width(before)-draw.Width(after), 1))
	x := max((a.W-draw.Width(before)-w-draw.Width(after))/2, 0)
	x = a.Fit(x, y, a.W-x, style, before)
	x = a.Fit(x, y, w, style, text)
	a.Fit(x, y, a.W-x, style, after)
}

// joinWords joins two words; the second may be empty.
func joinWords(a, b string) string {
	if b == "" {
		return a
	}
	return a + " " + b
}
