package orbit

// Ring is an ellipse, and the cells along it on which something can be drawn.
type Ring struct {
	ellipse
	// Zones are the zones on the ring: the first, and one after the last.
	First, End int
	cells      []place
}

// place is a cell of a ring and its angle.
type place struct {
	Point
	angle int
}

// gap is the angle on either side of the top that has no bodies.
const gap = Turn / 18

// grid marks the cells that belong to a ring.
type grid struct {
	w, h  int
	taken []bool
}

// Box is how many cells a body takes: a sign takes one, a disc more.
type Box struct{ W, H int }

// at returns the rectangle of a body in the middle of which a cell is.
func (b Box) at(p Point) Rect { return Rect{p.X - (b.W-1)/2, p.Y - (b.H-1)/2, b.W, b.H} }

// claim returns the places along an ellipse outside the gap that are free for a box, clockwise, and takes their cells.
func (g *grid) claim(e ellipse, margin int, box Box) []place {
	var places []place
	last := Point{-1, -1}
	for angle := gap; angle <= Turn-gap; angle += e.step(1) {
		p := nearest(e.at(angle))
		if p == last || !g.free(box.at(p), margin) {
			continue
		}
		last = p
		g.mark(box.at(p), true)
		places = append(places, place{p, angle})
	}
	return places
}

// free reports whether all cells of a rectangle are on the grid and free. A rectangle of several cells keeps a column apart from others.
func (g *grid) free(r Rect, margin int) bool {
	if r.X < 0 || r.X+r.W > g.w || r.Y < margin || r.Y+r.H > g.h-margin {
		return false
	}
	if r.W > 1 {
		left, right := max(r.X-1, 0), min(r.X+r.W+1, g.w)
		r.X, r.W = left, right-left
	}
	for y := r.Y; y < r.Y+r.H; y++ {
		for x := r.X; x < r.X+r.W; x++ {
			if g.taken[y*g.w+x] {
				return false
			}
		}
	}
	return true
}

// mark takes the cells of a rectangle, or gives them back.
func (g *grid) mark(r Rect, taken bool) {
	for y := max(r.Y, 0); y < min(r.Y+r.H, g.h); y++ {
		for x := max(r.X, 0); x < min(r.X+r.W, g.w); x++ {
			g.taken[y*g.w+x] = taken
		}
	}
}

// release gives the cells of rings back.
func (g *grid) release(rings []Ring, box Box) {
	for i := range rings {
		for _, c := range rings[i].cells {
			g.mark(box.at(c.Point), false)
		}
	}
}

// Len returns how many cells the ring has.
func (r *Ring) Len() int { return len(r.cells) }

// Cell returns the i-th cell, clockwise.
func (r *Ring) Cell(i int) Point { return r.cells[i].Point }

// Rows returns how many rows the ring encloses.
func (r *Ring) Rows() int { return max(2*r.ry/unit-1, 0) }

// Columns returns how many columns it encloses in the middle.
func (r *Ring) Columns() int { return max(2*r.rx/unit-2, 0) }

// Top returns the ring's cell at the top, and how many columns of the gap are free for a name.
func (r *Ring) Top() (at Point, width int) {
	return nearest(r.at(0)), max(2*r.rx*sine[gap]/unit/unit-1, 0)
}

// Dots calls draw with each braille dot of the ellipse between two angles, clockwise.
func (r *Ring) Dots(from, to int, draw func(Point)) {
	last := Point{-1, -1}
	for angle := from; angle < to; angle += r.step(4) {
		if p := dot(r.at(angle)); p != last {
			draw(p)
			last = p
		}
	}
}
