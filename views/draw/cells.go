package draw

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"orrery/themes"
)

// Grapheme is the content of one column of one row.
type Grapheme struct {
	Rune rune
	// Cluster is a grapheme of more than one rune; empty otherwise.
	Cluster string
	// Wide means that the grapheme takes the next column too, which is then a Tail.
	Wide, Tail bool
}

// ASCII reports whether the grapheme is one byte.
func (g Grapheme) ASCII() bool { return g.Cluster == "" && !g.Tail && g.Rune < utf8.RuneSelf }

// Append appends the text; a tail has none.
func (g Grapheme) Append(b []byte) []byte {
	switch {
	case g.Tail:
		return b
	case g.Cluster != "":
		return append(b, g.Cluster...)
	}
	return utf8.AppendRune(b, g.Rune)
}

// Cells returns the content and style of the columns, row by row. It replaces a grapheme that a terminal would join to
// the previous one by a dot, since joined they would be narrower than their columns.
func (c *Canvas) Cells() iter.Seq2[Grapheme, themes.Style] {
	return func(yield func(Grapheme, themes.Style) bool) {
		before := -1    // the cell of the previous grapheme in this row
		dotted := false // the previous wide grapheme became a dot
		for i := range c.cells {
			if i%c.w == 0 {
				before = -1
			}
			at := &c.cells[i]
			g := Grapheme{Rune: at.rune, Wide: at.wide}
			switch {
			case at.rune == wideTail && dotted:
				g.Rune = blank
			case at.rune == wideTail:
				g.Tail = true
			case before >= 0 && c.joins(&c.cells[before], at):
				g, dotted, before = Grapheme{Rune: '·'}, at.wide, -1
			default:
				if at.rune < 0 {
					g.Rune, g.Cluster = 0, c.clusters[-at.rune-1]
				}
				before, dotted = i, false
			}
			if !yield(g, at.style) {
				return
			}
		}
	}
}

// Plain returns the canvas as text without styles, a line for every row.
func (c *Canvas) Plain() string {
	if c.w == 0 {
		return strings.Repeat("\n", max(c.h-1, 0))
	}
	b, i := c.out[:0], 0
	for g := range c.Cells() {
		if i > 0 && i%c.w == 0 {
			b = append(b, '\n')
		}
		b = g.Append(b)
		i++
	}
	c.out = b
	return string(b)
}

// joins reports whether a terminal would draw two neighbours as one grapheme, such as the two halves of a flag.
func (c *Canvas) joins(left, right *cell) bool {
	if keepsApart(left.rune) && keepsApart(right.rune) {
		return false
	}
	l := c.grapheme(left.rune)
	first, _ := ansi.FirstGraphemeCluster(l+c.grapheme(right.rune), ansi.GraphemeWidth)
	return len(first) > len(l)
}

func (c *Canvas) grapheme(r rune) string {
	if r < 0 {
		return c.clusters[-r-1]
	}
	return string(r)
}

// keepsApart reports whether a rune joins with no neighbour: printable ASCII, the program's own drawings and symbols,
// and the scripts of China and Japan without their marks.
func keepsApart(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f, r == '·':
		return true
	case r >= 0x2010 && r < 0x2c00:
		return r < 0x2028 || (r > 0x202f && r < 0x2060) || (r >= 0x2100)
	}
	return (r >= 0x3041 && r <= 0x3096) || (r >= 0x30a1 && r <= 0x30fa) || (r >= 0x3400 && r <= 0x9fff)
}
