package draw

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"orrery/themes"
)

// Area is a rectangle of a canvas. Its coordinates start at its upper left corner, and drawing is clipped to it.
type Area struct {
	Rect
	c      *Canvas
	glyphs Glyphs
	ground themes.Attr
	// top and bottom are the rows of the canvas between which it draws: parts of an area that scrolls are outside.
	top, bottom int
}

// In returns the part of the area inside a rectangle given in the canvas's coordinates, like the area's own Rect.
func (a Area) In(r Rect) Area {
	a.Rect = r.intersect(a.Rect)
	return a
}

// Scrolled returns an area of some rows, of which the one at index first is drawn at the top of a: a is the window through
// which it is seen.
func (a Area) Scrolled(first, rows int) Area {
	a.top, a.bottom = max(a.top, a.Y), min(a.bottom, a.Y+a.H)
	a.Rect = Rect{X: a.X, Y: a.Y - first, W: a.W, H: rows}
	return a
}

// shown reports whether a row of the area is drawn.
func (a Area) shown(y int) bool { return y >= 0 && y < a.H && a.Y+y >= a.top && a.Y+y < a.bottom }

// On returns the area with attributes added to whatever is drawn, such as those of a selected row.
func (a Area) On(attrs themes.Attr) Area {
	a.ground |= attrs
	return a
}

// Glyphs returns the glyph set of the terminal.
func (a Area) Glyphs() Glyphs { return a.glyphs }

// Row returns one row of the area.
func (a Area) Row(y int) Area {
	_, rest := a.Rect.Top(y)
	a.Rect, _ = rest.Top(1)
	return a
}

// Set draws one rune that is one column wide.
func (a Area) Set(x, y int, s themes.Style, r rune) {
	if x < 0 || x >= a.W || !a.shown(y) {
		return
	}
	if a.glyphs == ASCII && r >= utf8.RuneSelf {
		r = toASCII(r)
	}
	a.c.put(a.X+x, a.Y+y, r, false, s.With(a.ground))
}

// Fill draws one rune in every cell.
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

// Text draws a string and returns the column after it. It cuts off what does not fit without an ellipsis: it is for the
// program's own words, which have room.
func (a Area) Text(x, y int, s themes.Style, text string) int {
	for len(text) > 0 {
		r, wide, size := a.next(text)
		if text = text[size:]; r == wideTail {
			continue
		}
		x = a.place(x, y, r, wide, s)
	}
	return x
}

// place draws what next has read, and returns the column after it.
func (a Area) place(x, y int, r rune, wide bool, s themes.Style) int {
	if !wide {
		if r < 0 && x >= 0 && x < a.W && a.shown(y) {
			a.c.put(a.X+x, a.Y+y, r, false, s.With(a.ground))
			return x + 1
		}
		a.Set(x, y, s, r)
		return x + 1
	}
	if x >= 0 && x+1 < a.W && a.shown(y) {
		a.c.put(a.X+x, a.Y+y, r, true, s.With(a.ground))
	} else if x+1 == a.W {
		a.Set(x, y, s, blank)
	}
	return x + 2
}

// next reads the first grapheme of a text: the cell's rune, whether it is wide, and its length in bytes. The rune of a
// grapheme without width is wideTail: it is not drawn.
func (a Area) next(text string) (r rune, wide bool, size int) {
	if b := text[0]; b < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) {
		if b < ' ' || b == 0x7f {
			return wideTail, false, 1
		}
		return rune(b), false, 1
	}
	cluster, width := ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth)
	first, n := utf8.DecodeRuneInString(cluster)
	switch {
	case width == 0 || first < ' ' || (first == utf8.RuneError && n == 1):
		return wideTail, false, max(len(cluster), 1)
	case width > 2: // no cell is that wide, and terminals disagree about it
		return '·', false, len(cluster)
	case n == len(cluster):
		return first, width == 2, n
	}
	return a.c.storeCluster(cluster), width == 2, len(cluster)
}

// Width returns how many columns a text takes.
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
		case r == wideTail:
		case wide:
			columns += 2
		default:
			columns++
		}
	}
	return columns
}
