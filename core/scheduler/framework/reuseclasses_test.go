package framework_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

// classesOf has a class for each node of a list.
func classesOf(nodes int) *reuse.Classes {
	var c reuse.Classes
	c.Reset(nodes)
	for position := range nodes {
		c.Put(int32(position), []byte{byte(position)})
	}
	return &c
}

// classFilter is a Filter plugin that evaluates classes of nodes.
type classFilter struct {
	filter
	evaluate func() (framework.ClassVerdicts, bool)
}

func (f classFilter) FilterClasses(fwk.CycleState) (framework.ClassVerdicts, bool) {
	return f.evaluate()
}

// However a plugin evaluates, by classes or one by one because it cannot or panics, the verdicts and the counts of its calls are the
// same.
func TestReuse_ClassVerdictsAreThoseOfFilter(t *testing.T) {
	no := []*fwk.Status{fwk.NewStatus(fwk.Unschedulable, "not this one"), fwk.NewStatus(fwk.Unschedulable, "no")}
	for _, row := range []struct {
		name     string
		evaluate func() (framework.ClassVerdicts, bool)
		calls    int // of Filter, in three cycles, of which the first has no table
	}{
		{"by classes", func() (framework.ClassVerdicts, bool) {
			return framework.ClassVerdicts{Classes: classesOf(3), Verdicts: []uint8{0, 0, 2}, Rejections: no}, true
		}, 0},
		{"it cannot", func() (framework.ClassVerdicts, bool) { return framework.ClassVerdicts{}, false }, 4},
		{"it panics", func() (framework.ClassVerdicts, bool) { panic("broken") }, 4},
		{"too few verdicts", func() (framework.ClassVerdicts, bool) {
			return framework.ClassVerdicts{Classes: classesOf(3), Verdicts: []uint8{0, 0}}, true
		}, 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log []string
			world := nodes("a", "b", "c")
			local := localFilter{filter: filter{fake: fake{"Local", &log}, status: rejecting("b")}}
			many := classFilter{filter{fake: fake{"Many", &log}, status: rejecting("c")}, row.evaluate}
			last := filter{fake: fake{"Last", &log}}
			p := profile(t, framework.Options{Snapshot: world}, local, many, last)
			calls := 0
			for range 3 {
				statuses, called := filterAll(t, p, web, world, []int64{1, 2, 3}, &log)
				if statuses == nil {
					continue
				}
				want := []string{"Success", "Unschedulable by Local: no", "Unschedulable by Many: no"}
				if diff := cmp.Diff(want, statuses); diff != "" {
					t.Errorf("statuses (-want +got):\n%s", diff)
				}
				for _, call := range called {
					if call == "Filter Many" {
						calls++
					}
				}
			}
			if calls != row.calls {
				t.Errorf("Filter was called %d times, want %d", calls, row.calls)
			}
			counts := map[string]string{}
			for _, c := range p.Counts() {
				if c.Point == framework.Filter {
					counts[c.Plugin] = fmt.Sprintf("%d calls, %d rejections", c.Calls, c.Rejections)
				}
			}
			want := map[string]string{"Local": "6 calls, 2 rejections", "Many": "4 calls, 2 rejections", "Last": "2 calls, 0 rejections"}
			if diff := cmp.Diff(want, counts); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// classScore is a Score plugin that scores classes of nodes.
type classScore struct {
	score
	all func(feasible *reuse.Found) (reuse.Scores, bool)
}

func (s classScore) ScoreClasses(_ fwk.CycleState, feasible *reuse.Found) (reuse.Scores, bool) {
	return s.all(feasible)
}

// A plugin that cannot score classes, fails to, or gives scores that are none, scores one by one.
func TestTotals_OfClassScores(t *testing.T) {
	world := nodes("a", "b")
	scores := func(scores ...int64) func(*reuse.Found) (reuse.Scores, bool) {
		return func(feasible *reuse.Found) (reuse.Scores, bool) {
			classes := classesOf(2)
			return reuse.Scores{Classes: classes, Present: feasible.Present(classes, nil), Score: scores}, true
		}
	}
	for name, all := range map[string]func(*reuse.Found) (reuse.Scores, bool){
		"by classes":      scores(30, 60),
		"it cannot":       func(*reuse.Found) (reuse.Scores, bool) { return reuse.Scores{}, false },
		"it panics":       func(*reuse.Found) (reuse.Scores, bool) { panic("broken") },
		"too high":        scores(30, 101),
		"too low":         scores(-1, 60),
		"too few of them": scores(30),
	} {
		t.Run(name, func(t *testing.T) {
			p := profile(
				t, framework.Options{Snapshot: world},
				classScore{score{fake: fake{name: "Many"}, scores: map[string]int64{"a": 30, "b": 60}}, all},
				localScore{score{fake: fake{name: "Local"}, scores: map[string]int64{"a": 7, "b": 5}}},
			)
			state := framework.NewCycleState()
			list := placed{world, []int64{1, 2}}
			p.Reuse(state, web, list)
			r := p.Reuse(state, web, list)
			searchAll(r, world)
			totals, status, ok := r.Totals(world)
			if !ok || !status.IsSuccess() || !slices.Equal(totals, []int64{37, 65}) {
				t.Errorf("the totals are %v, %s, usable: %v", totals, describe(status), ok)
			}
			for _, c := range p.Counts() {
				if c.Point == framework.Score && c.Calls != 2 {
					t.Errorf("%s has %d calls, want 2", c.Plugin, c.Calls)
				}
			}
		})
	}
}

// Scores without classes are zero for all nodes, and no node is asked.
func TestTotals_OfNoClassesAreZero(t *testing.T) {
	world := nodes("a", "b")
	none := func(*reuse.Found) (reuse.Scores, bool) { return reuse.Scores{}, true }
	p := profile(
		t, framework.Options{Snapshot: world},
		classScore{score{fake: fake{name: "Many"}, scores: map[string]int64{"a": 30, "b": 60}}, none},
		localScore{score{fake: fake{name: "Local"}, scores: map[string]int64{"a": 7, "b": 5}}},
	)
	state := framework.NewCycleState()
	list := placed{world, []int64{1, 2}}
	p.Reuse(state, web, list)
	r := p.Reuse(state, web, list)
	searchAll(r, world)
	totals, status, ok := r.Totals(world)
	if !ok || !status.IsSuccess() || !slices.Equal(totals, []int64{7, 5}) {
		t.Errorf("the totals are %v, %s, usable: %v", totals, describe(status), ok)
	}
	for _, c := range p.Counts() {
		if c.Point == framework.Score && c.Calls != 2 {
			t.Errorf("%s has %d calls, want 2", c.Plugin, c.Calls)
		}
	}
}
