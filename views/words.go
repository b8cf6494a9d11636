package views

import (
	"strings"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// span is " (11s)" for a duration that means something.
func span(b []byte, d time.Duration, known bool) []byte {
	if !known {
		return nil
	}
	return append(draw.AppendAge(append(b, " ("...), max(d, 0)), ')')
}

// count is a number with its noun: "7 changed".
func count(n int, noun string) string {
	return string(append(append(draw.AppendCount(nil, int64(n)), ' '), noun...))
}

// nodes is a number of nodes.
func nodes(n int) string { return counted(n, "node") }

// counted is a number with a noun in the form that goes with it.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return count(n, noun+"s")
}

// run draws pieces along a row, and stops before the first that does not fit whole.
type run struct {
	a    draw.Area
	x, y int
	full bool
}

// fact is a value with its unit or noun, led by a gap if something stands before it.
func (r *run) fact(s themes.Style, value, noun string) *run {
	gap := 0
	if r.x > 0 {
		gap = 3
	}
	if r.full || r.x+gap+draw.Width(value)+1+len(noun) > r.a.W {
		r.full = true
		return r
	}
	r.x = r.a.Text(r.x+gap, r.y, s, value)
	if noun != "" {
		r.x = r.a.Text(r.x+1, r.y, themes.Style(themes.Dim), noun)
	}
	return r
}

// sign is a glyph of a legend and what it means: both or neither.
func (r *run) sign(token themes.Token, glyph, word string) *run {
	gap := 0
	if r.x > 0 {
		gap = 2
	}
	if r.full || r.x+gap+draw.Width(glyph)+1+len(word) > r.a.W {
		r.full = true
		return r
	}
	r.x = r.a.Text(r.x+gap, r.y, themes.Style(token), glyph)
	r.x = r.a.Text(r.x+1, r.y, themes.Style(themes.Dim), word)
	return r
}

// number is a fact whose value is a count, after a sign that may be empty.
func (r *run) number(s themes.Style, sign string, n int, noun string) *run {
	var room [32]byte
	return r.fact(s, string(draw.AppendCount(append(room[:0], sign...), int64(n))), noun)
}

// blankRow takes back what was drawn in a row.
func blankRow(a draw.Area, y int) { a.Repeat(0, y, a.W, themes.Style(themes.Text), ' ') }

// heading draws the title of a part of a pane, with a quiet line behind it.
func heading(a draw.Area, y int, title string) {
	x := a.Fit(0, y, a.W, themes.Style(themes.Dim), title)
	a.Repeat(x+1, y, a.W-x-1, themes.Style(themes.Border), '─')
}

// pod draws a pod's name. Where there is little room, the namespace that everybody is in unless they say otherwise goes
// without saying.
func pod(row draw.Area, p draw.Place, s themes.Style, name string) {
	const roomy = 40
	if p.W < roomy {
		name = strings.TrimPrefix(name, "default/")
	}
	row.FitPath(p.X, 0, p.W, s, name)
}

// shareOf draws a count of so many, the stroke between them at the same place in every row.
func shareOf(row draw.Area, p draw.Place, n, of int) {
	if p.W == 0 {
		return
	}
	stroke := p.W/2 - 1
	row.CountRight(p.X, 0, stroke+1, themes.Style(themes.Text), int64(n))
	row.Set(p.X+stroke+1, 0, themes.Style(themes.Dim), '/')
	row.Count(p.X+stroke+2, 0, themes.Style(themes.Dim), int64(of))
}

// mark draws a state as glyph and word, the short word if the long one does not fit.
func mark(a draw.Area, x, w int, s PodState) {
	style := themes.Style(s.Token())
	a.Set(x, 0, style, s.Glyph())
	if w < 3 {
		return
	}
	word := s.Word()
	if len(word)+2 > w {
		word = s.Short()
	}
	a.Fit(x+2, 0, w-2, style, word)
}
