package views

import (
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/orbit"
)

// bodyGlyphs are the signs of a node by the last search's result, and by its size.
var bodyGlyphs = [...][3]rune{
	NoNode:     {' ', ' ', ' '},
	NotVisited: {'∘', '○', '◎'},
	Visited:    {'⊙', '⊙', '⊙'},
	Feasible:   {'•', '●', '◉'},
	Rejected:   {'×', '✗', '✘'},
	Chosen:     {'★', '★', '★'},
}

// mark is what one body of the picture stands for: one node, or several taken together.
type mark struct {
	result  LaneCell
	size    BodySize // the mean size
	level   float64  // the mean allocation
	flags   NodeFlags
	results [Chosen + 1]int
}

// markOf reads the nodes of a body. Of several the best result counts: chosen, feasible, rejected, not examined.
func (o *orreryCtx) markOf(b *orbit.Body) mark {
	var m mark
	level, size := 0, 0
	for _, node := range o.plan.Nodes(b) {
		n := &o.Bodies[node]
		result := n.Result
		if !o.sweep.passed(int(node)) {
			result = NotVisited
		}
		m.results[n.Result]++
		if result == Chosen && !o.sweep.done() {
			result = Feasible
		}
		if better(result, m.result) {
			m.result = result
		}
		m.flags |= n.Flags
		level, size = level+int(n.Level), size+int(n.Size)
	}
	m.level, m.size = float64(level)/float64(255*b.Count), BodySize((size+b.Count/2)/b.Count)
	return m
}

// better reports whether a result says more than another one.
func better(a, b LaneCell) bool {
	rank := [...]int{NoNode: 0, NotVisited: 1, Visited: 2, Rejected: 3, Feasible: 4, Chosen: 5}
	return rank[a] > rank[b]
}

// look returns a mark's sign and style: the shape is the result and the size, the colour what is allocated.
func (m *mark) look(flash bool) (rune, themes.Style) {
	heat := themes.Heat(m.level)
	switch {
	case m.result == Chosen && flash:
		return '★', themes.Focus.With(themes.Bold | themes.Reverse)
	case m.result == Chosen:
		return '★', themes.Focus.With(themes.Bold)
	case m.result == Feasible:
		return bodyGlyphs[Feasible][m.size], heat.With(themes.Bold)
	case m.flags&NotReady != 0:
		return '⊗', themes.Style(themes.Border)
	case m.flags&(Cordoned|Pressed) != 0:
		return '⊘', themes.Style(themes.Warn)
	}
	return bodyGlyphs[m.result][m.size], themes.Style(heat)
}

// bodies draws the nodes.
func (o *orreryCtx) bodies(sky draw.Area) {
	for i := range o.plan.Bodies {
		b := &o.plan.Bodies[i]
		m := o.markOf(b)
		glyph, style := m.look(o.sweep.flash)
		if b.Count == 1 && o.plan.Box.W > 1 {
			o.disc(sky, b, &m)
		}
		sky.Set(b.X, b.Y, style, glyph)
	}
	if o.Nominated >= 0 && o.sweep.done() {
		b := o.plan.BodyOf(o.Nominated)
		sky.Set(b.X, b.Y, themes.Nominated.With(themes.Bold), '⚑')
	}
}

// hand draws the line from the hub to where the search is, or to where the next one begins.
func (o *orreryCtx) hand(sky draw.Area) {
	index, part := o.sweep.at(o.Start)
	style := themes.Style(themes.Focus)
	o.plan.Ray(o.plan.Angle(index, part, len(o.Bodies)), func(d orbit.Point) { sky.Dot(d.X, d.Y, style) })
}

// drawEvictions draws the pods whose eviction has begun: each falls from its node to the lower edge.
func (o *orreryCtx) drawEvictions(sky draw.Area) {
	style := themes.Terminating.With(themes.Bold)
	for _, d := range o.RecentEvictions {
		age := o.now.Sub(d.At)
		if age < 0 || age >= RecentEvictionTime {
			continue
		}
		b := o.plan.BodyOf(d.Node)
		part := float64(age) / float64(RecentEvictionTime)
		from := o.plan.Area(b)
		under := from.Y + from.H
		y := min(under+int(part*part*float64(sky.H-under)), sky.H-1)
		x := b.X
		if o.byZone() { // its nodes are side by side
			x = from.X + d.Node%from.W
		}
		for tail := max(y-2, under); tail < y; tail++ {
			sky.Set(x, tail, themes.Style(themes.Terminating), '╎')
		}
		sky.Set(x, y, style, '▼')
	}
}

// cursor draws the cursor around the body of the selected node.
func (o *orreryCtx) cursor(sky draw.Area) {
	b := o.plan.BodyOf(o.at)
	m := o.markOf(b)
	glyph, style := m.look(false)
	if o.at == o.Nominated && o.sweep.done() {
		glyph, style = '⚑', themes.Nominated.With(themes.Bold)
	}
	sky.Set(b.X, b.Y, style.With(themes.Reverse), glyph)
	r := o.plan.Area(b)
	for _, side := range [...]struct {
		x int
		r rune
	}{{r.X - 1, '['}, {r.X + r.W, ']'}} {
		if !o.plan.Occupied(orbit.Point{X: side.x, Y: b.Y}) {
			sky.Set(side.x, b.Y, themes.Accent.With(themes.Bold), side.r)
		}
	}
}

// hub draws the leader and its lease, a ring that shrinks until it expires. A leader that does not renew is no heart.
func (o *orreryCtx) hub(sky draw.Area) {
	ring, center := &o.plan.Hub, o.plan.Center()
	l := o.Leader
	if l == nil || l.noLease() || l.Holder == "" {
		ring.Dots(0, orbit.Turn, func(d orbit.Point) { sky.Dot(d.X, d.Y, themes.Style(themes.Border)) })
		if l != nil {
			sky.Text(center.X, center.Y, themes.Bad.With(themes.Bold), "✗")
		}
		return
	}
	left, token := l.left(o.now)
	full := int(min(max(float64(left)/float64(max(l.Lease, 1)), 0), 1) * orbit.Turn)
	ring.Dots(0, full, func(d orbit.Point) { sky.Dot(d.X, d.Y, themes.Style(token)) })
	glyph, word := "♥ ", formatSpan(max(left, 0))
	missed, silent := l.missed(o.now)
	if missed > 0 {
		glyph, token = "✗ ", themes.Bad
		if says := "silent " + wholeSpan(silent); ring.Columns() > len(says)+4 {
			word = says
		}
	}
	if left <= 0 {
		glyph, word = "✗ ", "0s"
		if ring.Columns() > 12 {
			word = "expired"
		}
	}
	centered := func(y, w int, style themes.Style, text string) {
		w = min(w, draw.Width(text))
		sky.FitPath(center.X-w/2, y, w, style, text)
	}
	centered(center.Y, sky.W, themes.Style(token).With(themes.Bold), glyph+word)
	if w := ring.Columns() - 4; ring.Rows() >= 4 && w >= 8 {
		centered(center.Y+1, w, themes.Style(themes.Text), l.Holder)
	}
}

// beltStates are the rings of the belt, the innermost first.
var beltStates = [...]PodState{Active, Backoff, Unschedulable}

// waitingPods draws the queue, on the approach or on the belt around all rings.
func (o *orreryCtx) waitingPods(sky draw.Area) {
	if o.plan.Approach != nil {
		o.approach(sky)
		return
	}
	o.belt(sky)
}

// belt draws the queue: a mark for each pod, or for several where a ring has more pods than cells.
func (o *orreryCtx) belt(sky draw.Area) {
	per := o.podsPerMark()
	for i, state := range beltStates {
		r := &o.plan.Belt[i]
		for c := range r.Len() {
			at := r.Cell(c)
			if c*per < o.waiting(i) {
				sky.Set(at.X, at.Y, themes.Style(state.Token()), state.Glyph())
			} else if c%3 == 0 {
				sky.Set(at.X, at.Y, themes.Style(themes.Border), '·')
			}
		}
	}
}

// waiting returns how many pods a ring of the belt has.
func (o *orreryCtx) waiting(ring int) int {
	return [...]int{o.Counts.Active, o.Counts.Backoff, o.Counts.Unschedulable}[ring]
}

// podsPerMark returns how many pods a mark of the lane, or of the belt, stands for: the same on all rings, so that their lengths compare.
// The last mark of a ring may be fewer.
func (o *orreryCtx) podsPerMark() int {
	per := 1
	if a := o.plan.Approach; a != nil {
		room := max(a.Lane.W-2, 1) * a.Lane.H
		return max((o.Counts.Active+o.Counts.Unschedulable+room-1)/room, 1)
	}
	for i := range o.plan.Belt {
		if cells := o.plan.Belt[i].Len(); cells > 0 {
			per = max(per, (o.waiting(i)+cells-1)/cells)
		}
	}
	return per
}
