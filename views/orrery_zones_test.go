package views_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
	"orrery/views/orbit"
)

// sampleZoneBodies is a cluster whose zones are the bodies: they have as many nodes as are given, and the last search examined the first
// 450 nodes.
func sampleZoneBodies(sizes ...int) *views.Model {
	m := orreryModel(90)
	v := m.Orrery
	v.Zones, v.Order, v.Bodies, v.Named, v.Nodes = nil, orbit.Zones{Count: len(sizes)}, nil, nil, views.List[views.NodeRow]{}
	v.ByZone = views.List[views.ZoneBody]{Total: len(sizes)}
	for i, n := range sizes {
		name := "eu-west-1" + string(rune('a'+i))
		v.Zones = append(v.Zones, name)
		v.ByZone.Rows = append(v.ByZone.Rows, views.ZoneBody{
			Key: name, Name: name, Scope: "-l topology.kubernetes.io/zone=" + name, Nodes: n, NotReady: i % 2 * 3, Cordoned: i / 2 * 12, Level: uint8(60 + i*80%190), Pods: 21 * n, Leaving: i * 40,
		})
	}
	for pass, more := 0, true; more; pass++ {
		more = false
		for zone, n := range sizes {
			if pass < n {
				result := views.NotVisited
				if len(v.Bodies) < 450 {
					result = views.Feasible
					if pass%7 == zone {
						result = views.Rejected
					}
				}
				v.Order.Of = append(v.Order.Of, int32(zone))
				v.Bodies = append(v.Bodies, views.OrreryBody{Result: result})
				more = true
			}
		}
	}
	v.Bodies[100].Result = views.Chosen
	last := views.Search{At: ago(2 * time.Second), Pod: "shop/cart-6b7d54b7c9-5kx2v", Start: 0, Examined: 450, Feasible: 386, Nodes: len(v.Bodies), Chosen: "ip-10-0-3-85.internal", Place: 100}
	v.Last, v.Start = &last, 450
	return m
}

func TestOrreryZones_Goldens(t *testing.T) {
	three := func() *views.Model { return sampleZoneBodies(1700, 1700, 1600) }
	uneven := sampleZoneBodies(2600, 900, 300, 40, 7)
	sweeping := three()
	sweeping.Orrery.Last.At = ago(150 * time.Millisecond)
	for _, tt := range []struct {
		name   string
		m      *views.Model
		s      size
		glyphs draw.Glyphs
	}{
		{"three", three(), size{60, 16}, draw.Braille},
		{"three", three(), size{80, 24}, draw.Braille},
		{"three", three(), size{140, 40}, draw.Braille},
		{"three", three(), size{220, 60}, draw.Braille},
		{"three", three(), size{300, 80}, draw.Braille},
		{"three in blocks", three(), size{140, 40}, draw.Block},
		{"three in ascii", three(), size{140, 40}, draw.ASCII},
		{"the hand sweeps", sweeping, size{140, 40}, draw.Braille},
		{"uneven", uneven, size{80, 24}, draw.Braille},
		{"uneven", uneven, size{140, 40}, draw.Braille},
		{"uneven", uneven, size{220, 60}, draw.Braille},
		{"twelve", sampleZoneBodies(400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400), size{80, 24}, draw.Braille},
		{"twelve", sampleZoneBodies(400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400, 400), size{140, 40}, draw.Braille},
	} {
		name := tt.name + " " + tt.s.String()
		t.Run(name, func(t *testing.T) {
			c := drawOrrery(tt.m, 1, tt.s, tt.glyphs, noon)
			if tt.glyphs == draw.ASCII && strings.ContainsFunc(c.Plain(), func(r rune) bool { return r >= 0x7f }) {
				t.Error("there is more than ASCII")
			}
			golden(t, filepath.Join("orrery_zones", name), c.Plain())
		})
	}
}

// TestOrreryZones_CountWhatTheHandPassed follows a search: the results in the zones grow with it, and at its end they are all that it found.
func TestOrreryZones_CountWhatTheHandPassed(t *testing.T) {
	m := sampleZoneBodies(1700, 1700, 1600)
	counts := func(after time.Duration) string {
		text := drawOrrery(m, 0, size{140, 40}, draw.Braille, m.Orrery.Last.At.Add(after)).Plain()
		var lines []string
		for _, line := range strings.Split(text, "\n") {
			for _, sign := range []string{"● ", "★ ", "✗ "} {
				if _, rest, has := strings.Cut(line, sign); has && strings.Contains(rest, "⣿") {
					lines = append(lines, sign+strings.Fields(rest)[0])
				}
			}
		}
		return strings.Join(lines, " ")
	}
	begins, half, ends := counts(0), counts(200*time.Millisecond), counts(time.Hour)
	if begins == half || half == ends || begins == ends {
		t.Errorf("the zones count %q, then %q, then %q", begins, half, ends)
	}
}

// TestOrreryZones_WhatIfFliesBetweenZones plays a what-if: its pods fly from zone to zone, and beside each stands how many came and went.
func TestOrreryZones_WhatIfFliesBetweenZones(t *testing.T) {
	for _, s := range []size{{80, 24}, {140, 40}, {220, 60}} {
		for name, played := range map[string]time.Duration{"plays": views.PlayTime / 2, "is over": views.PlayTime} {
			m, ui := sampleZoneBodies(1700, 1700, 1600), sampleState(views.OrreryPane)
			sampleFlights(m)
			ui.Played = played
			text := screen(m, ui, s, draw.Braille).Plain()
			golden(t, filepath.Join("orrery_zones", "a what-if "+name+" "+s.String()), text)
			if name == "is over" && (!strings.Contains(text, "+3") || !strings.Contains(text, "−7")) {
				t.Errorf("at %v no zone has had three pods come, or seven go:\n%s", s, text)
			}
		}
	}
}

// TestOrreryZones_Click finds every zone where it is drawn, and its row opens its nodes.
func TestOrreryZones_Click(t *testing.T) {
	m, ui := sampleZoneBodies(1700, 900, 300), sampleState(views.OrreryPane)
	ui.Hits = &views.HitMap{}
	screen(m, ui, size{140, 40}, draw.Braille)
	found := map[int]bool{}
	for y := range 40 {
		for x := range 140 {
			if row, ok := ui.Hits.Node(x, y); ok {
				found[row] = true
			}
		}
	}
	rows := views.PaneOf(views.OrreryPane).Rows(m)
	if len(found) != 3 || rows.Total != 3 || rows.Opens != views.NodesPane || rows.Scope(1) != "-l topology.kubernetes.io/zone=eu-west-1b" || rows.Node != nil {
		t.Errorf("%v can be clicked, of %+v", found, rows)
	}
}

// TestOrreryZones_Cost bounds a frame's allocations as that of nodes, and its standing still.
func TestOrreryZones_Cost(t *testing.T) {
	const most = 300
	m, ui, c := sampleZoneBodies(1700, 1700, 1600), sampleState(views.OrreryPane), draw.New(120, 40)
	ui.Orbits = &views.Orbits{}
	if allocs := testing.AllocsPerRun(20, func() {
		c.Reset(120, 40)
		views.Screen(c, m, ui, draw.Braille, noon)
	}); allocs > most {
		t.Errorf("a frame of 120x40 made %v allocations, want at most %d", allocs, most)
	}
	m.Orrery.Leader, m.Orrery.RecentEvictions = nil, nil
	over := noon.Add(2 * time.Second)
	still := drawOrrery(m, 0, size{100, 30}, draw.Braille, over).SVG(themes.Shipped()[0])
	if drawOrrery(m, 0, size{100, 30}, draw.Braille, over.Add(time.Minute)).SVG(themes.Shipped()[0]) != still {
		t.Error("a minute later it looks different")
	}
}
