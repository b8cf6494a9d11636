package collect_test

import (
	"testing"

	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// A frame of the list of pods costs only its rows, wherever in the list they are.
func TestPods_AllocationsAreBounded(t *testing.T) {
	allocs := func(pods, first int) float64 {
		c := newLargeCluster(t, 10, pods)
		collector := collect.New(collect.Options{History: c.history})
		canvas, state := draw.New(120, 40), &views.State{Open: views.PodsPane, Cursor: views.Cursor{Selected: first, First: first}}
		query := collect.Query{Open: views.PodsPane, Columns: 120, Rows: 40, First: first}
		return testing.AllocsPerRun(20, func() {
			views.Screen(canvas, collector.Model(c.engine, query), state, draw.Braille, c.now)
		})
	}
	few, many := allocs(1000, 0), allocs(20_000, 19_000)
	if few > 1000 || many > 1.5*few {
		t.Errorf("a frame allocates %v times with 1,000 pods and %v at the end of 20,000", few, many)
	}
	t.Logf("%v and %v allocations", few, many)
}

func BenchmarkPods(b *testing.B) {
	c := newLargeCluster(b, 1000, 100_000)
	collector := collect.New(collect.Options{History: c.history})
	canvas, state := draw.New(120, 40), &views.State{Open: views.PodsPane}
	b.ReportAllocs()
	for b.Loop() {
		m := collector.Model(c.engine, collect.Query{Open: views.PodsPane, Columns: 120, Rows: 120})
		views.Screen(canvas, m, state, draw.Braille, c.now)
	}
}

func BenchmarkPods_Filter(b *testing.B) {
	c := newLargeCluster(b, 1000, 100_000)
	collector := collect.New(collect.Options{History: c.history})
	for _, sort := range []string{"", "state", "cpu"} {
		b.Run(sort, func(b *testing.B) {
			n := 0
			for b.Loop() {
				query := collect.Query{Open: views.PodsPane, Columns: 120, Rows: 120, Sort: sort, Filter: mustFilter(b, "next-0001")}
				for n++; collector.Model(c.engine, query).Filtered.Partial; n++ {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(n), "ms/part")
		})
	}
}
