package orbit

import "math"

// Coordinates are integers in units of a cell.
const unit = 1 << 10

// Turn is a full circle. Angles begin at the top and grow clockwise.
const Turn = 4096

// sine is the sine of every angle, in units.
var sine = func() (table [Turn]int) {
	for i := range table {
		table[i] = int(math.Round(unit * math.Sin(2*math.Pi*float64(i)/Turn)))
	}
	return table
}()

// ellipse is one around the centre of a grid. Its lengths are in units.
type ellipse struct{ cx, cy, rx, ry int }

// at returns the point of an angle, in units.
func (e ellipse) at(angle int) (x, y int) {
	return e.cx + e.rx*sine[angle%Turn]/unit, e.cy - e.ry*sine[(angle+Turn/4)%Turn]/unit
}

// step is an angle small enough that no cell of a dotted line is skipped, given the dots per cell in height.
func (e ellipse) step(dots int) int {
	longest := max(e.rx, e.ry*dots/2, unit/4)
	return min(max(Turn*unit/(8*dots*longest), 1), Turn/16)
}

// Point is a cell, or a dot of one.
type Point struct{ X, Y int }

// nearest returns the cell of a point in units.
func nearest(x, y int) Point { return Point{floorDiv(x+unit/2, unit), floorDiv(y+unit/2, unit)} }

// dot returns the braille dot of a point in units: a cell is two of them wide and four high.
func dot(x, y int) Point { return Point{floorDiv(2*x+unit, unit), floorDiv(4*y+2*unit, unit)} }

// floorDiv rounds down, below zero too.
func floorDiv(a, b int) int {
	if a < 0 {
		return -((-a + b - 1) / b)
	}
	return a / b
}
