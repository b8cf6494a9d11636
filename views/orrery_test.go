package views_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
	"orrery/views/orbit"
)

// sampleOrrery is a cluster whose last search, two seconds ago, examined 37 nodes and chose one of them.
func sampleOrrery(nodes int) *views.Orrery {
	zones, heat := sampleZones(nodes), sampleSnapshot(nodes).Heat
	v := &views.Orrery{
		Order: orbit.Zones{Count: 3, Of: make([]int32, nodes)}, Bodies: make([]views.OrreryBody, nodes), Start: 46 % nodes, Since: time.Second, Nominated: -1,
		Counts: sampleQueue(312).Counts, Terminating: 4, Leader: sampleLeader(),
	}
	for _, l := range zones.Lanes {
		v.Zones = append(v.Zones, l.Zone)
	}
	last := views.Search{At: ago(2 * time.Second), Pod: zones.Pod, Start: 9, Examined: min(37, nodes), Nodes: nodes, Chosen: zones.Chosen, Place: 31}
	for i := range nodes {
		cell := heat[i%3].Cells[i/3]
		v.Order.Of[i] = int32(i % 3)
		v.Bodies[i] = views.OrreryBody{Size: views.BodySize(i * i % 7 % 3), Level: cell.Level, Flags: cell.Flags, Result: views.NotVisited}
		if column := i / 3; column < len(zones.Lanes[i%3].Cells) {
			v.Bodies[i].Result = zones.Lanes[i%3].Cells[column]
		}
		if r := v.Bodies[i].Result; r == views.Feasible || r == views.Chosen {
			last.Feasible++
		}
	}
	v.Last = &last
	v.RecentEvictions = []views.RecentEviction{{Node: 12 % nodes, At: ago(300 * time.Millisecond)}, {Node: 40 % nodes, At: ago(900 * time.Millisecond)}}
	v.Nodes = views.List[views.NodeRow]{Total: nodes}
	for i := range min(nodes, 300) {
		v.Nodes.Rows = append(v.Nodes.Rows, sampleNodeRow(i))
		v.Bodies[i].Pods = i * 7 % 23
	}
	v.Bodies[12%nodes].Pods, v.Bodies[12%nodes].Leaving = 9, 3
	v.Named = []views.NamedBody{{Node: last.Place % nodes, Name: last.Chosen, Fact: "chosen"}, {Node: 40 % nodes, Name: "ip-10-0-0-57.internal", Fact: "not ready", Bad: true}, {Node: 20 % nodes, Name: "ip-10-0-0-37.internal", Fact: "97%"}}
	for i := range 31 {
		v.Returning = append(v.Returning, views.BackoffSpan{From: ago(3 * time.Second), Until: noon.Add(time.Duration(i) * 200 * time.Millisecond)})
	}
	decided := sampleDecisions(1).List.Rows[0]
	v.Decided = &decided
	for i := range sampleEvictions().List.Rows {
		v.Leaving = append(v.Leaving, sampleEvictions().List.Rows[i])
	}
	return v
}

// sampleFlights is a what-if that moves three pods off a node, and leaves two without a place; one comes to a node that the picture does
// not have, one had no node before, and one goes.
func sampleFlights(m *views.Model) {
	m.Orrery.WhatIf = sampleWhatIf()
	m.Header.Mode = views.WhatIfMode
	m.Orrery.Flights = []views.Flight{
		{Pod: "shop/cart-0", From: 12, To: 31},
		{Pod: "shop/cart-1", From: 12, To: 31},
		{Pod: "shop/cart-2", From: 12, To: 70},
		{Pod: "shop/cart-3", From: 12, To: -1},
		{Pod: "shop/cart-4", From: 12, To: -1},
		{Pod: "shop/cart-5", From: 12, To: -1, New: true},
		{Pod: "shop/cart-6", From: -1, To: 44},
		{Pod: "shop/cart-7", From: 12, To: -1, Gone: true},
	}
}

// orreryModel is a model of a playing recording with only the orrery.
func orreryModel(nodes int) *views.Model {
	return &views.Model{Orrery: sampleOrrery(nodes), Timeline: sampleTimeline()}
}

func drawOrrery(m *views.Model, cursor int, s size, g draw.Glyphs, now time.Time) *draw.Canvas {
	ui := sampleState(views.OrreryPane)
	ui.Cursor.Selected = cursor
	c := draw.New(s.w, s.h)
	views.Screen(c, m, ui, g, now)
	return c
}

func TestOrrery_Goldens(t *testing.T) {
	sweeping, flashing, preempting, expired, dead := orreryModel(90), orreryModel(90), orreryModel(90), orreryModel(90), orreryModel(90)
	sweeping.Orrery.Last.At = ago(150 * time.Millisecond)
	flashing.Orrery.Last.At = ago(500 * time.Millisecond)
	preempting.Orrery.Nominated, preempting.Orrery.Victims, preempting.Orrery.Last.Chosen = 31, 2, ""
	preempting.Orrery.Bodies[31].Result = views.Rejected
	expired.Orrery.Leader.Renewed = ago(time.Minute)
	dead.Orrery.Leader.Holder = ""
	silent := orreryModel(40)
	silent.Orrery.Leader.Renewed = ago(7 * time.Second)
	wide := size{100, 30}
	for _, tt := range []struct {
		name   string
		m      *views.Model
		s      size
		glyphs draw.Glyphs
	}{
		{"blocks", orreryModel(90), wide, draw.Block},
		{"ascii", orreryModel(90), wide, draw.ASCII},
		{"the hand sweeps", sweeping, wide, draw.Braille},
		{"the chosen node flashes", flashing, wide, draw.Braille},
		{"a preemption", preempting, wide, draw.Braille},
		{"the lease has expired", expired, wide, draw.Braille},
		{"no leader", dead, wide, draw.Braille},
		{"one node", orreryModel(1), wide, draw.Braille},
		{"no node", &views.Model{Orrery: &views.Orrery{Nominated: -1}}, wide, draw.Braille},
		{"five thousand nodes on a small screen", orreryModel(5000), size{80, 24}, draw.Braille},
		{"five thousand nodes", orreryModel(5000), size{220, 60}, draw.Braille},
		{"discs of 3x2", orreryModel(40), size{84, 24}, draw.Braille},
		{"discs of 5x3", orreryModel(40), size{140, 40}, draw.Braille},
		{"discs of 5x3 in blocks", orreryModel(40), size{140, 40}, draw.Block},
		{"discs of 5x3 in ascii", orreryModel(40), size{140, 40}, draw.ASCII},
		{"discs of 9x5 beside the column", orreryModel(40), size{300, 80}, draw.Braille},
		{"the column", orreryModel(90), size{220, 60}, draw.Braille},
		{"the leader is silent", silent, size{140, 40}, draw.Braille},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := drawOrrery(tt.m, 0, tt.s, tt.glyphs, noon)
			if tt.glyphs == draw.ASCII && strings.ContainsFunc(c.Plain(), func(r rune) bool { return r >= 0x7f }) {
				t.Error("there is more than ASCII")
			}
			golden(t, filepath.Join("orrery", tt.name), c.Plain())
		})
	}
}

// TestOrrery_PlaysAWhatIf draws a what-if before its pods set out, on their way, and at its end.
func TestOrrery_PlaysAWhatIf(t *testing.T) {
	for _, s := range []size{{80, 24}, {140, 40}, {220, 60}} {
		for name, played := range map[string]time.Duration{"begins": 0, "plays": views.PlayTime / 2, "is over": views.PlayTime} {
			m, ui := orreryModel(90), sampleState(views.OrreryPane)
			sampleFlights(m)
			ui.Played = played
			golden(t, filepath.Join("orrery", "a what-if "+name+" "+s.String()), screen(m, ui, s, draw.Braille).Plain())
		}
	}
}

// TestOrrery_ColumnCallsNothingWellThatIsNotKnown draws the column of a cluster whose health is not known, and of a healthy one.
func TestOrrery_ColumnCallsNothingWellThatIsNotKnown(t *testing.T) {
	shown := func(h views.Header) string {
		m := orreryModel(9)
		m.Header = h
		return drawOrrery(m, 0, size{220, 60}, draw.Braille, noon).Plain()
	}
	well := views.Health{Known: true, Nodes: 9}
	if text := shown(views.Header{Health: well}); !strings.Contains(text, "✓ none") {
		t.Errorf("of a healthy cluster it says\n%s", text)
	}
	for name, h := range map[string]views.Header{
		"not read": {}, "silent": {Health: well, Silent: 6 * time.Second, AsOf: noon}, "blind": {Health: well, Blind: true, AsOf: noon}, "unreadable": {Health: well, Unreadable: 3, Alert: "3 kinds"},
	} {
		if text := shown(h); strings.Contains(text, "✓ none") || !strings.Contains(text, "? not known") {
			t.Errorf("%s it says\n%s", name, text)
		}
	}
}

// TestOrrery_MoonsCount adds pods to a node, one after the other, as many as have a moon each: each changes one cell and no other, and pods that leave are red.
func TestOrrery_MoonsCount(t *testing.T) {
	cells := func(pods, leaving int) (all []string, red int) {
		m := bare(1)
		m.Orrery.Bodies[0] = views.OrreryBody{Size: views.Medium, Result: views.NotVisited, Pods: pods, Leaving: leaving}
		m.Orrery.Nodes = views.List[views.NodeRow]{}
		for g, style := range drawOrrery(m, 0, size{140, 40}, draw.Braille, noon).Cells() {
			all = append(all, string(g.Append(nil)))
			if g.Rune > 0x2800 && g.Rune <= 0x28ff && style.Token() == themes.Terminating {
				red++
			}
		}
		return all, red
	}
	before, _ := cells(0, 0)
	for pods := 1; pods <= 22; pods++ {
		after, red := cells(pods, 0)
		changed := 0
		for i := range after {
			if after[i] != before[i] {
				changed++
			}
		}
		if changed != 1 || red != 0 {
			t.Errorf("pod %d changes %d cells, want one; %d are red", pods, changed, red)
		}
		before = after
	}
	if _, red := cells(9, 2); red != 2 {
		t.Errorf("two pods that leave are %d red cells", red)
	}
}

// shownResults counts the bodies' signs on a screen.
func shownResults(c *draw.Canvas) map[views.LaneCell]int {
	signs := map[rune]views.LaneCell{
		'∘': views.NotVisited, '○': views.NotVisited, '◎': views.NotVisited, '•': views.Feasible, '●': views.Feasible, '◉': views.Feasible,
		'×': views.Rejected, '✗': views.Rejected, '✘': views.Rejected, '★': views.Chosen,
	}
	shown := map[views.LaneCell]int{}
	for g := range c.Cells() {
		if result, ok := signs[g.Rune]; ok {
			shown[result]++
		}
	}
	return shown
}

// bare is an orrery without anything around the nodes.
func bare(nodes int) *views.Model {
	m := orreryModel(nodes)
	m.Timeline.Marks = nil
	m.Orrery.Counts, m.Orrery.RecentEvictions, m.Orrery.Leader = views.QueueCounts{}, nil, nil
	m.Orrery.Named, m.Orrery.Returning = nil, nil
	for i := range m.Orrery.Bodies {
		m.Orrery.Bodies[i].Flags = 0
	}
	return m
}

// TestOrrery_HandPassesTheExaminedNodes follows a search: the hand lights up one examined node after the other, and no
// other node; at the end all results are shown.
func TestOrrery_HandPassesTheExaminedNodes(t *testing.T) {
	const nodes = 90
	m, s := bare(nodes), size{100, 30}
	results := func(after time.Duration) map[views.LaneCell]int {
		return shownResults(drawOrrery(m, 0, s, draw.Braille, m.Orrery.Last.At.Add(after)))
	}
	end := results(time.Hour)
	before := results(-time.Millisecond)
	if before[views.Chosen] != end[views.Chosen] {
		t.Error("a search of the future hides its results")
	}
	idle := results(0)
	for after, last := time.Duration(0), 0; after <= time.Second; after += 10 * time.Millisecond {
		now := results(after)
		lit := now[views.Feasible] + now[views.Rejected] + now[views.Chosen] - idle[views.Feasible] - idle[views.Rejected] - idle[views.Chosen]
		if lit < last || lit > m.Orrery.Last.Examined {
			t.Fatalf("after %v, %d nodes have a result, after %d before, of %d examined", after, lit, last, m.Orrery.Last.Examined)
		}
		if dark := nodes - lit - (now[views.NotVisited] - (idle[views.NotVisited] - nodes)); dark != 0 {
			t.Fatalf("after %v, %d nodes are neither lit nor dark", after, dark)
		}
		last = lit
		if after >= 400*time.Millisecond && lit != m.Orrery.Last.Examined {
			t.Fatalf("after %v, %d of %d examined nodes have a result", after, lit, m.Orrery.Last.Examined)
		}
	}
	m.Timeline.Paused = true
	if paused := results(0); paused[views.Chosen] != end[views.Chosen] || paused[views.Feasible] != end[views.Feasible] {
		t.Errorf("paused at the decision it shows %v, want all results, %v", paused, end)
	}
}

// TestOrrery_StandsStill checks that nothing moves by itself once the last event is over.
func TestOrrery_StandsStill(t *testing.T) {
	m := orreryModel(90)
	m.Orrery.Leader = nil
	over := noon.Add(2 * time.Second)
	still := drawOrrery(m, 0, size{100, 30}, draw.Braille, over).SVG(themes.Shipped()[0])
	for _, later := range []time.Duration{33 * time.Millisecond, 150 * time.Millisecond, time.Minute} {
		if drawOrrery(m, 0, size{100, 30}, draw.Braille, over.Add(later)).SVG(themes.Shipped()[0]) != still {
			t.Errorf("after %v it looks different", later)
		}
	}
	m.Timeline.Paused = true
	m.Orrery.Last.At, m.Orrery.RecentEvictions = noon, nil
	still = drawOrrery(m, 0, size{100, 30}, draw.Braille, noon).SVG(themes.Shipped()[0])
	if drawOrrery(m, 0, size{100, 30}, draw.Braille, noon.Add(200*time.Millisecond)).SVG(themes.Shipped()[0]) != still {
		t.Error("a paused search moves")
	}
}

// TestOrrery_CursorTellsEveryNode moves the cursor over every node: the last line names it, and its body alone is
// reversed.
func TestOrrery_CursorTellsEveryNode(t *testing.T) {
	for _, s := range []size{{60, 16}, {80, 24}, {140, 40}} {
		m := bare(90)
		body := views.Body(draw.Rect{W: s.w, H: s.h}, m)
		last := body.Y + body.H - 2
		places := map[int]bool{}
		for node := range 90 {
			c := drawOrrery(m, node, s, draw.Braille, noon)
			lines := strings.Split(c.Plain(), "\n")
			foot := lines[last]
			if name := m.Orrery.Nodes.Rows[node].Name; !strings.Contains(foot, name[:12]) || !strings.Contains(foot, "▌") {
				t.Fatalf("at %v the last line is %q, want %s", s, foot, name)
			}
			cell, i, reversed := 0, 0, 0
			for _, style := range c.Cells() {
				if style.Attr()&themes.Reverse != 0 && i/s.w > 1 && i/s.w < last {
					cell, reversed = i, reversed+1
				}
				i++
			}
			if reversed != 1 {
				t.Fatalf("at %v with node %d selected %d cells are reversed:\n%s", s, node, reversed, c.Plain())
			}
			if places[cell] && s.h > 16 {
				t.Fatalf("at %v node %d is where another node is", s, node)
			}
			places[cell] = true
		}
	}
}

// TestOrrery_SaysWhatAMarkIs compares the largest mark that is told of with the nodes there are.
func TestOrrery_SaysWhatAMarkIs(t *testing.T) {
	for _, tt := range []struct {
		nodes, pods int
		want        []string
		not         string
	}{
		{90, 0, nil, "mark is"},
		{90, 100, nil, "mark is"},
		{5000, 0, []string{"a mark is ≤ 8 nodes"}, "≤ 1 pod"},
		{90, 1000, []string{"a mark is ≤ 6 pods"}, "≤ 1 node"},
	} {
		m := orreryModel(tt.nodes)
		m.Orrery.Counts = views.QueueCounts{Unschedulable: tt.pods}
		text := drawOrrery(m, 0, size{220, 60}, draw.Braille, noon).Plain()
		for _, want := range tt.want {
			if !strings.Contains(text, want) {
				t.Errorf("%d nodes: it does not say %q:\n%s", tt.nodes, want, text)
			}
		}
		if strings.Contains(text, tt.not) {
			t.Errorf("%d nodes: it says %q", tt.nodes, tt.not)
		}
	}
}

// TestOrrery_StatesDifferWithoutColour compares the signs of what a node can be.
func TestOrrery_StatesDifferWithoutColour(t *testing.T) {
	for _, g := range []draw.Glyphs{draw.Braille, draw.Block, draw.ASCII} {
		seen := map[string]string{}
		for name, body := range map[string]views.OrreryBody{
			"not examined": {Size: views.Medium, Result: views.NotVisited}, "examined": {Size: views.Medium, Result: views.Visited},
			"feasible": {Size: views.Medium, Result: views.Feasible}, "rejected": {Size: views.Medium, Result: views.Rejected},
			"chosen": {Size: views.Medium, Result: views.Chosen}, "not ready": {Size: views.Medium, Flags: views.NotReady, Result: views.Rejected},
			"cordoned": {Size: views.Medium, Flags: views.Cordoned, Result: views.NotVisited},
			"small":    {Result: views.NotVisited}, "large": {Size: views.Large, Result: views.NotVisited},
		} {
			m := bare(1)
			m.Orrery.Bodies[0] = body
			c := drawOrrery(m, 0, size{60, 16}, g, noon)
			sign, i := "", 0
			for cell, style := range c.Cells() {
				if style.Attr()&themes.Reverse != 0 && i/60 > 1 && i/60 < 12 {
					sign = string(cell.Append(nil))
				}
				i++
			}
			if other, taken := seen[sign]; taken || sign == "" {
				t.Errorf("with %s, %s and %s have the sign %q", g, name, other, sign)
			}
			seen[sign] = name
		}
	}
}

// A frame's time and allocations with the geometry of the last one.
func TestOrrery_Cost(t *testing.T) {
	const most = 300
	m, ui, c := orreryModel(5000), sampleState(views.OrreryPane), draw.New(120, 40)
	ui.Orbits = &views.Orbits{}
	if allocs := testing.AllocsPerRun(20, func() {
		c.Reset(120, 40)
		views.Screen(c, m, ui, draw.Braille, noon)
	}); allocs > most {
		t.Errorf("a frame of 120x40 made %v allocations, want at most %d", allocs, most)
	}
}

func BenchmarkOrrery(b *testing.B) {
	for _, s := range []size{{120, 40}, {240, 70}} {
		for _, nodes := range []int{90, 5000} {
			b.Run(fmt.Sprintf("%v %d nodes", s, nodes), func(b *testing.B) {
				m, ui, c := orreryModel(nodes), sampleState(views.OrreryPane), draw.New(s.w, s.h)
				ui.Orbits = &views.Orbits{}
				b.ReportAllocs()
				for b.Loop() {
					c.Reset(s.w, s.h)
					views.Screen(c, m, ui, draw.Braille, noon)
				}
			})
		}
	}
}
