package orbit

// Plan is where everything is on a grid of W by H cells.
type Plan struct {
	W, H  int
	Rings []Ring // from the inside out
	// Bodies are the nodes, ring by ring, track by track and clockwise.
	Bodies []Body
	// Box is the size of a body, of zones that of the largest.
	Box Box
	// Hub is the ring around the centre, and Belt the rings around all others, the innermost first. They have no cells
	// where there is no room, and where there is an Approach in place of the belt; else that is nil.
	Hub      Ring
	Belt     [3]Ring
	Approach *Approach

	tracks []track
	bodyOf []int32
	// taken are the cells of rings, whether they have a body or not, and occupied those of bodies.
	taken, occupied []bool
}

// Zones are a cluster's nodes in the order of the search: the zone of each, of Count zones.
type Zones struct {
	Count int
	Of    []int32
}

// boxes are the sizes of a body, the largest first.
var boxes = [...]Box{{9, 5}, {5, 3}, {3, 2}, {1, 1}}

// rowsPerRow is how many rows a grid has at least for each row of a body: the corners are for words.
const rowsPerRow = 8

// New returns the plan of a grid, which has at least one cell, with bodies as large as there is room for: one of several nodes is a sign.
func New(w, h int, zones Zones) *Plan {
	for _, box := range boxes[:len(boxes)-1] {
		if h < rowsPerRow*box.H || len(zones.Of)*box.W*box.H*3 > w*h*2 {
			continue
		}
		if p := newPlan(w, h, zones, box); p != nil && p.Most() <= 1 {
			return p
		}
	}
	return newPlan(w, h, zones, boxes[len(boxes)-1])
}

// newPlan returns the plan for bodies of a size; nil if a zone would not have the ring that smaller ones have.
func newPlan(w, h int, zones Zones, box Box) *Plan {
	s, g := shapeOf(w, h, box), &grid{w: w, h: h, taken: make([]bool, w*h)}
	p := &Plan{W: w, H: h, Box: box, bodyOf: make([]int32, len(zones.Of)), taken: g.taken, occupied: make([]bool, w*h)}
	p.Approach = s.approach(g)
	var nodes [][]int32
	wanted := max(min(zones.Count, shapeOf(w, h, boxes[len(boxes)-1]).rings), 1)
	for count := max(min(zones.Count, s.rings), 1); p.Rings == nil; count-- {
		if count < wanted && box.W > 1 {
			return nil
		}
		nodes = zones.split(count)
		if p.Rings = s.claimRings(g, s.evenly(count)); crowded(p.Rings, nodes) {
			g.release(p.Rings, box)
			p.Rings = s.claimRings(g, s.byNodes(nodes, len(zones.Of)))
		}
	}
	for i := range p.Rings {
		outside := len(p.Rings) - 1 - i
		p.Rings[i].First, p.Rings[i].End = firstZone(outside, len(p.Rings), zones.Count), firstZone(outside+1, len(p.Rings), zones.Count)
		from := len(p.tracks)
		p.tracks = append(p.tracks, s.tracks(g, p.Rings, i, len(nodes[i]), len(zones.Of))...)
		if box.W > 1 && (len(p.Rings[i].cells) == 0 || room(p.tracks[from:]) < len(nodes[i])) {
			return nil
		}
		deal(nodes[i], p.tracks[from:])
		for t := from; t < len(p.tracks); t++ {
			p.put(t, len(zones.Of))
		}
	}
	for i := range p.Bodies {
		r := p.Area(&p.Bodies[i])
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				p.occupied[y*w+x] = true
			}
		}
	}
	p.Hub = Ring{ellipse: s.ellipse(0, s.hub)}
	p.claimBelt(&s, g)
	return p
}

// claimBelt claims the cells of the belt, of those that are left.
func (p *Plan) claimBelt(s *shape, g *grid) {
	for i := range p.Belt {
		p.Belt[i] = Ring{ellipse: s.belt[i]}
		if s.belt[i].rx > 0 {
			p.Belt[i].cells = g.claim(s.belt[i], s.margin, Box{1, 1})
		}
	}
}

// firstZone returns the first zone on a ring, counted from the outside in.
func firstZone(ring, rings, zones int) int { return (ring*zones + rings - 1) / rings }

// split divides the nodes among rings. The first zone is on the outermost.
func (z *Zones) split(rings int) [][]int32 {
	nodes := make([][]int32, rings)
	for node, zone := range z.Of {
		r := rings - 1 - int(zone)*rings/z.Count
		nodes[r] = append(nodes[r], int32(node))
	}
	return nodes
}

// crowded reports whether a ring has more nodes than cells.
func crowded(rings []Ring, nodes [][]int32) bool {
	for i := range rings {
		if len(nodes[i]) > len(rings[i].cells) {
			return true
		}
	}
	return false
}

// Angle returns the angle of an index in the order of all nodes, plus a part of the way to the next in thousandths.
func (p *Plan) Angle(index, thousandths, total int) int {
	outer := p.Rings[len(p.Rings)-1].cells
	at := (1000*index + thousandths) * len(outer) / (1000 * max(total, 1))
	return outer[min(max(at, 0), len(outer)-1)].angle
}

// Ray calls draw with the braille dots of the line from the hub to the outermost ring, one for each row or column that it
// crosses.
func (p *Plan) Ray(angle int, draw func(Point)) {
	outer, hub := p.Rings[len(p.Rings)-1].ellipse, p.Hub.ellipse
	fromX, fromY := hub.at(angle)
	toX, toY := outer.at(angle)
	steps := max(abs(toX-fromX)/unit, abs(toY-fromY)*2/unit, 1)
	for i := range steps {
		draw(dot(fromX+(toX-fromX)*(i+1)/(steps+1), fromY+(toY-fromY)*(i+1)/(steps+1)))
	}
}

// Center returns the cell in the middle of all rings.
func (p *Plan) Center() Point { return nearest(p.Hub.cx, p.Hub.cy) }

// Outside returns the cell outside the outermost ring that a cell is before, seen from the center.
func (p *Plan) Outside(at Point) Point {
	outer := p.Rings[len(p.Rings)-1].ellipse
	dx, dy := at.X*unit-outer.cx, at.Y*unit-outer.cy
	// The cell's distance as a part of the ring's, in units: squares of both axes, added.
	share := root(square(dx*unit/max(outer.rx, 1)) + square(dy*unit/max(outer.ry, 1)))
	if share == 0 {
		dx, share = outer.rx, unit
	}
	x := outer.cx + dx*unit/share*(outer.rx+(p.Box.W/2+2)*unit)/max(outer.rx, 1)
	y := outer.cy + dy*unit/share*(outer.ry+(p.Box.H/2+1)*unit)/max(outer.ry, 1)
	out := nearest(x, y)
	return Point{min(max(out.X, 0), p.W-1), min(max(out.Y, 0), p.H-1)}
}

func square(v int) int { return v * v }

// Free returns how many columns at either end of a row are empty.
func (p *Plan) Free(y int) (left, right int) {
	row := p.taken[y*p.W : (y+1)*p.W]
	for left < p.W && !row[left] {
		left++
	}
	for right < p.W && !row[p.W-1-right] {
		right++
	}
	return left, right
}

// Taken reports whether a cell belongs to a ring of bodies or of the belt.
func (p *Plan) Taken(at Point) bool {
	return at.X >= 0 && at.X < p.W && at.Y >= 0 && at.Y < p.H && p.taken[at.Y*p.W+at.X]
}

func abs(v int) int { return max(v, -v) }
