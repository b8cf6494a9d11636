package draw

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"orrery/themes"
)

// Render is the canvas as text for a terminal: a line for every row, each starting and ending in the terminal's own
// style, with a code only where the style changes to the eye.
func (c *Canvas) Render(inks *themes.Inks) string { return c.text(inks) }

// Plain is the canvas as text without codes.
func (c *Canvas) Plain() string { return c.text(nil) }

func (c *Canvas) text(inks *themes.Inks) string {
	b := c.out[:0]
	for y := range c.h {
		if y > 0 {
			b = append(b, '\n')
		}
		b = c.line(b, c.cells[y*c.w:(y+1)*c.w], inks)
	}
	c.out = b
	return string(b)
}

func (c *Canvas) line(b []byte, cells []cell, inks *themes.Inks) []byte {
	style := themes.Plain
	before := -1 // the cell whose grapheme was written last
	for i := range cells {
		at := &cells[i]
		if at.rune == covered {
			continue
		}
		if inks != nil && at.style != style && (at.rune != blank || shows(at.style) || shows(style)) {
			b = inks.AppendSwitch(b, style, at.style)
			style = at.style
		}
		switch {
		case before >= 0 && c.melts(&cells[before], at):
			b = append(b, "·"...)
			if at.wide {
				b = append(b, ' ')
			}
			before = -1
			continue
		case at.rune < 0:
			b = append(b, c.clusters[-at.rune-1]...)
		case at.rune < utf8.RuneSelf:
			b = append(b, byte(at.rune))
		default:
			b = utf8.AppendRune(b, at.rune)
		}
		before = i
	}
	if inks != nil {
		b = inks.AppendSwitch(b, style, themes.Plain)
	}
	return b
}

// shows tells whether a style is seen on a blank.
func shows(s themes.Style) bool {
	return s.Attr()&(themes.Underline|themes.Reverse|themes.Selected) != 0
}

// melts tells whether two neighbours would be drawn as one grapheme, as two halves of a flag would: the second is then
// shown as a dot, because it would take the line out of its width.
func (c *Canvas) melts(left, right *cell) bool {
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

// keepsApart tells of the runes that nearly everything is made of that they join with no neighbour: printable ASCII, the
// drawings, the symbols, and the scripts of China and Japan without their marks.
func keepsApart(r rune) bool {
	switch {
	case r >= ' ' && r < 0x7f, r == '·':
		return true
	case r >= 0x2010 && r < 0x2c00:
		return r < 0x2028 || (r > 0x202f && r < 0x2060) || (r >= 0x2100)
	}
	return (r >= 0x3041 && r <= 0x3096) || (r >= 0x30a1 && r <= 0x30fa) || (r >= 0x3400 && r <= 0x9fff)
}
