package draw

import "orrery/themes"

// cell is one column of one row. A grapheme of more than one rune is kept aside, and rune is then its place there,
// counted from -1 downwards. A cell whose rune is covered belongs to the wide grapheme on its left.
type cell struct {
	rune  rune
	style themes.Style
	wide  bool
}

const (
	covered rune = 0
	blank   rune = ' '
)

// Canvas is a screen, or a part of one, made of cells.
type Canvas struct {
	w, h     int
	cells    []cell
	clusters []string
	out      []byte
}

// New is an empty canvas.
func New(w, h int) *Canvas {
	c := &Canvas{}
	c.Reset(w, h)
	return c
}

// Reset empties the canvas and gives it a size.
func (c *Canvas) Reset(w, h int) {
	c.w, c.h = max(w, 0), max(h, 0)
	n := c.w * c.h
	if cap(c.cells) < n {
		c.cells = make([]cell, n)
	}
	c.cells = c.cells[:n]
	for i := range c.cells {
		c.cells[i] = cell{rune: blank}
	}
	c.clusters = c.clusters[:0]
}

// Size is how many columns and rows there are.
func (c *Canvas) Size() (w, h int) { return c.w, c.h }

// All is the whole canvas.
func (c *Canvas) All(g Glyphs) Area { return Area{Rect: Rect{W: c.w, H: c.h}, c: c, glyphs: g} }

// put sets one cell, or two for a wide grapheme. What it covers by half becomes blank.
func (c *Canvas) put(x, y int, r rune, wide bool, s themes.Style) {
	i := y*c.w + x
	c.release(i, x)
	c.cells[i] = cell{rune: r, style: s, wide: wide}
	if wide {
		c.release(i+1, x+1)
		c.cells[i+1] = cell{rune: covered, style: s}
	}
}

// release blanks the other half of the wide grapheme that a cell is part of.
func (c *Canvas) release(i, x int) {
	if c.cells[i].rune == covered && x > 0 {
		c.cells[i-1].rune, c.cells[i-1].wide = blank, false
	}
	if c.cells[i].wide {
		c.cells[i+1].rune = blank
	}
}

// aside keeps a grapheme of several runes and says what a cell calls it.
func (c *Canvas) aside(cluster string) rune {
	c.clusters = append(c.clusters, cluster)
	return -rune(len(c.clusters))
}
