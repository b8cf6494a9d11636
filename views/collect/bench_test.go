package collect_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
	"orrery/views/filter"
)

// largeCluster is a cluster with many nodes and pending pods: most were not attempted yet, others wait for a missing claim
// or are gated.
type largeCluster struct {
	testing.TB
	engine  *engine.Engine
	history *collect.History
	now     time.Time
	count   int
}

func newLargeCluster(t testing.TB, nodes, pods int) *largeCluster {
	t.Helper()
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	c := &largeCluster{TB: t, engine: e, history: collect.NewHistory(collect.HistoryOptions{}), now: start}
	for i := range nodes {
		c.add(mk.Node(fmt.Sprintf("node-%05d", i)).Zone(fmt.Sprintf("zone-%d", i%3)).CPU("64").Memory("256Gi").Pods("1000").Obj())
	}
	for i := range pods / 5 {
		c.add(mk.Pod(fmt.Sprintf("stuck-%06d", i)).Namespace(fmt.Sprintf("team-%d", i%7)).Label("app", "stuck").PVC("absent").Obj())
	}
	c.decide(pods / 5)
	for i := range pods / 5 {
		c.add(mk.Pod(fmt.Sprintf("gated-%06d", i)).Namespace(fmt.Sprintf("team-%d", i%7)).Gate("hold").Obj())
	}
	for i := range 100 {
		c.add(mk.Pod(fmt.Sprintf("first-%06d", i)).CPU("100m").Priority(1).Obj())
	}
	c.decide(100)
	for i := range pods - 2*(pods/5) {
		c.add(mk.Pod(fmt.Sprintf("next-%06d", i)).Namespace(fmt.Sprintf("team-%d", i%7)).CPU("100m").Memory("64Mi").Label("app", fmt.Sprint("web-", i%50)).Obj())
	}
	return c
}

func (c *largeCluster) apply(event world.Event) {
	in := world.Input{At: c.now, Event: event}
	err := c.engine.Apply(in)
	if c.history.Applied(in, err); err != nil {
		c.Fatal(err)
	}
}

func (c *largeCluster) add(o world.Object) { c.apply(world.Changed{Op: world.Added, Object: o}) }

// decide makes n decisions and completes their effects.
func (c *largeCluster) decide(n int) {
	for range n {
		d, ok := c.engine.Step()
		if !ok {
			return
		}
		c.history.Stepped(d)
		for _, effect := range c.engine.Effects() {
			c.history.Emitted(effect)
			if world.HasOutcome(effect.Action) {
				c.apply(world.EffectDone{Effect: effect.ID})
			}
		}
		c.engine.Effects()
	}
}

// arrive creates a pod, places it and confirms its binding, at five thousand a second.
func (c *largeCluster) arrive(observed bool) {
	c.count++
	c.now = c.now.Add(200 * time.Microsecond)
	pod := mk.Pod(fmt.Sprintf("web-%d", c.count)).CPU("10m").Memory("1Mi").Priority(10).Obj()
	apply := func(event world.Event) {
		in := world.Input{At: c.now, Event: event}
		err := c.engine.Apply(in)
		if err != nil {
			c.Fatal(err)
		}
		if observed {
			c.history.Applied(in, err)
		}
	}
	apply(world.Changed{Op: world.Added, Object: pod})
	d, ok := c.engine.Step()
	if !ok || d.Verdict != engine.Placed {
		c.Fatalf("%s was not placed: %+v", pod.Name, d)
	}
	if observed {
		c.history.Stepped(d)
	}
	bound := *pod
	bound.Spec.NodeName = d.Node
	for _, effect := range c.engine.Effects() {
		if observed {
			c.history.Emitted(effect)
		}
		apply(world.EffectDone{Effect: effect.ID})
	}
	c.engine.Effects()
	apply(world.Changed{Op: world.Modified, Object: &bound})
	apply(world.Changed{Op: world.Deleted, Object: &bound})
}

// BenchmarkDashboard is one frame of the overview: its model and its drawing.
func BenchmarkDashboard(b *testing.B) {
	for _, size := range [][2]int{{120, 40}, {240, 70}} {
		for _, pods := range []int{1000, 100_000} {
			b.Run(fmt.Sprintf("%dx%d/pods=%d", size[0], size[1], pods), func(b *testing.B) {
				c := newLargeCluster(b, 5000, pods)
				collector := collect.New(collect.Options{History: c.history})
				canvas := draw.New(size[0], size[1])
				state := &views.State{Focus: views.QueuePane}
				b.ReportAllocs()
				for b.Loop() {
					m := collector.Model(c.engine, collect.Query{Open: views.Overview, Columns: size[0], Rows: size[1]})
					views.Screen(canvas, m, state, draw.Braille, c.now)
				}
			})
		}
	}
}

// BenchmarkDashboardWhileDeciding is BenchmarkDashboard with a hundred pods placed before each frame, which is not timed.
func BenchmarkDashboardWhileDeciding(b *testing.B) {
	c := newLargeCluster(b, 5000, 100_000)
	collector := collect.New(collect.Options{History: c.history})
	canvas := draw.New(120, 40)
	state := &views.State{Focus: views.QueuePane}
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		for range 100 {
			c.arrive(true)
		}
		b.StartTimer()
		m := collector.Model(c.engine, collect.Query{Open: views.Overview, Columns: 120, Rows: 40})
		views.Screen(canvas, m, state, draw.Braille, c.now)
	}
}

// BenchmarkPane is one model of each pane with 100,000 pending pods, at the head of its list and far down.
func BenchmarkPane(b *testing.B) {
	for name, pane := range map[string]views.PaneID{
		"queue": views.QueuePane, "snapshot": views.SnapshotPane, "zones": views.ZonesPane, "orrery": views.OrreryPane, "decisions": views.DecisionsPane,
		"plugins": views.PluginsPane, "metrics": views.MetricsPane,
	} {
		for _, first := range []int{0, 30_000, 90_000} {
			if pane != views.QueuePane && first > 0 {
				continue
			}
			b.Run(fmt.Sprintf("%s/first=%d", name, first), func(b *testing.B) {
				c := newLargeCluster(b, 5000, 100_000)
				collector := collect.New(collect.Options{History: c.history})
				b.ReportAllocs()
				for b.Loop() {
					collector.Model(c.engine, collect.Query{Open: pane, First: first, Rows: 60, Columns: 120})
				}
			})
		}
	}
}

// BenchmarkExplain is one diagnosis of a pod, which forks the engine.
func BenchmarkExplain(b *testing.B) {
	c := newLargeCluster(b, 5000, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		collector := collect.New(collect.Options{History: c.history})
		collector.Model(c.engine, collect.Query{Open: views.ExplainPane, Rows: 60, Pod: world.PodRef{Namespace: "team-1", Name: "next-000001"}})
	}
}

// BenchmarkKeystroke is a new filter on 100,000 rows: the slowest of the calls until the whole list was
// filtered.
func BenchmarkKeystroke(b *testing.B) {
	for _, text := range []string{"next-0001", "-l app=web-7", "!stuck -n team-3", "~nx12", "next-.*7$"} {
		for _, sort := range []string{"", "name"} {
			b.Run(text+"/"+sort, func(b *testing.B) {
				c := newLargeCluster(b, 5000, 100_000)
				collector := collect.New(collect.Options{History: c.history})
				var slowest time.Duration
				b.ResetTimer()
				for range b.N {
					f, err := filter.Parse(text)
					if err != nil {
						b.Fatal(err)
					}
					for partial := true; partial; {
						before := b.Elapsed()
						m := collector.Model(c.engine, collect.Query{Open: views.QueuePane, Rows: 60, Filter: f, Sort: sort})
						slowest = max(slowest, b.Elapsed()-before)
						partial = m.Filtered.Partial
					}
				}
				b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
			})
		}
	}
}

// BenchmarkHistory is one pod from creation to deletion on 5,000 nodes, with a history and without.
func BenchmarkHistory(b *testing.B) {
	for _, observed := range []bool{false, true} {
		b.Run(fmt.Sprint("observed=", observed), func(b *testing.B) {
			c := newLargeCluster(b, 5000, 0)
			b.ReportAllocs()
			for b.Loop() {
				c.arrive(observed)
			}
		})
	}
}

// BenchmarkHistoryFork is a player's cost for each point that it can seek to.
func BenchmarkHistoryFork(b *testing.B) {
	c := newLargeCluster(b, 5000, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		c.history.Fork()
	}
}

// Pods are created and deleted through hours of virtual time: engine and history stop growing.
func TestHistory_IsBounded(t *testing.T) {
	c := newLargeCluster(t, 10, 0)
	pass := func(pods int) int64 {
		for range pods {
			c.arrive(true)
			c.now = c.now.Add(500 * time.Millisecond)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := pass(20_000) // until the log of transitions is full
	if grown := pass(10_000) - before; grown > 1<<20 {
		t.Errorf("in more than an hour engine and history grew by %d KiB", grown>>10)
	}
	runtime.KeepAlive(c)
}

// A frame's allocations do not depend on the number of pending pods.
func TestModel_AllocationsAreBounded(t *testing.T) {
	allocs := func(pods int) float64 {
		c := newLargeCluster(t, 1000, pods)
		collector := collect.New(collect.Options{History: c.history})
		canvas, state := draw.New(120, 40), &views.State{Focus: views.QueuePane}
		return testing.AllocsPerRun(20, func() {
			m := collector.Model(c.engine, collect.Query{Open: views.Overview, Columns: 120, Rows: 40})
			views.Screen(canvas, m, state, draw.Braille, c.now)
		})
	}
	few, many := allocs(1000), allocs(20_000)
	if few > 300 || many > 300 || many > 1.2*few {
		t.Errorf("a frame allocates %v times with 1,000 pods and %v with 20,000, want at most 300 and 20%% more", few, many)
	}
}
