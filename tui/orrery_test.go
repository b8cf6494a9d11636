package tui

import (
	"fmt"
	"slices"
	"testing"

	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/themes"
	"orrery/tui/term/celldiff"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// writes passes on the sizes of writes.
type writes chan int

func (w writes) Write(p []byte) (int, error) {
	w <- len(p)
	return len(p), nil
}

// TestOrrery_LargeClusterBytes makes decisions on large clusters, whose searches move on by hundreds of nodes each, and
// measures the frames.
func TestOrrery_LargeClusterBytes(t *testing.T) {
	const most, width, height = 4000, 120, 40
	for _, nodes := range []int{300, 1000, 2000, 5000} {
		t.Run(fmt.Sprint(nodes, " nodes"), func(t *testing.T) {
			e, err := engine.New(engine.Options{Start: start})
			if err != nil {
				t.Fatal(err)
			}
			add := func(o world.Object) {
				if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
					t.Fatal(err)
				}
			}
			for i := range nodes {
				add(mk.Node(fmt.Sprintf("node-%d", i)).CPU([]string{"8", "16", "32"}[i%7/3]).Memory("64Gi").Zone([]string{"a", "b", "c"}[i%3]).Obj())
				add(mk.Pod(fmt.Sprintf("running-%d", i)).CPU([]string{"1", "3", "5", "7"}[i%4]).Node(fmt.Sprintf("node-%d", i)).Obj())
			}
			written := make(writes, 1)
			terminal := celldiff.New(written, width, height, true)
			if _, err := terminal.Write([]byte("\x1b[?1049h")); err != nil {
				t.Fatal(err)
			}
			<-written
			pens := themes.Shipped()[0].Pens(themes.TrueColor)
			collector, canvas, state := collect.New(collect.Options{}), draw.New(width, height), &views.State{Open: views.OrreryPane, Orbits: &views.Orbits{}}
			var sizes []int
			for i := range 20 {
				add(mk.Pod(fmt.Sprintf("pod-%d", i)).CPU("2").Obj())
				if d, _ := e.Step(); d == nil || d.Verdict != engine.Placed {
					t.Fatalf("decision %d is %+v", i, d)
				}
				e.Effects()
				canvas.Reset(width, height)
				views.Screen(canvas, collector.Model(e, collect.Query{Open: views.OrreryPane, Rows: height, Columns: width}), state, draw.Braille, start)
				terminal.Show(canvas, pens)
				sizes = append(sizes, <-written)
			}
			sizes = sizes[1:] // the first frame is the whole screen
			slices.Sort(sizes)
			t.Logf("a decision is %d bytes in the median, %d at most", sizes[len(sizes)/2], sizes[len(sizes)-1])
			if got := sizes[len(sizes)-1]; got > most {
				t.Errorf("a decision is %d bytes, want at most %d", got, most)
			}
		})
	}
}
