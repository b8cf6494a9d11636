package draw

// Rect is a rectangle of cells. W and H are never negative.
type Rect struct{ X, Y, W, H int }

// Empty reports whether the rectangle has no cells.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Left cuts w columns off the left side and returns them and the rest.
func (r Rect) Left(w int) (cut, rest Rect) {
	w = clamp(w, r.W)
	return Rect{r.X, r.Y, w, r.H}, Rect{r.X + w, r.Y, r.W - w, r.H}
}

// Right cuts w columns off the right side.
func (r Rect) Right(w int) (cut, rest Rect) {
	rest, cut = r.Left(r.W - clamp(w, r.W))
	return cut, rest
}

// Top cuts h rows off the top.
func (r Rect) Top(h int) (cut, rest Rect) {
	h = clamp(h, r.H)
	return Rect{r.X, r.Y, r.W, h}, Rect{r.X, r.Y + h, r.W, r.H - h}
}

// Bottom cuts h rows off the bottom.
func (r Rect) Bottom(h int) (cut, rest Rect) {
	rest, cut = r.Top(r.H - clamp(h, r.H))
	return cut, rest
}

// Inset removes dx columns on either side and dy rows above and below.
func (r Rect) Inset(dx, dy int) Rect {
	dx, dy = clamp(dx, r.W/2), clamp(dy, r.H/2)
	return Rect{r.X + dx, r.Y + dy, r.W - 2*dx, r.H - 2*dy}
}

// intersect returns the intersection of two rectangles.
func (r Rect) intersect(o Rect) Rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	return Rect{x, y, max(min(r.X+r.W, o.X+o.W)-x, 0), max(min(r.Y+r.H, o.Y+o.H)-y, 0)}
}

func clamp(v, most int) int { return max(min(v, most), 0) }
