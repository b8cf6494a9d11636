package draw

import "orrery/themes"

// levels are the heights of a column of blocks; the first is a thin line, so that zero is visible.
var levels = [...]rune{'▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'}

// dots are the braille bits of the two columns of a cell, from the bottom up.
var dots = [2][4]rune{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}

const brailleBlank rune = 0x2800

// Chart draws values as a filled curve over the area, the latest on the right. With braille a cell holds two values and
// four heights, with blocks one value and eight heights, with ASCII one and one.
func (a Area) Chart(s themes.Style, values []float64, most float64) {
	if a.Empty() {
		return
	}
	perCell := a.valuesPerCell()
	if room := a.W * perCell; len(values) > room {
		values = values[len(values)-room:]
	}
	first := a.W*perCell - len(values)
	for i, v := range values {
		a.column((first+i)/perCell, (first+i)%perCell, s, fractionOf(v, most))
	}
}

// Curve is Chart for values that fill the area even if they are few: it widens each. It returns how many of the values
// fitted.
func (a Area) Curve(s themes.Style, values []float64, most float64) int {
	if a.Empty() || len(values) == 0 {
		return 0
	}
	perCell := a.valuesPerCell()
	room := a.W * perCell
	values = values[max(len(values)-room, 0):]
	for at := range room {
		a.column(at/perCell, at%perCell, s, fractionOf(values[at*len(values)/room], most))
	}
	return len(values)
}

func (a Area) valuesPerCell() int {
	if a.glyphs == Braille {
		return 2
	}
	return 1
}

// fractionOf returns a value as a fraction of most.
func fractionOf(v, most float64) float64 {
	if most <= 0 {
		most = 1
	}
	return min(max(v/most, 0), 1)
}

// column draws one value from the bottom up.
func (a Area) column(x, half int, s themes.Style, fraction float64) {
	perCell := 8
	switch a.glyphs {
	case Braille:
		perCell = 4
	case ASCII:
		perCell = 1
	}
	height := int(fraction*float64(perCell*a.H) + 0.5)
	height = max(height, 1)
	for y := a.H - 1; y >= 0 && height > 0; y-- {
		n := min(height, perCell)
		height -= n
		switch a.glyphs {
		case Braille:
			a.addDots(x, y, half, n, s)
		case Block:
			a.Set(x, y, s, levels[n-1])
		default:
			r := '#'
			if y == a.H-1 && fraction == 0 {
				r = '_'
			}
			a.Set(x, y, s, r)
		}
	}
}

// addDots adds dots to a braille cell whose other half may be drawn already.
func (a Area) addDots(x, y, half, n int, s themes.Style) {
	if x < 0 || x >= a.W {
		return
	}
	r := a.c.cells[(a.Y+y)*a.c.w+a.X+x].rune
	if r < brailleBlank || r > 0x28ff {
		r = brailleBlank
	}
	for i := range n {
		r |= dots[half][i]
	}
	a.Set(x, y, s, r)
}

// Dot draws one dot of a line: with braille a cell is two of them wide and four high, and keeps those it has. Other glyphs
// have one dot in the middle of a cell.
func (a Area) Dot(x, y int, s themes.Style) {
	if x < 0 || y < 0 || x >= 2*a.W || y >= 4*a.H {
		return
	}
	if a.glyphs != Braille {
		a.Set(x/2, y/4, s, '·')
		return
	}
	r := a.c.cells[(a.Y+y/4)*a.c.w+a.X+x/2].rune
	if r < brailleBlank || r > 0x28ff {
		r = brailleBlank
	}
	a.Set(x/2, y/4, s, r|dots[x%2][3-y%4])
}

// asciiLevels are the heights of a single cell in ASCII.
var asciiLevels = [...]rune{'_', '.', ':', '-', '=', '+', '*', '#'}

// Level returns the glyph of a fraction in one cell.
func (a Area) Level(fraction float64) rune {
	i := min(int(min(max(fraction, 0), 1)*float64(len(levels))), len(levels)-1)
	if a.glyphs == ASCII {
		return asciiLevels[i]
	}
	return levels[i]
}
