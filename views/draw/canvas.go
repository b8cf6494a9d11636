package draw

import "orrery/themes"

// cell is one column of one row. A grapheme of more than one rune is stored in clusters, and rune is then its negative
// index, from -1 downwards. A cell whose rune is wideTail belongs to the wide grapheme on its left.
type cell struct {
	rune  rune
	style themes.Style
	wide  bool
}

const (
	wideTail rune = 0
	blank    rune = ' '
)

// Canvas is a grid of cells.
type Canvas struct {
	w, h     int
	cells    []cell
	clusters []string
	out      []byte
}

// New returns an empty canvas.
func New(w, h int) *Canvas {
	c := &Canvas{}
	c.Reset(w, h)
	return c
}

// Reset empties the canvas and resizes it.
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

// Size returns the number of columns and rows.
func (c *Canvas) Size() (w, h int) { return c.w, c.h }

// All returns the whole canvas as an Area.
func (c *Canvas) All(g Glyphs) Area {
	return Area{Rect: Rect{W: c.w, H: c.h}, c: c, glyphs: g, bottom: c.h}
}

// put sets one cell, or two for a wide grapheme. A wide grapheme that it covers by half becomes blank.
func (c *Canvas) put(x, y int, r rune, wide bool, s themes.Style) {
	i := y*c.w + x
	c.clearWide(i, x)
	c.cells[i] = cell{rune: r, style: s, wide: wide}
	if wide {
		c.clearWide(i+1, x+1)
		c.cells[i+1] = cell{rune: wideTail, style: s}
	}
}

// clearWide blanks the other half of the wide grapheme that a cell is part of.
func (c *Canvas) clearWide(i, x int) {
	if c.cells[i].rune == wideTail && x > 0 {
		c.cells[i-1].rune, c.cells[i-1].wide = blank, false
	}
	if c.cells[i].wide {
		c.cells[i+1].rune = blank
	}
}

// storeCluster stores a grapheme of several runes and returns the rune that stands for it in a cell.
func (c *Canvas) storeCluster(cluster string) rune {
	c.clusters = append(c.clusters, cluster)
	return -rune(len(c.clusters))
}
