package orbit

// Body is one mark: Count nodes of one track.
type Body struct {
	Point
	Ring, Track int
	Count       int
	first       int // in the track's nodes
}

// track is a line of cells that the bodies of a ring are on, and their nodes as indices among all.
type track struct {
	ring  int
	cells []place
	nodes []int32
}

// deal divides a ring's nodes among its tracks in proportion to their lengths, in turn.
func deal(nodes []int32, tracks []track) {
	room := 0
	for i := range tracks {
		room += len(tracks[i].cells)
	}
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

// put adds the bodies of a track: each node at its angle, or so near to it that its mark has no more nodes than others.
func (p *Plan) put(number, total int) {
	t := &p.tracks[number]
	cells, n := len(t.cells), len(t.nodes)
	at := make([]int, n)
	for per := (n + cells - 1) / cells; t.arrange(at, per, total) > max(cells/32, 1); {
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
		p.Bodies = append(p.Bodies, Body{Point: t.cells[at[first]].Point, Ring: t.ring, Track: number, Count: end - first, first: first})
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

// Occupied reports whether there is a body on a cell.
func (p *Plan) Occupied(at Point) bool {
	for i := range p.Bodies {
		if p.Bodies[i].Point == at {
			return true
		}
	}
	return false
}

// Most returns the largest number of nodes that a body stands for.
func (p *Plan) Most() int {
	most := 0
	for i := range p.Bodies {
		most = max(most, p.Bodies[i].Count)
	}
	return most
}
