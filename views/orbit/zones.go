package orbit

// MostZones is the greatest number of zones that are drawn as bodies.
const MostZones = 12

// tallest is the height of the largest disc of a zone.
const tallest = 19

// NewZones returns the plan of a grid on which every zone is one body, on one ring in the order of the zones. There are at most
// MostZones. The area of a body is as its number of nodes; below it is a row for its name.
func NewZones(w, h int, zones Zones) *Plan {
	g := &grid{w: w, h: h, taken: make([]bool, w*h)}
	p := &Plan{W: w, H: h, bodyOf: make([]int32, len(zones.Of)), taken: g.taken, occupied: make([]bool, w*h)}
	s := shapeOf(w, h, boxes[len(boxes)-1])
	p.Approach = s.approach(g)
	p.Hub = Ring{ellipse: s.ellipse(0, s.hub)}
	for zone := range zones.Count {
		p.tracks = append(p.tracks, track{})
		p.Bodies = append(p.Bodies, Body{Track: zone})
	}
	for node, zone := range zones.Of {
		t := &p.tracks[zone]
		t.nodes, p.bodyOf[node] = append(t.nodes, int32(node)), zone
		p.Bodies[zone].Count++
	}
	ring := Ring{End: zones.Count}
	for height := min(tallest, h); height >= 1; height-- {
		ring.ellipse = s.ringOfZones(boxOf(height))
		if p.placeZones(g, ring.ellipse, height) {
			break
		}
	}
	p.Rings, p.Box = []Ring{ring}, largest(p.Bodies)
	for i := range p.Bodies {
		r := p.Area(&p.Bodies[i])
		g.mark(r, true)
		(&grid{w: w, h: h, taken: p.occupied}).mark(r, true)
	}
	p.claimBelt(&s, g)
	return p
}

// boxOf returns the box of a disc of a height, which is about as wide as it is high: a cell is twice as high as it is wide.
func boxOf(height int) Box {
	if height == 2 {
		return Box{3, 2}
	}
	return Box{2*height - 1, height}
}

// ringOfZones returns the ring around the hub on which bodies of a size and their names find room.
func (s *shape) ringOfZones(box Box) ellipse {
	const name = unit / 2
	return ellipse{s.cx, s.cy - name, max(s.wide-box.W/2*unit, 0), max(s.outer-(box.H-1)*unit/2-name, 0)}
}

// placeZones places the bodies at equal angles, the first right of the top; the largest has a height. It reports whether each has room
// to itself. With the least height they are placed in any case.
func (p *Plan) placeZones(g *grid, ring ellipse, height int) bool {
	most := 1
	for i := range p.Bodies {
		most = max(most, p.Bodies[i].Count)
	}
	center := p.Center()
	hub := Rect{center.X - p.Hub.Columns()/2 - 2, center.Y - p.Hub.Rows()/2 - 1, p.Hub.Columns() + 5, p.Hub.Rows() + 2}
	for i := range p.Bodies {
		b := &p.Bodies[i]
		b.Box = boxOf(max(height*root(b.Count*unit/most*unit)/unit, min(height, 3)))
		b.angle = (2*i + 1) * Turn / (2 * len(p.Bodies))
		b.Point = nearest(ring.at(b.angle))
		r := p.Area(b)
		r.H++ // its name
		if height == 1 {
			continue
		}
		if !g.free(r, 0) || r.Overlaps(hub) {
			return false
		}
		for j := range i {
			other := p.Area(&p.Bodies[j])
			other.X, other.W, other.H = other.X-1, other.W+2, other.H+1
			if r.Overlaps(other) {
				return false
			}
		}
	}
	return true
}

// largest returns the largest box of some bodies.
func largest(bodies []Body) (box Box) {
	for i := range bodies {
		if b := bodies[i].Box; b.H > box.H {
			box = b
		}
	}
	return box
}

// ZoneAngle returns the angle of the body of a node's zone.
func (p *Plan) ZoneAngle(node int) int { return p.BodyOf(node).angle }
