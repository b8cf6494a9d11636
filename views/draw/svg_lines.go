package draw

import (
	"fmt"
	"strconv"
	"strings"

	"orrery/themes"
)

// pathKey is what the cells drawn as one path have in common.
type pathKey struct {
	ink   themes.RGB
	kind  pathKind
	faint int // in eighths of full strength; zero is full
}

type pathKind uint8

const (
	filled     pathKind = iota
	background          // filled, and behind all others
	thin
	thick
	dashed
	dotted
)

func (k pathKey) attributes() string {
	s := `fill="none" stroke="` + hexOf(k.ink) + `"`
	switch k.kind {
	case filled, background:
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

func (d *svgWriter) path(k pathKey) *strings.Builder {
	b, ok := d.paths[k]
	if !ok {
		b = &strings.Builder{}
		d.paths[k] = b
		d.order = append(d.order, k)
	}
	return b
}

func (d *svgWriter) rect(k pathKey, x, y, w, h float64) {
	fmt.Fprintf(d.path(k), "M%s %sh%sv%sh-%sz", number(x), number(y), number(w), number(h), number(w))
}

// number formats a coordinate in as few characters as possible.
func number(v float64) string {
	s := strconv.FormatFloat(v, 'f', -1, 64)
	if rest, ok := strings.CutPrefix(s, "0."); ok {
		return "." + rest
	}
	return s
}

// line is a sign made of lines: the arms from the middle of its cell.
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

// corners are the round corners, as paths from the upper left corner of their cell.
var corners = map[rune]string{
	'╭': "M%s %sm4.5 18v-5a4.5 4.5 0 0 1 4.5-4.5", '╮': "M%s %sm0 8.5a4.5 4.5 0 0 1 4.5 4.5v5",
	'╰': "M%s %sm4.5 0v4a4.5 4.5 0 0 0 4.5 4.5", '╯': "M%s %sm0 8.5a4.5 4.5 0 0 0 4.5-4.5v-4",
}

// The middle of a cell, where a line of one pixel is sharp.
const middleX, middleY = 4.5, 8.5

// isDrawn reports whether a sign is a line, bar or dot that must meet its neighbours.
func isDrawn(r rune) bool {
	_, isLine := lineSigns[r]
	_, isCorner := corners[r]
	return isLine || isCorner || (r >= '▀' && r <= '▓') || r == '·' || r == '■' || r == '‖' || (r >= brailleBlank && r <= 0x28ff)
}

// drawLines draws all of them: horizontal ones from left to right, then vertical ones from top to bottom, so that a
// long line is one stroke.
func (d *svgWriter) drawLines() {
	c := d.canvas
	for y := range c.h {
		for x := 0; x < c.w; {
			x += d.drawHorizontal(x, y)
		}
	}
	for x := range c.w {
		for y := 0; y < c.h; {
			y += d.drawVertical(x, y)
		}
	}
}

func (d *svgWriter) at(x, y int) cell { return d.canvas.cells[y*d.canvas.w+x] }

func (d *svgWriter) pathKeyFor(c cell, kind pathKind) pathKey {
	look := d.theme.Appearance(c.style)
	k := pathKey{ink: look.Foreground, kind: kind}
	if look.Attr&themes.Faint != 0 {
		k.faint = 5
	}
	return k
}

// drawHorizontal draws the sign in a cell and equal ones to its right, and returns how many cells it drew.
func (d *svgWriter) drawHorizontal(x, y int) int {
	c := d.at(x, y)
	if !isDrawn(c.rune) {
		return 1
	}
	same := 1 // how many cells show the same
	for x+same < d.canvas.w && d.at(x+same, y) == c {
		same++
	}
	left, top := float64(x*cellWidth), float64(y*cellHeight)
	if l, ok := lineSigns[c.rune]; ok {
		d.stroke(l, c, left, top, same)
		return same
	}
	for i := range same {
		if d.drawGlyph(c, left+float64(i*cellWidth), top) {
			continue
		}
		d.drawBlock(c, left, top, same)
		break
	}
	return same
}

// stroke draws the horizontal arms of a line.
func (d *svgWriter) stroke(l line, c cell, left, top float64, same int) {
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
	k := d.pathKeyFor(c, l.kind)
	if l.left && l.right {
		fmt.Fprintf(d.path(k), "M%s %sh%d", number(left), number(top+middleY), same*cellWidth)
		return
	}
	for i := range same {
		fmt.Fprintf(d.path(k), "M%s %sh%s", number(left+float64(i*cellWidth)+from), number(top+middleY), number(to-from))
	}
}

// drawVertical draws the vertical arms that start in a cell, and returns how many cells it drew.
func (d *svgWriter) drawVertical(x, y int) int {
	c := d.at(x, y)
	l, ok := lineSigns[c.rune]
	if !ok || (!l.up && !l.down) {
		return 1
	}
	k := d.pathKeyFor(c, l.kind)
	from, to := float64(y*cellHeight), float64((y+1)*cellHeight)
	if !l.up {
		from += middleY
	}
	cells := 1
	for ; l.down && y+cells < d.canvas.h; cells++ {
		next := d.at(x, y+cells)
		below, ok := lineSigns[next.rune]
		if !ok || !below.up || d.pathKeyFor(next, below.kind) != k {
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

// drawGlyph draws a sign that fills one cell.
func (d *svgWriter) drawGlyph(c cell, left, top float64) bool {
	corner, isCorner := corners[c.rune]
	switch {
	case isCorner:
		fmt.Fprintf(d.path(d.pathKeyFor(c, thin)), corner, number(left), number(top))
	case c.rune == '·':
		fmt.Fprintf(d.path(d.pathKeyFor(c, dotted)), "M%s %sh0", number(left+middleX), number(top+middleY+.5))
	case c.rune == '‖':
		d.rect(d.pathKeyFor(c, filled), left+1.5, top+4, 2, 10)
		d.rect(d.pathKeyFor(c, filled), left+5.5, top+4, 2, 10)
	case c.rune == '■':
		d.rect(d.pathKeyFor(c, filled), left+.5, top+4.5, cellWidth-1, cellWidth-1)
	case c.rune >= brailleBlank && c.rune <= 0x28ff:
		d.braille(c, left, top)
	default:
		return false
	}
	return true
}

// braille draws the dots of one cell.
func (d *svgWriter) braille(c cell, left, top float64) {
	b := d.path(d.pathKeyFor(c, dotted))
	for column, heights := range dots {
		for fromBottom, bit := range heights {
			if (c.rune-brailleBlank)&bit != 0 {
				fmt.Fprintf(b, "M%s %sh0", number(left+2.25+4.5*float64(column)), number(top+15.75-4.5*float64(fromBottom)))
			}
		}
	}
}

// drawBlock draws a bar of equal cells: a part of each from the left or the bottom, or all of it at some opacity.
func (d *svgWriter) drawBlock(c cell, left, top float64, same int) {
	k := d.pathKeyFor(c, filled)
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
