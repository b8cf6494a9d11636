package orbit

// shape is the size of everything on a grid, in units.
type shape struct {
	cx, cy int
	// outer is the outermost ring of bodies and hub the ring inside, as half heights.
	outer, hub int
	// wide is the half width of outer.
	wide  int
	belt  [3]ellipse
	rings int // how many rings of bodies there is room for
	// box is the size of a body, and lane the width of the approach on the left; zero if there is none.
	box  Box
	lane int
	// margin is how many rows above and below have no belt, for the texts in the corners.
	margin int
}

// The smallest grid with a hub and a belt; from tall on the belt is above and below the rings too.
const (
	roomyWidth, roomyHeight = 44, 9
	tall                    = 26
	spacious, widestLane    = 100, 30 // from this width on there is an approach, of at most so many columns
)

// shapeOf divides a grid for bodies of a size: in a tall one the belt goes all around, in others it is two arcs on the sides, and where
// there is room for an approach it has none.
func shapeOf(w, h int, box Box) shape {
	s := shape{cx: (w - 1) * unit / 2, cy: (h - 1) * unit / 2, rings: 1, box: box}
	halfW, halfH := s.cx-unit/2, s.cy
	switch {
	case w < roomyWidth || h < roomyHeight:
		s.outer, s.wide = halfH, max(halfW, 0)
	case w >= spacious && h >= tall:
		s.lane = min(w/5, widestLane)
		s.cx = (w + s.lane - 1) * unit / 2
		s.outer = halfH - (box.H-1)*unit/2 - unit
		s.wide = min((w-s.lane)*unit/2-(box.W+3)*unit/2, 29*s.outer/10)
	case h < tall:
		s.outer = halfH
		s.wide = min(halfW-9*unit, 4*s.outer)
		s.margin = h/6 + 1
		for i := range s.belt {
			s.belt[i] = s.ellipse(s.wide+(3+3*i)*unit, 0)
		}
	default:
		s.outer = halfH - 5*unit
		s.wide = min(halfW*s.outer/halfH, 29*s.outer/10)
		for i := range s.belt {
			s.belt[i] = s.ellipse(0, s.outer+(8+5*i)*unit/4)
		}
	}
	s.hub = min(max(s.outer/5, 5*unit/4), 7*unit/2)
	if room := s.outer - s.hub; room > 0 {
		s.rings = max(room*4/(3*unit*box.H), 1)
	} else {
		s.hub = 0
	}
	return s
}

// ellipse returns the ellipse of a half width, or of a half height if the width is zero.
func (s *shape) ellipse(width, height int) ellipse {
	switch {
	case s.outer == 0:
		return ellipse{s.cx, s.cy, s.wide, 0}
	case width == 0:
		width = height * s.wide / s.outer
	default:
		height = width * s.outer / max(s.wide, 1)
	}
	return ellipse{s.cx, s.cy, width, height}
}

// evenly returns the half heights of count rings, at equal distances.
func (s *shape) evenly(count int) []int {
	heights := make([]int, count)
	for i := range heights {
		heights[i] = s.hub + (s.outer-s.hub)*(i+1)/count
	}
	return heights
}

// byNodes returns half heights that give every ring an area as its number of nodes.
func (s *shape) byNodes(nodes [][]int32, total int) []int {
	heights := make([]int, len(nodes))
	least := total / (4 * len(nodes))
	sum := 0
	for i := range nodes {
		sum += max(len(nodes[i]), least)
	}
	seen := 0
	for i := range heights {
		seen += max(len(nodes[i]), least)
		heights[i] = root(s.hub*s.hub + (s.outer*s.outer-s.hub*s.hub)/max(sum, 1)*seen)
	}
	heights[len(heights)-1] = s.outer
	return heights
}

// root returns the integer square root.
func root(v int) int {
	r := 0
	for bit := 1 << 20; bit > 0; bit >>= 1 {
		if (r+bit)*(r+bit) <= v {
			r += bit
		}
	}
	return r
}

// claimRings returns rings of bodies with their cells; nil if one of several would have none.
func (s *shape) claimRings(g *grid, heights []int) []Ring {
	rings := make([]Ring, len(heights))
	for i := range rings {
		rings[i].ellipse = s.ellipse(0, heights[i])
		rings[i].cells = g.claim(rings[i].ellipse, 0, s.box)
	}
	for i := range rings {
		if len(rings[i].cells) == 0 && len(rings) > 1 {
			g.release(rings, s.box)
			return nil
		}
	}
	return rings
}

// cellsPerBody bounds the bodies of bands: a search of a large cluster changes many of them at once, and each costs the
// terminal some bytes.
const cellsPerBody = 16

// tracks returns the tracks of a ring from the outside in: as many as its nodes need, if there is room. The ring has nodes of
// the total.
func (s *shape) tracks(g *grid, rings []Ring, ring, nodes, total int) []track {
	tracks := []track{{ring: ring, cells: rings[ring].cells}}
	inner := s.hub
	if ring > 0 {
		inner = rings[ring-1].ry
	}
	room, most := len(rings[ring].cells), nodes*5/4
	if nodes <= room {
		return tracks
	}
	if share := g.w * g.h / cellsPerBody * nodes / total; share < nodes {
		most = share
	}
	step := s.box.H * unit
	for height := rings[ring].ry - step; room < most && height > inner+step; height -= step {
		cells := g.claim(s.ellipse(0, height), 0, s.box)
		if len(cells) > 0 {
			tracks = append(tracks, track{ring: ring, cells: cells})
			room += len(cells)
		}
	}
	return tracks
}
