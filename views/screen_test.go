package views_test

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"orrery/themes"
	"orrery/views"
	"orrery/views/draw"
)

// hostile are names that make terminals and programs disagree about widths.
var hostile = []string{
	"", "日本語ポッド/ネーム", "👩\u200d🚀/👩\u200d🚀👩\u200d🚀", "\u26a0\ufe0f/⚠️", "e\u0301\u0301/e\u0301", "שלום/مرحبا", "🇩🇪/🇩", "\u1112\u1161\u11ab/\u1112",
	strings.Repeat("x", 5000), strings.Repeat("語", 1700), "\x1b[2J/\x00\t\r", "\xff\xfe/\u202e", "a/b", " ",
}

// spoil gives everything that has a name one of the hostile ones.
func spoil(t *rapid.T, m *views.Model) {
	name := func() string { return rapid.SampledFrom(hostile).Draw(t, "name") }
	m.Header.Source, m.Header.Leader = name(), name()
	for _, part := range [][]views.PodRow{m.Queue.Next, m.Queue.Soon, m.Queue.Stuck, m.Queue.Held, m.Queue.Pods.Rows} {
		for i := range part {
			part[i].Name, part[i].Reason, part[i].Awaits = name(), name(), name()
		}
	}
	for i := range m.Queue.Moves {
		m.Queue.Moves[i].Pod, m.Queue.Moves[i].Event, m.Queue.Moves[i].Node = name(), name(), name()
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
		d.Pod, d.Node, d.Why, d.By, d.Budget = name(), name(), name(), name(), name()
	}
	m.Leader.Holder, m.Leader.Candidates[0].Name, m.Leader.Changes[0].From = name(), name(), name()
	m.Explain.Pod, m.Explain.Cause, m.Explain.Fixes[0], m.Explain.Reasons[0].Reason = name(), name(), name(), name()
	for i := range m.Decisions.List.Rows {
		m.Decisions.List.Rows[i].Pod, m.Decisions.List.Rows[i].Node = name(), name()
	}
	m.Journey.Pod, m.Journey.Facts[0].Value, m.Node.Row.Name, m.Node.Pods.Rows[0].Name = name(), name(), name(), name()
	m.WhatIf.Question, m.WhatIf.Command, m.Timeline.Marks[0].Label, m.Plugins.Profile = name(), name(), name(), name()
	m.WhatIf.Notes[0], m.WhatIf.Changes.Rows[0].Why, m.Timeline.Marks[0].Kind = name(), name(), name()
}

func TestAScreenIsExactlyItsSizeWhateverItShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := sample(312, 60)
		spoil(t, m)
		ui := sampleState(views.PaneID(rapid.IntRange(0, int(views.HelpPane)).Draw(t, "pane")))
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

func TestPanesDrawInAnythingFromTheirMinimumOn(t *testing.T) {
	for _, p := range views.Panes() {
		w, h := p.Min()
		c := draw.New(w, h)
		p.Draw(c.All(draw.Braille), sample(312, 60), sampleState(p.ID), noon)
		if strings.Contains(c.Plain(), "need ") {
			t.Errorf("%s says it needs more room than its minimum:\n%s", p.Title, c.Plain())
		}
		c = draw.New(w-1, h)
		p.Draw(c.All(draw.Braille), sample(312, 60), sampleState(p.ID), noon)
		if !strings.Contains(c.Plain(), "need ") {
			t.Errorf("%s does not say that it needs more room", p.Title)
		}
	}
}

func TestTheLayoutTilesTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := draw.Rect{W: rapid.IntRange(views.MinWidth, 300).Draw(t, "w"), H: rapid.IntRange(views.MinHeight-3, 120).Draw(t, "h")}
		covered := make([]int, r.W*r.H)
		for _, spot := range views.Layout(r) {
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

// TestStatesAreToldApartWithoutColour holds glyph and word against each other, in Unicode and in ASCII.
func TestStatesAreToldApartWithoutColour(t *testing.T) {
	glyphs := map[draw.Glyphs]map[string]views.PodState{draw.Braille: {}, draw.ASCII: {}}
	words := map[string]views.PodState{}
	for state := views.Unseen; state <= views.Gone; state++ {
		for set, seen := range glyphs {
			c := draw.New(1, 1)
			c.All(set).Set(0, 0, 0, state.Glyph())
			if other, taken := seen[c.Plain()]; taken {
				t.Errorf("with %s, %s and %s have the glyph %s", set, state.Word(), other.Word(), c.Plain())
			}
			seen[c.Plain()] = state
		}
		if other, taken := words[state.Short()]; taken || len(state.Short()) > 7 {
			t.Errorf("%q is too long or also the word for %v", state.Short(), other)
		}
		words[state.Short()] = state
	}
}

func TestASCIIScreensAreASCII(t *testing.T) {
	for id, name := range paneNames {
		for _, r := range screen(sample(312, 240), sampleState(id), size{140, 40}, draw.ASCII).Plain() {
			if r >= 0x7f {
				t.Errorf("%s has %q", name, r)
			}
		}
	}
}

func TestTheSameArgumentsGiveTheSameBytes(t *testing.T) {
	theme, _ := themes.Named("dark")
	inks := theme.Resolve(themes.TrueColor)
	for id := range paneNames {
		a := screen(sample(312, 240), sampleState(id), size{140, 40}, draw.Braille).Render(inks)
		if b := screen(sample(312, 240), sampleState(id), size{140, 40}, draw.Braille).Render(inks); a != b {
			t.Errorf("%s was drawn differently", paneNames[id])
		}
	}
}

func TestForecastsSayTheyAreAndSlant(t *testing.T) {
	theme, _ := themes.Named("mono")
	c := screen(sample(312, 240), sampleState(views.EvictionsPane), size{140, 40}, draw.Braille)
	for _, line := range strings.Split(c.Render(theme.Resolve(themes.NoColor)), "\n") {
		if word, slant := strings.Contains(line, "forecast ") && strings.Contains(line, "◌"), strings.Contains(line, "\x1b[3m") || strings.Contains(line, ";3m") || strings.Contains(line, "[3;"); word && !slant {
			t.Errorf("a forecast is not in italics: %q", line)
		}
	}
	if !strings.Contains(c.Plain(), "◌ forecast") {
		t.Error("no forecast says it is one")
	}
}

// dashboard draws and renders a frame over and over.
func dashboard(b *testing.B, pods, nodes int, s size) {
	theme, _ := themes.Named("dark")
	inks := theme.Resolve(themes.TrueColor)
	m, ui := sample(pods, nodes), sampleState(views.Overview)
	c := draw.New(s.w, s.h)
	b.ReportAllocs()
	for b.Loop() {
		c.Reset(s.w, s.h)
		views.Screen(c, m, ui, draw.Braille, noon)
		c.Render(inks)
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

// TestAFrameIsCheap bounds what a frame allocates: the time is the benchmark's to watch.
func TestAFrameIsCheap(t *testing.T) {
	const most = 300
	theme, _ := themes.Named("dark")
	inks := theme.Resolve(themes.TrueColor)
	m, ui, c := sample(100_000, 5000), sampleState(views.Overview), draw.New(120, 40)
	if allocs := testing.AllocsPerRun(20, func() {
		c.Reset(120, 40)
		views.Screen(c, m, ui, draw.Braille, noon)
		c.Render(inks)
	}); allocs > most {
		t.Errorf("a frame of 120x40 made %v allocations, want at most %d", allocs, most)
	}
}

func TestCountdownsCount(t *testing.T) {
	m, ui := sample(312, 240), sampleState(views.Overview)
	c := draw.New(140, 40)
	views.Screen(c, m, ui, draw.Braille, noon)
	before := c.Plain()
	c.Reset(140, 40)
	views.Screen(c, m, ui, draw.Braille, noon.Add(2*time.Second))
	for _, tt := range []struct{ was, is string }{{"11s until it expires", "9.0s until it expires"}, {"12s ▼ leaving", "10s ▼ leaving"}} {
		if !strings.Contains(before, tt.was) || !strings.Contains(c.Plain(), tt.is) {
			t.Errorf("%q did not become %q after two seconds", tt.was, tt.is)
		}
	}
}
