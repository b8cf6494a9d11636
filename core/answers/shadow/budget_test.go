package shadow

import (
	"testing"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// What explanations cost is bounded over time, with many nodes and with many pods.
func TestBudget_BoundsExplanationsOverTime(t *testing.T) {
	for _, row := range []struct {
		name        string
		nodes, pods int
		want        int // explanations in a minute with a difference each millisecond: 35.6 million nodes, by the nodes of each
	}{
		{"a small cluster", 10, 100, 60_000},
		{"many pods on few nodes", 100, 10_000, 879},
		{"many nodes", 5000, 0, 1425},
		{"a large cluster", 5000, 100_000, 83},
		{"more pods than there are savings for", 100_000, 2_000_000, 8},
	} {
		t.Run(row.name, func(t *testing.T) {
			var budget rankingBudget
			now, explained := time.Unix(0, 0), 0
			for range 60_000 {
				if budget.allow(now, row.nodes, row.pods) > 0 {
					explained++
					budget.nodes = max(budget.nodes-minRankings*row.nodes, 0)
				}
				now = now.Add(time.Millisecond)
			}
			if explained != row.want {
				t.Errorf("%d explanations, want %d", explained, row.want)
			}
		})
	}
}

// A difference for which no budget is left says that no explanation was looked for: another scheduler is not told apart from many
// differences at once, as there are when an overloaded machine sees a burst as one.
func TestBudget_DifferencesWithoutItAreUnsearched(t *testing.T) {
	begin := time.Unix(1_000_000, 0)
	for _, row := range []struct {
		name   string
		budget rankingBudget
		want   Counters
	}{
		{"with a budget", rankingBudget{}, Counters{Explained: 1}},
		{"without", rankingBudget{at: begin.Add(time.Hour)}, Counters{Differs: 1, Unsearched: 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			j, err := NewComparator(Options{Engine: engine.Options{Start: begin}})
			if err != nil {
				t.Fatal(err)
			}
			j.budget = row.budget
			at := begin
			see := func(after time.Duration, event world.Event) {
				at = at.Add(after)
				j.Apply(world.Input{At: at, Event: event})
			}
			see(0, world.Changed{Object: mk.Node("low").CPU("2").Memory("4Gi").Pods("10").Obj()})
			see(0, world.Changed{Object: mk.Pod("web").CPU("1").Obj()})
			see(time.Second, world.Changed{Object: mk.Node("big").CPU("64").Memory("256Gi").Pods("10").Obj()})
			see(10*time.Millisecond, world.Changed{Op: world.Modified, Object: mk.Pod("web").CPU("1").Node("low").Obj()})
			see(time.Minute, world.Tick{})
			if got := j.Counters(); got != row.want {
				t.Errorf("counters %+v, want %+v", got, row.want)
			}
			for f := range j.Findings() {
				if f.Unsearched != (row.want.Unsearched > 0) || f.Unsearched && len(f.Causes) > 0 {
					t.Errorf("%+v", f)
				}
			}
		})
	}
}
