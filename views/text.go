package views

import (
	"strings"
	"time"

	"orrery/core/safe/plural"
	"orrery/themes"
	"orrery/views/draw"
)

// formatLease appends a duration in brackets, such as " (11s)"; nothing if it is not known.
func formatLease(b []byte, d time.Duration, known bool) []byte {
	if !known {
		return nil
	}
	return append(draw.AppendAge(append(b, " ("...), max(d, 0)), ')')
}

// count returns a number with its noun: "7 changed".
func count(n int, noun string) string {
	return string(append(append(draw.AppendCount(nil, int64(n)), ' '), noun...))
}

// countNodes returns a number of nodes: "1 node", "3 nodes".
func countNodes(n int) string { return counted(n, "node") }

// counted returns a number with its noun in the singular or plural.
func counted(n int, noun string) string { return count(n, plural.Of(n, noun)) }

// matching is how many rows a filter leaves, before the number of all: "12 of "; empty if it leaves all.
func matching(f *Filtered) string {
	if f == nil || f.Matches >= f.Of {
		return ""
	}
	return count(f.Matches, "of ")
}

// readSoFar says of counts in a border whether the reading of a large cluster still goes on.
func readSoFar(reading bool, words string) string {
	if reading {
		return "reading … " + words
	}
	return words
}

// rowWriter draws pieces along a row, and stops before the first that does not fit whole.
type rowWriter struct {
	a    draw.Area
	x, y int
	full bool
	// plain means that there was no room for words.
	plain bool
}

// fact draws a value with its unit or noun, after a gap if something stands before it.
func (r *rowWriter) fact(s themes.Style, value, noun string) *rowWriter {
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

// legend draws a glyph, which may be empty, and its meaning, or neither if they do not fit.
func (r *rowWriter) legend(s themes.Style, glyph, word string) *rowWriter {
	gap := 0
	if r.x > 0 {
		gap = 2
	}
	if r.full || r.x+gap+draw.Width(glyph)+1+len(word) > r.a.W {
		r.full = true
		return r
	}
	if r.x += gap; glyph != "" {
		r.x = r.a.Text(r.x, r.y, s, glyph) + 1
	}
	r.x = r.a.Text(r.x, r.y, themes.Style(themes.Dim), word)
	return r
}

// number draws a count as a fact, after a sign that may be empty.
func (r *rowWriter) number(s themes.Style, sign string, n int, noun string) *rowWriter {
	var scratch [32]byte
	return r.fact(s, string(draw.AppendCount(append(scratch[:0], sign...), int64(n))), noun)
}

// blankRow clears a row.
func blankRow(a draw.Area, y int) { a.Repeat(0, y, a.W, themes.Style(themes.Text), ' ') }

// drawHeading draws the title of a part of a pane, followed by a line.
func drawHeading(a draw.Area, y int, title string) {
	x := a.Fit(0, y, a.W, themes.Style(themes.Dim), title)
	a.Repeat(x+1, y, a.W-x-1, themes.Style(themes.Border), '─')
}

// podName draws a pod's name. It omits the only namespace that is shown, which the first line names, and "default" if there is little
// room.
func (s *drawCtx) podName(row draw.Area, p draw.Slot, style themes.Style, name string) {
	const roomy = 40
	if s.ui.Namespace != "" {
		name = strings.TrimPrefix(name, s.ui.Namespace+"/")
	} else if p.W < roomy {
		name = strings.TrimPrefix(name, "default/")
	}
	row.FitPath(p.X, 0, p.W, style, name)
}

// watchedName is podName of a pod with a key, with a sign before it if the pod is watched.
func (s *drawCtx) watchedName(row draw.Area, p draw.Slot, style themes.Style, name, key string) {
	if s.ui.Watched[key] && p.W > 2 {
		row.Set(p.X, 0, themes.Accent.With(themes.Bold), '◉')
		p.X, p.W = p.X+2, p.W-2
	}
	s.podName(row, p, style, name)
}

// drawShare draws "n/of" with the slash in the same column of every row.
func drawShare(row draw.Area, p draw.Slot, n, of int) {
	if p.W == 0 {
		return
	}
	stroke := p.W/2 - 1
	row.CountRight(p.X, 0, stroke+1, themes.Style(themes.Text), int64(n))
	row.Set(p.X+stroke+1, 0, themes.Style(themes.Dim), '/')
	row.Count(p.X+stroke+2, 0, themes.Style(themes.Dim), int64(of))
}

// drawState draws a state as glyph and word, or the short word if the long one does not fit.
func drawState(a draw.Area, x, w int, s PodState) { drawLook(a, x, w, &podStateStyles[s]) }

func drawLook(a draw.Area, x, w int, look *glyphStyle) {
	style := themes.Style(look.token)
	a.Set(x, 0, style, look.glyph)
	if w < 3 {
		return
	}
	word := look.word
	if len(word)+2 > w {
		word = look.short
	}
	a.Fit(x+2, 0, w-2, style, word)
}
