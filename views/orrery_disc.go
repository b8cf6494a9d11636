package views

import (
	"math"

	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/orbit"
)

// discShape is a disc drawn with the dots of braille: how it looks at every filling, and where its moons are.
type discShape struct {
	// fillings are the dots of every cell, from hollow to full.
	fillings [][]rune
	moons    []moon
}

// moon is a dot beside a disc: where it is in dots, its cell among those of the box, and the dot in it.
type moon struct {
	x, y, cell int
	dot        rune
}

// discs are the shapes of the bodies that are larger than a sign.
var discs = map[orbit.Box]*discShape{
	{W: 9, H: 5}: newDisc(9, 5, 7.2, 7.2, 38),
	{W: 5, H: 3}: newDisc(5, 3, 3.9, 3.9, 22),
	{W: 3, H: 2}: newDisc(3, 2, 2.95, 3.6, 0),
}

// scatter is how many places further round the next moon is, so that few are all around, too, and one more moves no other. It has no divisor
// in common with the number of places.
const scatter = 9

// mostCells is the number of cells of the largest disc.
const mostCells = 9 * 5

// newDisc draws the disc of a box at all fillings, with so many moons around.
func newDisc(w, h int, rx, ry float64, moons int) *discShape {
	cx, cy := float64(2*w-1)/2, float64(4*h-1)/2
	d := &discShape{}
	for filled := range 4*h + 1 {
		cells := make([]rune, w*h)
		for y := range 4 * h {
			for x := range 2 * w {
				distance := math.Hypot((float64(x)-cx)/rx, (float64(y)-cy)/ry)
				rim := distance > 1-.9/rx
				if distance <= 1 && (rim || y >= 4*h-filled) {
					cells[y/4*w+x/2] |= brailleDot(x%2, y%4)
				}
			}
		}
		d.fillings = append(d.fillings, cells)
	}
	for n := range moons {
		i := n * scatter % moons
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(moons))
		x, y := int(math.Round(cx+cx*cos)), int(math.Round(cy+cy*sin))
		d.moons = append(d.moons, moon{x, y, y/4*w + x/2, brailleDot(x%2, y%4)})
	}
	return d
}

// brailleDot is the bit of a dot in a cell.
func brailleDot(x, y int) rune {
	return [2][4]rune{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}[x][y]
}

// filling returns the dots of a disc at a level.
func (d *discShape) filling(level float64) []rune {
	return d.fillings[int(math.Round(min(max(level, 0), 1)*float64(len(d.fillings)-1)))]
}

// podsPerMoon returns how many pods a moon stands for: the same at all bodies, so that they compare.
func (o *orreryCtx) podsPerMoon() int {
	shape := discs[o.plan.Box]
	if shape == nil || len(shape.moons) == 0 {
		return 1
	}
	per := 1
	for i := range o.Bodies {
		per = max(per, (o.Bodies[i].Pods+len(shape.moons)-1)/len(shape.moons))
	}
	return per
}

// disc draws a node as a disc that is as full as what is allocated of it, with its pods around as moons, those that leave in their colour.
// The sign of the last search comes into the middle.
func (o *orreryCtx) disc(sky draw.Area, b *orbit.Body, m *mark) {
	shape, r := discs[o.plan.Box], o.plan.Area(b)
	style := themes.Style(themes.Heat(m.level))
	if m.flags&NotReady != 0 {
		style = themes.Style(themes.Border)
	}
	if sky.Glyphs() != draw.Braille {
		discOfBlocks(sky, r, m.level, style)
		return
	}
	var moons, leaving [mostCells]rune
	node := &o.Bodies[o.plan.Nodes(b)[0]]
	per := o.perMoon
	for i := range min((node.Pods+per-1)/per, len(shape.moons)) {
		at := shape.moons[i]
		moons[at.cell] |= at.dot
		if i < (node.Leaving+per-1)/per {
			leaving[at.cell] |= at.dot
		}
	}
	for i, dots := range shape.filling(m.level) {
		if dots |= moons[i]; dots == 0 {
			continue
		}
		cell := style
		if leaving[i] != 0 {
			cell = themes.Terminating.With(themes.Bold)
		}
		sky.Set(r.X+i%r.W, r.Y+i/r.W, cell, brailleBlank|dots)
	}
}

// brailleBlank is the cell without a dot.
const brailleBlank rune = 0x2800

// discOfBlocks draws a disc on a terminal without braille: its cells are full, half full or empty.
func discOfBlocks(sky draw.Area, r orbit.Rect, level float64, style themes.Style) {
	for i := range r.W * r.H {
		x, y := i%r.W, i/r.W
		if r.H > 2 && (y == 0 || y == r.H-1) && (x < r.W/4 || x >= r.W-r.W/4) {
			continue // the corners
		}
		sign, filled := '░', level*float64(r.H)-float64(r.H-1-y)
		switch {
		case filled >= .75:
			sign = '▓'
		case filled >= .25:
			sign = '▒'
		}
		sky.Set(r.X+x, r.Y+y, style, sign)
	}
}
