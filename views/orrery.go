package views

import (
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/orbit"
)

var orreryPane = ListPane[NodeRow]{
	Pane: Pane{
		ID: OrreryPane, Title: "Orrery", Help: "the cluster as a picture: zones are orbits, nodes are bodies on them", Digit: '0', Opens: NodePane,
		minW: 50, minH: 9, body: drawOrrery, borderFact: orreryRight,
	},
	Rows: Source.Nodes,
	In:   in(func(m *Model) *Orrery { return m.Orrery }, func(p *Orrery) *List[NodeRow] { return &p.Nodes }),
	Key:  nodeKey, Node: nodeKey,
}

func orreryRight(m *Model) string {
	if m.Orrery == nil {
		return ""
	}
	return countNodes(len(m.Orrery.Bodies)) + " in " + counted(len(m.Orrery.Zones), "zone")
}

// Orbits keeps the geometry of the last drawing, which depends on the size, the node order, and what the bodies are.
type Orbits struct {
	plan   *orbit.Plan
	order  orbit.Zones
	byZone bool
	shapes map[orbit.Box]*discShape // of zones
}

// of returns the plan for a size and an order.
func (o *Orbits) of(w, h int, v *Orrery) *orbit.Plan {
	order, byZone := v.Order, v.byZone()
	same := len(o.order.Of) == len(order.Of) && (len(order.Of) == 0 || &o.order.Of[0] == &order.Of[0]) && o.byZone == byZone
	if o.plan == nil || !same || o.plan.W != w || o.plan.H != h {
		o.order, o.byZone = order, byZone
		if byZone {
			o.plan = orbit.NewZones(w, h, order)
		} else {
			o.plan = orbit.New(w, h, order)
		}
	}
	return o.plan
}

// orreryPage is the number of nodes that a page key moves the cursor by.
const orreryPage = 12

// orreryCtx is a drawing of the orrery.
type orreryCtx struct {
	*drawCtx
	*Orrery
	geometry *Orbits
	plan     *orbit.Plan
	sweep    sweep
	// at is the cursor's node, or its zone where zones are the bodies.
	at int
	// perMoon is how many pods a moon stands for.
	perMoon int
	// lettered is where there are words that names must not cover.
	lettered []orbit.Rect
	// beside means that there is a column beside the picture, which has the words.
	beside bool
}

// drawOrrery draws the last search above, the selected node below, and the picture between them.
func drawOrrery(a draw.Area, s *drawCtx) {
	v := s.Orrery
	if v == nil {
		drawAbsent(a, "no node order is known yet")
		return
	}
	head, rest := a.Top(1)
	foot, rest := rest.Bottom(1)
	if a.W >= columnFrom {
		var column draw.Rect
		column, rest = rest.Right(columnWidth)
		defer func() { s.orreryColumn(a.In(column), v) }()
	}
	sky := a.In(rest)
	orbits := s.ui.Orbits
	if orbits == nil {
		orbits = &Orbits{}
	}
	o := &orreryCtx{
		drawCtx: s, Orrery: v, geometry: orbits, plan: orbits.of(sky.W, sky.H, v), sweep: sweepOf(v, s), beside: a.W >= columnFrom,
	}
	rows := len(v.Bodies)
	if v.byZone() {
		rows, o.perMoon = len(v.ByZone.Rows), o.podsPerZoneMoon()
	} else {
		o.perMoon = o.podsPerMoon()
	}
	o.at = max(min(s.ui.Cursor.Selected, rows-1), 0)
	s.recordList(draw.Rect{X: rest.X, Y: rest.Y, W: rest.W}, draw.Visible(rows, orreryPage, s.ui.Cursor.First, o.at), rows)
	o.recordBodies(sky)
	o.orbits(sky)
	o.hub(sky)
	o.waitingPods(sky)
	o.corners(sky)
	switch {
	case v.byZone():
		o.zoneHand(sky)
		o.zones(sky)
		o.drawEvictions(sky)
		o.zoneNames(sky)
		o.flights(sky)
	case len(v.Bodies) > 0:
		o.hand(sky)
		o.bodies(sky)
		o.drawEvictions(sky)
		o.cursor(sky)
		o.names(sky)
		o.flights(sky)
	default:
		sky.Center(sky.H*3/4, themes.Style(themes.Dim), "there are no nodes yet")
	}
	if v.WhatIf != nil {
		o.played(a.In(head))
	} else {
		o.lastSearch(a.In(head))
	}
	if v.byZone() {
		o.selectedZone(a.In(foot))
	} else {
		o.selected(a.In(foot))
	}
}

// recordBodies records where the bodies were drawn.
func (o *orreryCtx) recordBodies(sky draw.Area) {
	if o.ui.Hits == nil || !o.full {
		return
	}
	plan, byZone := o.plan, o.byZone()
	o.ui.Hits.Node = func(x, y int) (int, bool) {
		for i := range plan.Bodies {
			if b := &plan.Bodies[i]; inside(plan.Area(b), x-sky.X, y-sky.Y) {
				if byZone {
					return i, true
				}
				return int(plan.Nodes(b)[0]), true
			}
		}
		return 0, false
	}
}

// inside reports whether a cell is in a rectangle.
func inside(r orbit.Rect, x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// orbits draws the ring of every zone, with the zone's name at its top.
func (o *orreryCtx) orbits(sky draw.Area) {
	line := themes.Style(themes.Border)
	named := -1
	for i := range o.plan.Rings {
		r := &o.plan.Rings[i]
		r.Dots(0, orbit.Turn, func(d orbit.Point) {
			if !o.byZone() || !o.plan.Occupied(orbit.Point{X: d.X / 2, Y: d.Y / 4}) {
				sky.Dot(d.X, d.Y, line)
			}
		})
	}
	if o.byZone() {
		return // the zones have their names below them
	}
	for i := range o.plan.Rings {
		r := &o.plan.Rings[i]
		top, width := r.Top()
		name := o.ringName(r)
		if w := draw.Width(name); width >= 4 && top.Y != named && name != "" {
			w = min(w, width-2)
			x := top.X - w/2
			sky.Repeat(x-1, top.Y, w+2, line, ' ')
			sky.Fit(x, top.Y, w, themes.Style(themes.Dim), name)
			o.lettered = append(o.lettered, orbit.Rect{X: x - 1, Y: top.Y, W: w + 2, H: 1})
			named = top.Y
		}
	}
}

// ringName returns the zones on a ring.
func (o *orreryCtx) ringName(r *orbit.Ring) string {
	if r.First >= len(o.Zones) {
		return ""
	}
	name := o.Zones[r.First]
	if name == "" {
		name = "no zone"
	}
	if more := r.End - r.First - 1; more > 0 {
		name += " +" + count(more, "more")
	}
	return name
}
