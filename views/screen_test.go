package views_test

import (
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
)

// hostile are names whose width terminals and programs measure differently.
var hostile = []string{
	"", "日本語ポッド/ネーム", "👩\u200d🚀/👩\u200d🚀👩\u200d🚀", "\u26a0\ufe0f/⚠️", "e\u0301\u0301/e\u0301", "שלום/مرحبا", "🇩🇪/🇩", "\u1112\u1161\u11ab/\u1112",
	strings.Repeat("x", 5000), strings.Repeat("語", 1700), "\x1b[2J/\x00\t\r", "\xff\xfe/\u202e", "a/b", " ",
}

// useHostileNames replaces every name with a hostile one.
func useHostileNames(t *rapid.T, m *views.Model) {
	name := func() string { return rapid.SampledFrom(hostile).Draw(t, "name") }
	m.Header.Source, m.Header.Leader = name(), name()
	m.Header.Health.Stuck, m.Header.Health.StuckReason, m.Timeline.Title = name(), name(), name()
	for _, part := range [][]views.PodRow{m.Queue.Next, m.Queue.Soon, m.Queue.Stuck, m.Queue.Held, m.Queue.Pods.Rows} {
		for i := range part {
			part[i].Name, part[i].Reason, part[i].RequeuesOn = name(), name(), name()
		}
	}
	for i := range m.Queue.Transitions {
		m.Queue.Transitions[i].Pod, m.Queue.Transitions[i].Event, m.Queue.Transitions[i].Node = name(), name(), name()
	}
	for i := range m.Snapshot.List.Rows {
		m.Snapshot.List.Rows[i].Name, m.Snapshot.List.Rows[i].Taints, m.Snapshot.List.Rows[i].Memory.Used = name(), name(), name()
	}
	for i := range m.Snapshot.Heat {
		m.Snapshot.Heat[i].Name, m.Zones.Lanes[i].Zone = name(), name()
	}
	m.Snapshot.Drift, m.Zones.Chosen, m.Zones.Pod = name(), name(), name()
	for i := range m.Zones.Searches {
		m.Zones.Searches[i].Pod, m.Zones.Searches[i].Chosen = name(), name()
	}
	for i := range m.Evictions.List.Rows {
		d := &m.Evictions.List.Rows[i]
		d.Pod, d.Node, d.Reason, d.Initiator, d.Budget = name(), name(), name(), name(), name()
	}
	for i := range m.Orrery.Zones {
		m.Orrery.Zones[i] = name()
	}
	m.Orrery.Last.Pod, m.Orrery.Last.Chosen, m.Orrery.Leader.Holder = name(), name(), name()
	for i := range m.Orrery.Nodes.Rows {
		m.Orrery.Nodes.Rows[i].Name, m.Orrery.Nodes.Rows[i].Zone, m.Orrery.Nodes.Rows[i].Taints = name(), name(), name()
	}
	m.Leader.Holder, m.Leader.Candidates[0].Name, m.Leader.History[0].From = name(), name(), name()
	x := m.Explain
	x.Title, x.Headline, x.Then[0], x.Reasons[0].Message, x.Reasons[0].Plugin, x.Reasons[1].Beside[0] = name(), name(), name(), name(), name(), name()
	x.Facts[0].Value, x.Sections[0].Title, x.Sections[0].Lines[0].Says = name(), name(), name()
	m.Journey.Storage[0].Says, m.Journey.Storage[1].Says = name(), name()
	x.Section("Storage", m.Journey.Storage...)
	m.Explain.Remedies[0].Text, m.Explain.Remedies[0].Node = name(), name()
	for i := range m.Feed {
		m.Feed[i].Pod, m.Feed[i].Node, m.Feed[i].RunnerUp, m.Feed[i].Why = name(), name(), name(), name()
	}
	for i := range m.Decisions.List.Rows {
		m.Decisions.List.Rows[i].Pod, m.Decisions.List.Rows[i].Node = name(), name()
	}
	m.Journey.Pod, m.Journey.Facts[0].Value, m.Node.Row.Name, m.Node.Pods.Rows[0].Name = name(), name(), name(), name()
	m.WhatIf.Tried, m.WhatIf.Command, m.Timeline.Marks[0].Label, m.Plugins.Profile = name(), name(), name(), name()
	for i := range m.Storage.ClaimList.Rows {
		c := &m.Storage.ClaimList.Rows[i]
		c.Name, c.Size, c.Class, c.Volume, c.Place, c.Pod, c.Note = name(), name(), name(), name(), name(), name(), name()
	}
	v := &m.Storage.VolumeList.Rows[2]
	v.Name, v.Size, v.Class, v.Place, v.Claim, v.Policy, v.Attached = name(), name(), name(), name(), name(), name(), name()
	g, l := &m.Storage.Segments[0], &m.Storage.Limits[0]
	g.Class, g.Place, g.Left, g.Most, g.Asked, l.Node, l.Driver = name(), name(), name(), name(), name(), name(), name()
	useHostileDevices(name, m.Devices)
	useHostileGangs(name, m.Gangs)
	m.Header.Health.OneTimedOut, m.Header.Health.OneHolding = name(), name()
	m.Header.Health.OneEvicting, m.Journey.Devices[0].Says, m.Journey.Devices[1].Says = name(), name(), name()
	m.WhatIf.Notes[0], m.WhatIf.Changes.Rows[0].Reason, m.Timeline.Marks[0].Kind = name(), name(), name()
}

// overstretch sets times and amounts whose differences, products and shares no int64 holds.
func overstretch(m *views.Model) {
	past, future := time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	m.Timeline.Start, m.Timeline.End, m.Timeline.At, m.Timeline.Step = past, future, past.AddDate(200, 0, 0), 500*time.Millisecond
	for i := range m.Timeline.Marks {
		m.Timeline.Marks[i].At = []time.Time{past, future}[i%2]
	}
	for _, part := range [][]views.PodRow{m.Queue.Next, m.Queue.Soon, m.Queue.Stuck, m.Queue.Held, m.Queue.Pods.Rows} {
		for i := range part {
			part[i].Since, part[i].From, part[i].Until = past, past, future
		}
	}
	for i := range m.Snapshot.List.Rows {
		m.Snapshot.List.Rows[i].CPU.Fraction, m.Snapshot.List.Rows[i].Memory.Fraction = 9e18, -9e18
	}
	for i := range m.Evictions.List.Rows {
		m.Evictions.List.Rows[i].Since, m.Evictions.List.Rows[i].Deadline = past, future
	}
	m.Snapshot.Taken, m.Leader.Acquired, m.Leader.Renewed, m.Leader.Lease = past, past, future, 1
	m.WhatIf.Without.CPU, m.WhatIf.With.Memory, m.WhatIf.With.Spread = 9e18, 9e18, -9e18
	for i := range m.Storage.ClaimList.Rows {
		m.Storage.ClaimList.Rows[i].Since = []time.Time{past, future}[i%2]
	}
	for i := range m.Devices.List.Rows {
		r := &m.Devices.List.Rows[i]
		r.From, r.Of = math.MaxInt64-1000, math.MaxInt64
		for j := range r.Devices {
			r.Devices[j].Share, r.Devices[j].Claims, r.Devices[j].Tainted = 9e18, math.MaxInt64, []time.Time{past, future}[j%2]
		}
	}
	for i := range m.Gangs.List.Rows {
		g := &m.Gangs.List.Rows[i]
		g.Deadline, g.Created, g.Timeout, g.Priority = []time.Time{past, future}[i%2], []time.Time{past, future}[i/2%2], 1, math.MinInt32
		g.Least, g.Count[i%len(g.Count)] = math.MaxInt64, math.MaxInt64/8
	}
	m.Devices.Models[0].Used, m.Devices.Models[1].Used = 9e300, -9e300
	m.Devices.ClaimList.Rows[2].Since, m.Devices.ClaimList.Rows[3].Since = past, future
	m.Storage.Limits[0].Attached, m.Storage.Segments[0].Fraction = math.MaxInt64, 9e18
	m.Journey.Created = future
	m.Orrery.Last.At, m.Orrery.RecentEvictions[0].At, m.Orrery.RecentEvictions[1].At = past, past, future
	m.Orrery.Leader.Renewed, m.Orrery.Leader.Lease = past, 1
}

func TestScreen_DrawsAnyTimeAndAmount(t *testing.T) {
	for _, pane := range slices.Sorted(maps.Keys(paneNames)) {
		m := sample(312, 60)
		overstretch(m)
		text := screen(m, sampleState(pane), size{150, 50}, draw.Block).Plain()
		for _, overflow := range []string{"--1", "--9", "-9223372036", "-106751", "-922", "-8999", "NaN"} {
			if strings.Contains(text, overflow) {
				t.Errorf("pane %s says %q:\n%s", paneNames[pane], overflow, text)
			}
		}
	}
}

func TestScreen_IsExactlyItsSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sample(312, 60)
		useHostileNames(t, m)
		ui := sampleState(rapid.SampledFrom(slices.Sorted(maps.Keys(paneNames))).Draw(t, "pane"))
		ui.Filter, ui.Zoomed = rapid.SampledFrom(hostile).Draw(t, "filter"), rapid.Bool().Draw(t, "zoomed")
		s := rapid.OneOf(
			rapid.SampledFrom([]size{{0, 0}, {1, 1}, {20, 5}, {60, 16}, {80, 24}}),
			rapid.Custom(func(t *rapid.T) size {
				return size{rapid.IntRange(1, 150).Draw(t, "w"), rapid.IntRange(1, 50).Draw(t, "h")}
			}),
		).Draw(t, "size")
		c := screen(m, ui, s, rapid.SampledFrom([]draw.Glyphs{draw.Braille, draw.Block, draw.ASCII}).Draw(t, "glyphs"))
		lines := strings.Split(c.Plain(), "\n")
		if len(lines) != max(s.h, 1) {
			t.Fatalf("%d rows, want %d", len(lines), s.h)
		}
		for i, line := range lines {
			if got := ansi.StringWidth(line); got != s.w {
				t.Fatalf("row %d is %d columns wide, want %d: %q", i, got, s.w, line)
			}
		}
	})
}

func TestPanes_DrawFromTheirMinimum(t *testing.T) {
	for _, p := range views.Panes() {
		w, h := p.Min()
		c := draw.New(w, h)
		p.Draw(c.All(draw.Braille), sample(312, 60), sampleState(p.ID), noon)
		if strings.Contains(c.Plain(), "need ") {
			t.Errorf("%s is too small at its minimum:\n%s", p.Title, c.Plain())
		}
		c = draw.New(w-1, h)
		p.Draw(c.All(draw.Braille), sample(312, 60), sampleState(p.ID), noon)
		if !strings.Contains(c.Plain(), "need ") {
			t.Errorf("%s does not show that it needs more room", p.Title)
		}
	}
}

func TestLayout_Tiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := draw.Rect{W: rapid.IntRange(views.MinWidth, 300).Draw(t, "w"), H: rapid.IntRange(views.MinHeight-3, 120).Draw(t, "h")}
		covered := make([]int, r.W*r.H)
		empty := views.Empty{Evictions: rapid.Bool().Draw(t, "no evictions"), Leader: rapid.Bool().Draw(t, "no leader")}
		for _, spot := range views.Layout(r, empty) {
			for y := spot.Rect.Y; y < spot.Rect.Y+spot.Rect.H; y++ {
				for x := spot.Rect.X; x < spot.Rect.X+spot.Rect.W; x++ {
					covered[y*r.W+x]++
				}
			}
		}
		for i, n := range covered {
			if n != 1 {
				t.Fatalf("cell %d,%d of %v belongs to %d panes", i%r.W, i/r.W, r, n)
			}
		}
	})
}

// TestPodState_DistinctWithoutColour compares glyphs and words, in Unicode and in ASCII.
func TestPodState_DistinctWithoutColour(t *testing.T) {
	glyphs := map[draw.Glyphs]map[string]views.PodState{draw.Braille: {}, draw.ASCII: {}}
	words := map[string]views.PodState{}
	for state := views.Created; state <= views.Deleted; state++ {
		for set, seen := range glyphs {
			c := draw.New(1, 1)
			c.All(set).Set(0, 0, 0, state.Glyph())
			if other, taken := seen[c.Plain()]; taken {
				t.Errorf("with %s, %s and %s have the glyph %s", set, state.Word(), other.Word(), c.Plain())
			}
			seen[c.Plain()] = state
		}
		if other, taken := words[state.Short()]; taken || len(state.Short()) > 7 {
			t.Errorf("%q is too long or also the word of %v", state.Short(), other)
		}
		words[state.Short()] = state
	}
}

// TestStorageStates_DistinctWithoutColour compares the glyphs and words of claims, and those of volumes.
func TestStorageStates_DistinctWithoutColour(t *testing.T) {
	m := sample(312, 60)
	for id, states := range map[views.PaneID]int{views.StoragePane: len(m.Storage.Claims), views.VolumesPane: len(m.Storage.Volumes)} {
		for _, set := range []draw.Glyphs{draw.Braille, draw.ASCII} {
			signs, words := map[string]bool{}, map[string]bool{}
			for i := range states {
				m.Storage.ClaimList.Rows[0].State, m.Storage.VolumeList.Rows[0].State = views.ClaimState(min(i, int(views.ClaimBound))), views.VolumeState(min(i, int(views.VolumeBound)))
				ui := sampleState(id)
				ui.Zoomed = true
				plain := screen(m, ui, size{200, 60}, set).Plain()
				_, row, _ := strings.Cut(plain[strings.Index(plain, "  state "):], "\n")
				sign, word, _ := strings.Cut(strings.TrimSpace(row), " ")
				word, _, _ = strings.Cut(strings.TrimSpace(word), "  ")
				if signs[sign] || words[word] || word == "" {
					t.Errorf("pane %s with %s: state %d is %q %q, which another is too", id, set, i, sign, word)
				}
				signs[sign], words[word] = true, true
			}
		}
	}
}

// TestDeviceStates_DistinctWithoutColour compares the signs and words of devices, and those of claims for them.
func TestDeviceStates_DistinctWithoutColour(t *testing.T) {
	for _, set := range []draw.Glyphs{draw.Braille, draw.ASCII} {
		signs, words := map[string]string{}, map[string]bool{}
		for _, share := range []float64{0.1, 0.5, 0.9, 1} {
			for state := range len(views.Devices{}.Count) {
				m := sample(312, 60)
				m.Devices.List = views.List[views.DeviceRow]{Total: 1, Rows: []views.DeviceRow{{Place: "n", Devices: []views.Device{{Name: "d", State: views.DeviceState(state), Share: share}}}}}
				ui := sampleState(views.DevicesPane)
				ui.Zoomed, ui.Cursor = true, views.Cursor{}
				plain := strings.ReplaceAll(screen(m, ui, size{200, 60}, set).Plain(), "─", "-")
				_, row, _ := strings.Cut(plain, "\n-- ")
				sign, word, _ := strings.Cut(row, " d ")
				word, _, _ = strings.Cut(word, " ")
				if other, taken := signs[sign]; word == "" || taken && other != word {
					t.Errorf("with %s: state %d is %q %q, which %s is too", set, state, sign, word, other)
				}
				signs[sign], words[word] = word, true
			}
		}
		if len(words) != len(views.Devices{}.Count) {
			t.Errorf("with %s, there are the words %v", set, words)
		}
		signs = map[string]string{}
		for state := range len(views.Devices{}.Claims) {
			m := sample(312, 60)
			m.Devices.ClaimList.Rows[0].State = views.DeviceClaimState(state)
			ui := sampleState(views.DeviceClaimsPane)
			ui.Zoomed = true
			plain := screen(m, ui, size{200, 60}, set).Plain()
			_, row, _ := strings.Cut(plain[strings.Index(plain, "  state "):], "\n")
			sign, _, _ := strings.Cut(strings.TrimSpace(row), " ")
			if other, taken := signs[sign]; taken {
				t.Errorf("with %s: claims that are %s and %s have the sign %q", set, views.DeviceClaimState(state).Word(), other, sign)
			}
			signs[sign] = views.DeviceClaimState(state).Word()
		}
	}
}

func TestScreen_ASCII(t *testing.T) {
	for id, name := range paneNames {
		for _, r := range screen(sample(312, 240), sampleState(id), size{140, 40}, draw.ASCII).Plain() {
			if r >= 0x7f {
				t.Errorf("%s has %q", name, r)
			}
		}
	}
}

func TestScreen_Deterministic(t *testing.T) {
	theme, _ := themes.Named("dark")
	for id := range paneNames {
		a := screen(sample(312, 240), sampleState(id), size{140, 40}, draw.Braille).SVG(theme)
		if b := screen(sample(312, 240), sampleState(id), size{140, 40}, draw.Braille).SVG(theme); a != b {
			t.Errorf("%s was drawn differently", paneNames[id])
		}
	}
}

func TestEvictions_PredictionsAreItalic(t *testing.T) {
	c := screen(sample(312, 240), sampleState(views.EvictionsPane), size{140, 40}, draw.Braille)
	found := false
	for g, style := range c.Cells() {
		if g.Rune == '◌' {
			found = true
			if style.Attr()&themes.Italic == 0 {
				t.Error("a prediction is not in italics")
			}
		}
	}
	if !found || !strings.Contains(c.Plain(), "◌ predicted") {
		t.Error("no eviction is marked as predicted")
	}
}

// dashboard draws frames.
func dashboard(b *testing.B, pods, nodes int, s size) {
	m, ui := sample(pods, nodes), sampleState(views.Overview)
	c := draw.New(s.w, s.h)
	b.ReportAllocs()
	for b.Loop() {
		c.Reset(s.w, s.h)
		views.Screen(c, m, ui, draw.Braille, noon)
		for range c.Cells() { // as a terminal's writer does
		}
	}
}

func BenchmarkDashboard(b *testing.B) {
	b.Run("120x40 100k pods 5k nodes", func(b *testing.B) { dashboard(b, 100_000, 5000, size{120, 40}) })
	b.Run("120x40 1k pods 5k nodes", func(b *testing.B) { dashboard(b, 1000, 5000, size{120, 40}) })
	b.Run("240x70 100k pods 5k nodes", func(b *testing.B) { dashboard(b, 100_000, 5000, size{240, 70}) })
}

func BenchmarkPanes(b *testing.B) {
	m := sample(100_000, 5000)
	for _, p := range views.Panes() {
		b.Run(p.Title, func(b *testing.B) {
			c := draw.New(120, 40)
			b.ReportAllocs()
			for b.Loop() {
				c.Reset(120, 40)
				views.Screen(c, m, sampleState(p.ID), draw.Braille, noon)
			}
		})
	}
}

// A frame's allocations are bounded; a benchmark measures the time.
func TestScreen_Cost(t *testing.T) {
	const most = 300
	m, ui, c := sample(100_000, 5000), sampleState(views.Overview), draw.New(120, 40)
	if allocs := testing.AllocsPerRun(20, func() {
		c.Reset(120, 40)
		views.Screen(c, m, ui, draw.Braille, noon)
		for range c.Cells() { // as a terminal's writer does
		}
	}); allocs > most {
		t.Errorf("a frame of 120x40 made %v allocations, want at most %d", allocs, most)
	}
}

func TestScreen_CountdownsCount(t *testing.T) {
	m, ui := sample(312, 240), sampleState(views.Overview)
	c := draw.New(140, 40)
	views.Screen(c, m, ui, draw.Braille, noon)
	before := c.Plain()
	c.Reset(140, 40)
	views.Screen(c, m, ui, draw.Braille, noon.Add(2*time.Second))
	for _, tt := range []struct{ was, is string }{{"11s until it expires", "9.0s until it expires"}, {"12s ▼ terminating", "10s ▼ terminating"}} {
		if !strings.Contains(before, tt.was) || !strings.Contains(c.Plain(), tt.is) {
			t.Errorf("%q did not become %q after two seconds", tt.was, tt.is)
		}
	}
}

// A cluster without nodes has no passes.
func TestZones_WithoutNodes(t *testing.T) {
	m := sample(312, 240)
	m.Zones = &views.Zones{}
	for _, s := range goldenSizes {
		screen(m, sampleState(views.Overview), s, draw.Braille)
		screen(m, sampleState(views.ZonesPane), s, draw.Braille)
	}
}
