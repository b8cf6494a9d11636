package orbit

// Body is one mark: Count nodes of one track.
type Body struct {
	Point
	Box         Box
	Ring, Track int
	Count       int
	first       int // in the track's nodes
	angle       int // of a zone
}

// track is a line of cells that the bodies of a ring are on, and their nodes as indices among all.
type track struct {
	ring  int
	cells []place
	nodes []int32
}

// deal divides a ring's nodes among its tracks in proportion to their lengths, in turn.
func deal(nodes []int32, tracks []track) {
	room := room(tracks)
	for n, node := range nodes {
		next, behind := 0, 0
		for i := range tracks {
			if lack := (n+1)*len(tracks[i].cells) - len(tracks[i].nodes)*room; i == 0 || lack > behind {
				next, behind = i, lack
			}
		}
		tracks[next].nodes = append(tracks[next].nodes, node)
	}
}

// room returns how many bodies some tracks have room for.
func room(tracks []track) int {
	sum := 0
	for i := range tracks {
		sum += len(tracks[i].cells)
	}
	return sum
}

// put adds the bodies of a track: each node at its angle, or so near to it that its mark has no more nodes than others.
func (p *Plan) put(number, total int) {
	t := &p.tracks[number]
	cells, n := len(t.cells), len(t.nodes)
	at := make([]int, n)
	slack := max(cells/32, 1)
	if p.Box.W > 1 { // there are few places, and a disc of its own is worth more than the very angle
		slack = cells / 4
	}
	for per := (n + cells - 1) / cells; t.arrange(at, per, total) > slack; {
		per++
	}
	for first := 0; first < n; {
		end := first + 1
		for end < n && at[end] == at[first] {
			end++
		}
		for _, node := range t.nodes[first:end] {
			p.bodyOf[node] = int32(len(p.Bodies))
		}
		p.Bodies = append(p.Bodies, Body{Point: t.cells[at[first]].Point, Box: p.Box, Ring: t.ring, Track: number, Count: end - first, first: first})
		first = end
	}
}

// arrange finds the cell of every node with per nodes to a cell, and returns how far the farthest is from its angle. The
// order is kept.
func (t *track) arrange(at []int, per, total int) (farthest int) {
	cells, n := len(t.cells), len(t.nodes)
	for i, node := range t.nodes {
		wanted := int(node) * cells / total
		cell := wanted
		if i >= per && at[i-per] >= cell {
			cell = at[i-per] + 1
		}
		if i > 0 {
			cell = max(cell, at[i-1])
		}
		at[i] = min(cell, cells-(n-i+per-1)/per)
		farthest = max(farthest, abs(at[i]-wanted))
	}
	return farthest
}

// Nodes returns the indices of a body's nodes, in order.
func (p *Plan) Nodes(b *Body) []int32 { return p.tracks[b.Track].nodes[b.first : b.first+b.Count] }

// BodyOf returns the body of a node.
func (p *Plan) BodyOf(node int) *Body { return &p.Bodies[p.bodyOf[node]] }

// Area returns the cells of a body.
func (p *Plan) Area(b *Body) Rect { return b.Box.at(b.Point) }

// Occupied reports whether a cell belongs to a body.
func (p *Plan) Occupied(at Point) bool {
	return at.X >= 0 && at.X < p.W && at.Y >= 0 && at.Y < p.H && p.occupied[at.Y*p.W+at.X]
}

// Most returns the largest number of nodes that a body stands for.
func (p *Plan) Most() int {
	most := 0
	for i := range p.Bodies {
		most = max(most, p.Bodies[i].Count)
	}
	return most
}
