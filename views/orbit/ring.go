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

// claim returns the free cells of an ellipse outside the gap, clockwise, and takes them.
func (g *grid) claim(e ellipse, margin int) []place {
	var cells []place
	last := Point{-1, -1}
	for angle := gap; angle <= Turn-gap; angle += e.step(1) {
		p := nearest(e.at(angle))
		if p == last || p.X < 0 || p.X >= g.w || p.Y < margin || p.Y >= g.h-margin || g.taken[p.Y*g.w+p.X] {
			continue
		}
		last = p
		g.taken[p.Y*g.w+p.X] = true
		cells = append(cells, place{p, angle})
	}
	return cells
}

// release gives the cells of rings back.
func (g *grid) release(rings []Ring) {
	for i := range rings {
		for _, c := range rings[i].cells {
			g.taken[c.Y*g.w+c.X] = false
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
