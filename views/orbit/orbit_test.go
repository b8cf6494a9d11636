package orbit_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"orrery/views/orbit"
)

// roundRobin returns the zones of nodes as the scheduler orders them, given how many each zone has.
func roundRobin(sizes ...int) orbit.Zones {
	z := orbit.Zones{Count: len(sizes)}
	for pass, more := 0, true; more; pass++ {
		more = false
		for zone, n := range sizes {
			if pass < n {
				z.Of = append(z.Of, int32(zone))
				more = true
			}
		}
	}
	return z
}

func drawZones(t *rapid.T) orbit.Zones {
	most := rapid.SampledFrom([]int{3, 40, 2000}).Draw(t, "most")
	return roundRobin(rapid.SliceOfN(rapid.IntRange(1, most), 0, 12).Draw(t, "sizes")...)
}

func drawPlan(t *rapid.T) (*orbit.Plan, orbit.Zones) {
	zones := drawZones(t)
	w, h := rapid.IntRange(1, 300).Draw(t, "w"), rapid.IntRange(1, 120).Draw(t, "h")
	return orbit.New(w, h, zones), zones
}

func TestBodies_EveryNodeHasOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, zones := drawPlan(t)
		bodies := make([]int, len(zones.Of))
		sum := 0
		for i := range p.Bodies {
			b := &p.Bodies[i]
			sum += b.Count
			if len(p.Nodes(b)) != b.Count {
				t.Fatalf("body %d counts %d nodes and has %v", i, b.Count, p.Nodes(b))
			}
			for _, node := range p.Nodes(b) {
				bodies[node]++
				if p.BodyOf(int(node)) != b {
					t.Fatalf("node %d has another body than %d", node, i)
				}
				if zone := int(zones.Of[node]); zone < p.Rings[b.Ring].First || zone >= p.Rings[b.Ring].End {
					t.Fatalf("node %d of zone %d is on the ring of zones %d to %d", node, zone, p.Rings[b.Ring].First, p.Rings[b.Ring].End)
				}
			}
		}
		if sum != len(zones.Of) {
			t.Fatalf("the bodies count %d nodes of %d", sum, len(zones.Of))
		}
		for node, n := range bodies {
			if n != 1 {
				t.Fatalf("node %d has %d bodies", node, n)
			}
		}
	})
}

func TestPlan_CellsAreDistinctAndOnTheGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := drawPlan(t)
		taken := map[orbit.Point]bool{}
		use := func(what string, at orbit.Point) {
			if at.X < 0 || at.Y < 0 || at.X >= p.W || at.Y >= p.H {
				t.Fatalf("a %s is at %v, off a grid of %dx%d", what, at, p.W, p.H)
			}
			if taken[at] {
				t.Fatalf("a %s is on a taken cell, %v", what, at)
			}
			if !p.Taken(at) {
				t.Fatalf("the cell %v of a %s is not taken", at, what)
			}
			taken[at] = true
		}
		for i := range p.Bodies {
			r := p.Area(&p.Bodies[i])
			for cell := range r.W * r.H {
				at := orbit.Point{X: r.X + cell%r.W, Y: r.Y + cell/r.W}
				if use("body", at); !p.Occupied(at) {
					t.Fatalf("the cell %v of a body is not occupied", at)
				}
			}
		}
		if p.Approach != nil {
			for c := range p.Approach.Loop.Len() {
				use("cell of the loop", p.Approach.Loop.Cell(c))
			}
		}
		for i := range p.Belt {
			for c := range p.Belt[i].Len() {
				use("cell of the belt", p.Belt[i].Cell(c))
			}
		}
		for y := range p.H {
			left, right := p.Free(y)
			for x := range p.W {
				if (x < left || x >= p.W-right) && taken[orbit.Point{X: x, Y: y}] {
					t.Fatalf("%d and %d columns of row %d are said to be free, and there is something in column %d", left, right, y, x)
				}
			}
		}
	})
}

// ellipse is measured from the points of a ring, without knowing how they are computed.
type ellipse struct{ cx, cy, rx, ry float64 }

func measure(p *orbit.Plan, ring int) ellipse {
	minX, maxX, minY, maxY := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	p.Rings[ring].Dots(0, orbit.Turn, func(d orbit.Point) {
		x, y := (float64(d.X)-.5)/2, (float64(d.Y)-1.5)/4
		minX, maxX, minY, maxY = min(minX, x), max(maxX, x), min(minY, y), max(maxY, y)
	})
	return ellipse{(minX + maxX) / 2, (minY + maxY) / 2, (maxX - minX) / 2, (maxY - minY) / 2}
}

// radius is 1 on the ellipse; angle is in turns from the top, clockwise.
func (e ellipse) polar(p orbit.Point) (radius, angle float64) {
	dx, dy := (float64(p.X)-e.cx)/e.rx, (float64(p.Y)-e.cy)/e.ry
	angle = math.Atan2(dx, -dy) / (2 * math.Pi)
	return math.Hypot(dx, dy), angle - math.Floor(angle)
}

func TestBodies_StayInTheirRing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := drawPlan(t)
		for i := range p.Bodies {
			b := &p.Bodies[i]
			e := measure(p, b.Ring)
			if e.ry < 1.5 || e.rx < 3 {
				continue
			}
			inner := 0.
			if b.Ring > 0 {
				inner = measure(p, b.Ring-1).ry / e.ry
			}
			off := 1/e.ry + 1/e.rx // a cell and the dots that the ring was measured by
			if radius, _ := e.polar(b.Point); radius > 1+off || radius < inner-off {
				t.Fatalf("a body of ring %d is at %v, %.2f of its radius from the centre, want %.2f to 1 (%+v)", b.Ring, b.Point, radius, inner, e)
			}
		}
	})
}

func TestBodies_AreInOrderByAngle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, _ := drawPlan(t)
		track, lastNode, last := -1, int32(-1), 0.
		for i := range p.Bodies {
			b := &p.Bodies[i]
			if b.Track != track {
				track, lastNode, last = b.Track, -1, 0
			}
			for _, node := range p.Nodes(b) {
				if node <= lastNode {
					t.Fatalf("node %d follows node %d on track %d", node, lastNode, track)
				}
				lastNode = node
			}
			e := measure(p, b.Ring)
			radius, angle := e.polar(b.Point)
			if e.ry*radius < 3 || e.rx*radius < 6 {
				continue
			}
			if cell := (1/e.ry + 1/e.rx) / (2 * math.Pi * radius); angle < last-cell {
				t.Fatalf("body %d of track %d is at %.3f of a turn, after %.3f (%+v)", i, track, angle, last, b)
			}
			last = max(last, angle)
		}
	})
}

func TestPlan_Deterministic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zones := drawZones(t)
		w, h := rapid.IntRange(1, 300).Draw(t, "w"), rapid.IntRange(1, 120).Draw(t, "h")
		if a, b := orbit.New(w, h, zones), orbit.New(w, h, zones); !reflect.DeepEqual(a, b) {
			t.Fatal("two plans of the same arguments differ")
		}
	})
}

func TestAngle_GrowsWithTheOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, zones := drawPlan(t)
		last := 0
		for i := range zones.Of {
			for _, share := range []int{0, 500} {
				a := p.Angle(i, share, len(zones.Of))
				if a < last || a >= orbit.Turn {
					t.Fatalf("index %d and %d thousandths are at angle %d, after %d", i, share, a, last)
				}
				last = a
			}
		}
	})
}

func TestBodies_AreSingleWhereThereIsRoom(t *testing.T) {
	for _, tt := range []struct {
		name  string
		w, h  int
		sizes []int
		most  int
	}{
		{"uneven zones on a small screen", 76, 17, []int{20, 6, 12}, 1},
		{"ninety nodes on a small screen", 76, 17, []int{30, 30, 30}, 1},
		{"five hundred nodes in a band", 216, 53, []int{170, 170, 160}, 1},
		{"five thousand nodes on a large screen", 216, 53, []int{1700, 1700, 1600}, 7},
		{"five thousand nodes on a small screen", 76, 17, []int{1700, 1700, 1600}, 60},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := orbit.New(tt.w, tt.h, roundRobin(tt.sizes...))
			if got := p.Most(); got > tt.most {
				t.Errorf("a body is up to %d nodes, want at most %d", got, tt.most)
			}
			if len(p.Rings) != len(tt.sizes) {
				t.Errorf("%d rings, want one for each of %d zones", len(p.Rings), len(tt.sizes))
			}
			if spacious := tt.w > 100; (p.Approach != nil) != spacious {
				t.Errorf("a grid of %d columns has the approach %v", tt.w, p.Approach)
			}
			if p.Approach != nil {
				if n := p.Approach.Loop.Len(); n < 16 || p.Approach.Lane.W < 16 {
					t.Errorf("the loop has %d cells, and the lane is %v", n, p.Approach.Lane)
				}
				return
			}
			for i := range p.Belt {
				if n := p.Belt[i].Len(); n < 16 {
					t.Errorf("ring %d of the belt has %d cells", i, n)
				}
			}
		})
	}
}

// TestBodies_GrowWithTheRoom draws forty nodes of three zones on larger and larger grids.
func TestBodies_GrowWithTheRoom(t *testing.T) {
	for _, tt := range []struct {
		w, h int
		want orbit.Box
	}{
		{56, 11, orbit.Box{W: 1, H: 1}},
		{76, 17, orbit.Box{W: 3, H: 2}},
		{136, 32, orbit.Box{W: 5, H: 3}},
		{252, 72, orbit.Box{W: 9, H: 5}},
	} {
		if p := orbit.New(tt.w, tt.h, roundRobin(14, 13, 13)); p.Box != tt.want || p.Most() != 1 {
			t.Errorf("on %dx%d a body is %v of up to %d nodes, want %v of one", tt.w, tt.h, p.Box, p.Most(), tt.want)
		}
	}
}

// TestOutside_IsBeyondAllRings checks where the pods of a what-if stay that have no place.
func TestOutside_IsBeyondAllRings(t *testing.T) {
	p := orbit.New(136, 32, roundRobin(14, 13, 13))
	e := measure(p, len(p.Rings)-1)
	for i := range p.Bodies {
		out := p.Outside(p.Bodies[i].Point)
		if radius, _ := e.polar(out); radius < 1 {
			t.Errorf("outside of %v is %v, %.2f of the radius", p.Bodies[i].Point, out, radius)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	for _, size := range [][2]int{{116, 33}, {236, 63}} {
		zones := roundRobin(1700, 1700, 1600)
		b.Run("5000 nodes", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				orbit.New(size[0], size[1], zones)
			}
		})
	}
}

// TestNewZones_BodiesHaveRoom places the zones of clusters of all kinds: they overlap neither each other nor the lane, and a zone with more
// nodes is not smaller.
func TestNewZones_BodiesHaveRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 3000), 2, orbit.MostZones).Draw(t, "sizes")
		w, h := rapid.IntRange(46, 300).Draw(t, "w"), rapid.IntRange(7, 120).Draw(t, "h")
		zones := roundRobin(sizes...)
		p := orbit.NewZones(w, h, zones)
		if len(p.Bodies) != len(sizes) {
			t.Fatalf("%d bodies of %d zones", len(p.Bodies), len(sizes))
		}
		for i := range p.Bodies {
			r := p.Area(&p.Bodies[i])
			if r.X < 0 || r.Y < 0 || r.X+r.W > w || r.Y+r.H > h {
				t.Fatalf("zone %d is at %v, off a grid of %dx%d", i, r, w, h)
			}
			if p.Approach != nil && r.Overlaps(p.Approach.Lane) {
				t.Fatalf("zone %d is at %v, on the lane, %v", i, r, p.Approach.Lane)
			}
			for j := range i {
				other := p.Area(&p.Bodies[j])
				if r.Overlaps(other) {
					t.Fatalf("zones %d and %d are at %v and %v", j, i, other, r)
				}
				if sizes[i] > sizes[j] && r.H < other.H || sizes[i] < sizes[j] && r.H > other.H {
					t.Fatalf("zones of %d and %d nodes are %v and %v", sizes[j], sizes[i], other, r)
				}
			}
		}
		for node, zone := range zones.Of {
			if p.BodyOf(node) != &p.Bodies[zone] {
				t.Fatalf("node %d of zone %d has another body", node, zone)
			}
		}
	})
}
