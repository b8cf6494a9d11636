package tui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
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

// bodiesTerminal is an orrery of a large cluster on a terminal of 120x40, and the bytes of its frames.
type bodiesTerminal struct {
	testing.TB
	engine    *engine.Engine
	collector *collect.Collector
	canvas    *draw.Canvas
	state     *views.State
	terminal  *celldiff.Writer
	pens      *themes.Pens
	written   writes
	shown     string
	count     int
}

func newBodiesTerminal(t testing.TB, nodes, zones int) *bodiesTerminal {
	const width, height = 120, 40
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	o := &bodiesTerminal{
		TB: t, engine: e, collector: collect.New(collect.Options{}), canvas: draw.New(width, height), written: make(writes, 1),
		state: &views.State{Open: views.OrreryPane, Orbits: &views.Orbits{}}, pens: themes.Shipped()[0].Pens(themes.TrueColor),
	}
	o.terminal = celldiff.New(o.written, width, height, true)
	for i := range nodes {
		o.add(mk.Node(fmt.Sprintf("node-%d", i)).CPU([]string{"8", "16", "32"}[i%7/3]).Memory("64Gi").Zone([]string{"a", "b", "c"}[i%zones]).Obj())
		o.add(mk.Pod(fmt.Sprintf("running-%d", i)).CPU([]string{"1", "3", "5", "7"}[i%4]).Node(fmt.Sprintf("node-%d", i)).Obj())
	}
	if _, err := o.terminal.Write([]byte("\x1b[?1049h")); err != nil {
		t.Fatal(err)
	}
	<-o.written
	o.frame(o.decide(), start) // the whole screen
	return o
}

func (o *bodiesTerminal) add(object world.Object) {
	o.Helper()
	if err := o.engine.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: object}}); err != nil {
		o.Fatal(err)
	}
}

// decide makes a decision, and returns the model after it.
func (o *bodiesTerminal) decide() *views.Model {
	o.Helper()
	o.count++
	o.add(mk.Pod(fmt.Sprintf("pod-%d", o.count)).CPU("2").Obj())
	if d, _ := o.engine.Step(); d == nil || d.Verdict != engine.Placed {
		o.Fatalf("decision %d is %+v", o.count, d)
	}
	o.engine.Effects()
	w, h := o.canvas.Size()
	return o.collector.Model(o.engine, collect.Query{Open: views.OrreryPane, Rows: h, Columns: w, Lines: h})
}

// frame draws a frame, and returns its bytes. One that changes nothing is not written.
func (o *bodiesTerminal) frame(m *views.Model, now time.Time) int {
	o.canvas.Reset(o.canvas.Size())
	views.Screen(o.canvas, m, o.state, draw.Braille, now)
	cells := styledCells(o.canvas, o.pens)
	if cells == o.shown {
		return 0
	}
	o.shown = cells
	o.terminal.Show(o.canvas, o.pens)
	return <-o.written
}

// TestOrrery_LargeClusterBytes makes decisions on large clusters, whose searches move on by hundreds of nodes each, and
// measures the frames: one for each decision, as in a paused recording and on a cluster, and those of the hand's way, as in a
// recording that plays.
func TestOrrery_LargeClusterBytes(t *testing.T) {
	const most, mostInMedian = 4000, 600
	for _, tt := range []struct{ nodes, zones int }{{300, 3}, {1000, 3}, {1000, 1}, {2000, 3}, {5000, 3}} {
		t.Run(fmt.Sprint(tt.nodes, " nodes in ", tt.zones), func(t *testing.T) {
			o := newBodiesTerminal(t, tt.nodes, tt.zones)
			var steps, played []int
			for range 19 {
				steps = append(steps, o.frame(o.decide(), start))
			}
			for round := range 4 {
				m := o.decide()
				m.Timeline, m.Orrery.Since = &views.Timeline{Start: start, End: start.Add(time.Hour), At: start}, time.Second
				if round == 0 { // the timeline's row moves everything
					o.frame(m, m.Orrery.Last.At.Add(time.Minute))
					continue
				}
				for i := range 13 {
					played = append(played, o.frame(m, m.Orrery.Last.At.Add(time.Duration(i)*time.Second/30)))
				}
			}
			slices.Sort(steps)
			slices.Sort(played)
			t.Logf("a decision is %d bytes in the median, %d at most; a frame of one that plays %d, %d at most",
				steps[len(steps)/2], steps[len(steps)-1], played[len(played)/2], played[len(played)-1])
			if steps[len(steps)-1] > most || played[len(played)-1] > most || played[len(played)/2] > mostInMedian {
				t.Errorf("want at most %d bytes, and %d in the median of frames that play", most, mostInMedian)
			}
		})
	}
}
