package draw

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"orrery/themes"
)

// Area is a rectangle of a canvas. Its cells are counted from its own upper left corner, and what would be drawn
// outside is not.
type Area struct {
	Rect
	c      *Canvas
	glyphs Glyphs
	ground themes.Attr
}

// In is the part of the area that lies in a rectangle given in the canvas's coordinates, as the area's own Rect is.
func (a Area) In(r Rect) Area {
	a.Rect = r.intersect(a.Rect)
	return a
}

// On is the area with attributes added to whatever is drawn: a selected row's.
func (a Area) On(attrs themes.Attr) Area {
	a.ground |= attrs
	return a
}

// Glyphs are the glyphs that the terminal has.
func (a Area) Glyphs() Glyphs { return a.glyphs }

// Row is one row of the area.
func (a Area) Row(y int) Area {
	_, rest := a.Rect.Top(y)
	a.Rect, _ = rest.Top(1)
	return a
}

// Set draws one rune that is one column wide.
func (a Area) Set(x, y int, s themes.Style, r rune) {
	if x < 0 || y < 0 || x >= a.W || y >= a.H {
		return
	}
	if a.glyphs == ASCII && r >= utf8.RuneSelf {
		r = toASCII(r)
	}
	a.c.put(a.X+x, a.Y+y, r, false, s.With(a.ground))
}

// Fill draws one rune everywhere.
func (a Area) Fill(s themes.Style, r rune) {
	for y := range a.H {
		a.Repeat(0, y, a.W, s, r)
	}
}

// Repeat draws a rune n times.
func (a Area) Repeat(x, y, n int, s themes.Style, r rune) {
	for i := range n {
		a.Set(x+i, y, s, r)
	}
}

// Text draws a string and gives the column after it. What does not fit is cut off without a mark: for the program's own
// words, whose room was reckoned with.
func (a Area) Text(x, y int, s themes.Style, text string) int {
	for len(text) > 0 {
		r, wide, size := a.next(text)
		if text = text[size:]; r == covered {
			continue
		}
		x = a.place(x, y, r, wide, s)
	}
	return x
}

// place draws what next has read, and gives the column after it.
func (a Area) place(x, y int, r rune, wide bool, s themes.Style) int {
	if !wide {
		if r < 0 && x >= 0 && y >= 0 && x < a.W && y < a.H {
			a.c.put(a.X+x, a.Y+y, r, false, s.With(a.ground))
			return x + 1
		}
		a.Set(x, y, s, r)
		return x + 1
	}
	if x >= 0 && y >= 0 && x+1 < a.W && y < a.H {
		a.c.put(a.X+x, a.Y+y, r, true, s.With(a.ground))
	} else if x+1 == a.W {
		a.Set(x, y, s, blank)
	}
	return x + 2
}

// next reads the first grapheme of a text: the cell's rune, whether it is wide, and how many bytes it has. The rune of
// one that has no width is covered: it is not drawn.
func (a Area) next(text string) (r rune, wide bool, size int) {
	if b := text[0]; b < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		if b < ' ' || b == 0x7f {
			return covered, false, 1
		}
		return rune(b), false, 1
	}
	cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	first, n := utf8.DecodeRuneInString(cluster)
	switch {
	case width == 0 || first < ' ' || (first == utf8.RuneError && n == 1):
		return covered, false, max(len(cluster), 1)
	case width > 2: // no cell is that wide, and no terminal agrees with another about it
		return '·', false, len(cluster)
	case n == len(cluster):
		return first, width == 2, n
	}
	return a.c.aside(cluster), width == 2, len(cluster)
}

// Width is how many columns a text takes.
func Width(text string) int {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf || text[i] < ' ' || text[i] == 0x7f {
			return graphemeWidth(text)
		}
	}
	return len(text)
}

func graphemeWidth(text string) int {
	var a Area
	a.c = &Canvas{}
	columns := 0
	for len(text) > 0 {
		r, wide, size := a.next(text)
		text = text[size:]
		switch {
		case r == covered:
		case wide:
			columns += 2
		default:
			columns++
		}
	}
	return columns
}
