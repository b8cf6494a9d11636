package draw

import (
	"fmt"
	"strconv"
	"strings"

	"orrery/themes"
)

// pathKey is what cells drawn as one path have in common.
type pathKey struct {
	ink   themes.RGB
	kind  pathKind
	faint int // in eighths of full strength; zero is full
}

type pathKind uint8

const (
	filled pathKind = iota
	under           // filled, and behind all others
	thin
	thick
	dashed
	dotted
)

func (k pathKey) attributes() string {
	s := `fill="none" stroke="` + hexOf(k.ink) + `"`
	switch k.kind {
	case filled, under:
		s = `fill="` + hexOf(k.ink) + `"`
	case thick:
		s += ` stroke-width="2.6"`
	case dashed:
		s += ` stroke-dasharray="3 3"`
	case dotted:
		s += ` stroke-width="2.6" stroke-linecap="round"`
	}
	if k.faint != 0 {
		s += ` opacity="` + number(float64(k.faint)/8) + `"`
	}
	return s
}

func (d *drawing) path(k pathKey) *strings.Builder {
	b, ok := d.paths[k]
	if !ok {
		b = &strings.Builder{}
		d.paths[k] = b
		d.order = append(d.order, k)
	}
	return b
}

func (d *drawing) rect(k pathKey, x, y, w, h float64) {
	fmt.Fprintf(d.path(k), "M%s %sh%sv%sh-%sz", number(x), number(y), number(w), number(h), number(w))
}

// number is a coordinate in as few characters as it needs.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if rest, ok := strings.CutPrefix(s, "0."); ok {
		return "." + rest
	}
	return s
}

// line is a sign made of lines: the arms that go out from the middle of its cell.
type line struct {
	left, right, up, down bool
	kind                  pathKind
}

var lineSigns = map[rune]line{
	'─': {left: true, right: true, kind: thin}, '│': {up: true, down: true, kind: thin}, '┼': {true, true, true, true, thin},
	'├': {right: true, up: true, down: true, kind: thin}, '┤': {left: true, up: true, down: true, kind: thin},
	'┬': {left: true, right: true, down: true, kind: thin}, '┴': {left: true, right: true, up: true, kind: thin},
	'┌': {right: true, down: true, kind: thin}, '┐': {left: true, down: true, kind: thin},
	'└': {right: true, up: true, kind: thin}, '┘': {left: true, up: true, kind: thin},
	'━': {left: true, right: true, kind: thick}, '╸': {left: true, kind: thick}, '┄': {left: true, right: true, kind: dashed},
	'┆': {up: true, down: true, kind: dashed}, '╎': {up: true, down: true, kind: dashed},
}

// corners are the round ones, from the upper left corner of their cell.
var corners = map[rune]string{
	'╭': "M%s %sm4.5 18v-5a4.5 4.5 0 0 1 4.5-4.5", '╮': "M%s %sm0 8.5a4.5 4.5 0 0 1 4.5 4.5v5",
	'╰': "M%s %sm4.5 0v4a4.5 4.5 0 0 0 4.5 4.5", '╯': "M%s %sm0 8.5a4.5 4.5 0 0 0 4.5-4.5v-4",
}

// The middle of a cell, where a line of one pixel is sharp.
const middleX, middleY = 4.5, 8.5

// isDrawn tells of the signs that are lines, bars and dots and must meet their neighbours.
func isDrawn(r rune) bool {
	_, isLine := lineSigns[r]
	_, isCorner := corners[r]
	return isLine || isCorner || (r >= '▀' && r <= '▓') || r == '·' || r == '■' || r == '‖' || (r >= brailleBlank && r <= 0x28ff)
}

// lines draws them all: what lies along a row from left to right, then what stands in a column from top to bottom, so that
// a long line is one stroke.
func (d *drawing) lines() {
	c := d.canvas
	for y := range c.h {
		for x := 0; x < c.w; {
			x += d.along(x, y)
		}
	}
	for x := range c.w {
		for y := 0; y < c.h; {
			y += d.down(x, y)
		}
	}
}

func (d *drawing) at(x, y int) cell { return d.canvas.cells[y*d.canvas.w+x] }

func (d *drawing) inked(c cell, kind pathKind) pathKey {
	look := d.theme.Look(c.style)
	k := pathKey{ink: look.Ink, kind: kind}
	if look.Attr&themes.Faint != 0 {
		k.faint = 5
	}
	return k
}

// along draws what begins in a cell and goes to the right, and says how many cells that took.
func (d *drawing) along(x, y int) int {
	c := d.at(x, y)
	if !isDrawn(c.rune) {
		return 1
	}
	same := 1 // the cells that show the same
	for x+same < d.canvas.w && d.at(x+same, y) == c {
		same++
	}
	left, top := float64(x*cellWidth), float64(y*cellHeight)
	if l, ok := lineSigns[c.rune]; ok {
		d.stroke(l, c, left, top, same)
		return same
	}
	for i := range same {
		if d.small(c, left+float64(i*cellWidth), top) {
			continue
		}
		d.block(c, left, top, same)
		break
	}
	return same
}

// stroke draws the level arms of a line.
func (d *drawing) stroke(l line, c cell, left, top float64, same int) {
	from, to := middleX, middleX
	if l.left {
		from = 0
	}
	if l.right {
		to = cellWidth
	}
	if from == to {
		return
	}
	k := d.inked(c, l.kind)
	if l.left && l.right {
		fmt.Fprintf(d.path(k), "M%s %sh%d", number(left), number(top+middleY), same*cellWidth)
		return
	}
	for i := range same {
		fmt.Fprintf(d.path(k), "M%s %sh%s", number(left+float64(i*cellWidth)+from), number(top+middleY), number(to-from))
	}
}

// down draws the upright arms that begin in a cell, and says how many cells that took.
func (d *drawing) down(x, y int) int {
	c := d.at(x, y)
	l, ok := lineSigns[c.rune]
	if !ok || (!l.up && !l.down) {
		return 1
	}
	k := d.inked(c, l.kind)
	from, to := float64(y*cellHeight), float64((y+1)*cellHeight)
	if !l.up {
		from += middleY
	}
	cells := 1
	for ; l.down && y+cells < d.canvas.h; cells++ {
		next := d.at(x, y+cells)
		below, ok := lineSigns[next.rune]
		if !ok || !below.up || d.inked(next, below.kind) != k {
			break
		}
		to = float64((y + cells + 1) * cellHeight)
		l = below
	}
	if !l.down {
		to -= cellHeight - middleY
	}
	fmt.Fprintf(d.path(k), "M%s %sv%s", number(float64(x*cellWidth)+middleX), number(from), number(to-from))
	return cells
}

// small draws a sign that stands in one cell.
func (d *drawing) small(c cell, left, top float64) bool {
	corner, isCorner := corners[c.rune]
	switch {
	case isCorner:
		fmt.Fprintf(d.path(d.inked(c, thin)), corner, number(left), number(top))
	case c.rune == '·':
		fmt.Fprintf(d.path(d.inked(c, dotted)), "M%s %sh0", number(left+middleX), number(top+middleY+.5))
	case c.rune == '‖':
		d.rect(d.inked(c, filled), left+1.5, top+4, 2, 10)
		d.rect(d.inked(c, filled), left+5.5, top+4, 2, 10)
	case c.rune == '■':
		d.rect(d.inked(c, filled), left+.5, top+4.5, cellWidth-1, cellWidth-1)
	case c.rune >= brailleBlank && c.rune <= 0x28ff:
		d.braille(c, left, top)
	default:
		return false
	}
	return true
}

// braille draws the dots of one cell.
func (d *drawing) braille(c cell, left, top float64) {
	b := d.path(d.inked(c, dotted))
	for column, heights := range dots {
		for fromBottom, bit := range heights {
			if (c.rune-brailleBlank)&bit != 0 {
				fmt.Fprintf(b, "M%s %sh0", number(left+2.25+4.5*float64(column)), number(top+15.75-4.5*float64(fromBottom)))
			}
		}
	}
}

// block draws a bar of the same cells: a part of each from the left or the bottom, or all of it more or less strongly.
func (d *drawing) block(c cell, left, top float64, same int) {
	k := d.inked(c, filled)
	width := float64(same * cellWidth)
	switch r := c.rune; {
	case r == '▀':
		d.rect(k, left, top, width, cellHeight/2)
	case r >= '▁' && r <= '█':
		h := float64(r-'▁'+1) * cellHeight / 8
		d.rect(k, left, top+cellHeight-h, width, h)
	case r >= '▉' && r <= '▏':
		for i := range same {
			d.rect(k, left+float64(i*cellWidth), top, float64('▏'-r+1)*cellWidth/8, cellHeight)
		}
	case r == '▐':
		for i := range same {
			d.rect(k, left+float64(i*cellWidth)+middleX, top, middleX, cellHeight)
		}
	default: // the shades
		k.faint = int(r-'░'+1) * 2
		d.rect(k, left, top, width, cellHeight)
	}
}
