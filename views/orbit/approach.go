package orbit

// Rect is a rectangle of cells.
type Rect struct{ X, Y, W, H int }

// Overlaps reports whether two rectangles have a cell in common.
func (r Rect) Overlaps(o Rect) bool {
	return r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H
}

// Approach is where pods wait, left of the rings: on a lane that leads to them, and on a loop below it.
type Approach struct {
	// Lane ends at the outermost ring. Its middle row is the axis of all rings.
	Lane Rect
	Loop Ring
}

// laneRows is the greatest width of the lane, and wordRows are left above and below it for texts in the corners.
const (
	laneRows = 7
	wordRows = 5
)

// approach returns the approach, and takes its cells; nil if there is no room for one.
func (s *shape) approach(g *grid) *Approach {
	if s.lane == 0 {
		return nil
	}
	axis := nearest(s.cx, s.cy).Y
	tip := nearest(s.cx-s.wide, s.cy).X - (s.box.W-1)/2
	a := &Approach{Lane: Rect{X: 0, Y: axis - laneRows/2, W: max(min(tip-3, s.lane+8), s.lane/2), H: laneRows}}
	top := axis + laneRows/2 + 2
	if half := (g.h - wordRows - top) / 2; half >= 1 {
		half = min(half, 4)
		a.Loop.ellipse = ellipse{cx: s.lane * unit / 2, cy: (top + half) * unit, rx: min(s.lane/2-2, 3*half) * unit, ry: half * unit}
		a.Loop.cells = g.claim(a.Loop.ellipse, 0, Box{1, 1})
	}
	g.mark(a.Lane, true)
	return a
}
