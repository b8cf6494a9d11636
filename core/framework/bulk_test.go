package framework_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	fwk "k8s.io/kube-scheduler/framework"
	"pgregory.net/rapid"

	"orrery/core/framework"
	"orrery/core/reuse"
)

// bulkFilter is a Filter plugin that judges many nodes at once.
type bulkFilter struct {
	filter
	judge func(places []reuse.Place, verdicts []uint8) ([]*fwk.Status, bool)
}

func (f bulkFilter) FilterPlaces(_ fwk.CycleState, places []reuse.Place, verdicts []uint8) ([]*fwk.Status, bool) {
	return f.judge(places, verdicts)
}

// However a plugin judges, at once or one by one because it cannot or panics, the verdicts and the counts of its calls are the
// same.
func TestReuse_BulkVerdictsAreThoseOfFilter(t *testing.T) {
	no := []*fwk.Status{fwk.NewStatus(fwk.Unschedulable, "not this one"), fwk.NewStatus(fwk.Unschedulable, "no")}
	for _, row := range []struct {
		name  string
		judge func(places []reuse.Place, verdicts []uint8) ([]*fwk.Status, bool)
		calls int // of Filter, in three cycles, of which the first has no table
	}{
		{"at once", func(places []reuse.Place, verdicts []uint8) ([]*fwk.Status, bool) {
			for i := range places {
				if places[i].Number == 2 {
					verdicts[i] = 2
				}
			}
			return no, true
		}, 0},
		{"it cannot", func(_ []reuse.Place, verdicts []uint8) ([]*fwk.Status, bool) {
			verdicts[0] = 1 // is of no account
			return no, false
		}, 4},
		{"it panics", func([]reuse.Place, []uint8) ([]*fwk.Status, bool) { panic("broken") }, 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			var log []string
			world := nodes("a", "b", "c")
			local := localFilter{filter: filter{fake: fake{"Local", &log}, status: rejecting("b")}}
			many := bulkFilter{filter{fake: fake{"Many", &log}, status: rejecting("c")}, row.judge}
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

// bulkScore is a Score plugin that scores many nodes at once.
type bulkScore struct {
	score
	all func(places []reuse.Place, scores []int64) bool
}

func (s bulkScore) ScorePlaces(_ fwk.CycleState, places []reuse.Place, scores []int64) bool {
	return s.all(places, scores)
}

// A plugin that cannot score all nodes at once, fails to, or gives scores that are none, scores one by one.
func TestTotals_OfBulkScores(t *testing.T) {
	world := nodes("a", "b")
	for name, all := range map[string]func(places []reuse.Place, scores []int64) bool{
		"at once":     func(_ []reuse.Place, scores []int64) bool { copy(scores, []int64{30, 60}); return true },
		"it cannot":   func([]reuse.Place, []int64) bool { return false },
		"it panics":   func([]reuse.Place, []int64) bool { panic("broken") },
		"too high":    func(_ []reuse.Place, scores []int64) bool { copy(scores, []int64{30, 101}); return true },
		"too low":     func(_ []reuse.Place, scores []int64) bool { copy(scores, []int64{-1, 60}); return true },
		"of no place": func(places []reuse.Place, scores []int64) bool { scores[len(places)] = 0; return true },
	} {
		t.Run(name, func(t *testing.T) {
			p := profile(
				t, framework.Options{Snapshot: world},
				bulkScore{score{fake: fake{name: "Many"}, scores: map[string]int64{"a": 30, "b": 60}}, all},
				localScore{score{fake: fake{name: "Local"}, scores: map[string]int64{"a": 7, "b": 5}}},
			)
			state := framework.NewCycleState()
			list := placed{world, []int64{1, 2}}
			p.Reuse(state, web, list)
			totals, status, ok := p.Reuse(state, web, list).Totals(ctx, world, list.Places())
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

// Whether the scores are close together or far apart, each is replaced by what the function makes of it; those that are not
// between the smallest and the largest stay.
func TestScoreConversion_IsThatOfEachScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var conversion framework.ScoreConversion
		for range 3 {
			most := rapid.SampledFrom([]int64{0, 2, 9, 1 << 40}).Draw(t, "most")
			scores := rapid.SliceOfN(rapid.Int64Range(-most, most), 0, 30).Draw(t, "scores")
			from, to := rapid.Int64Range(-most, most).Draw(t, "from"), rapid.Int64Range(-most, most).Draw(t, "to")
			of := func(score int64) int64 { return score*3 + 1 }
			want := slices.Clone(scores)
			for i, score := range want {
				if score >= from && score <= to {
					want[i] = of(score)
				}
			}
			conversion.Convert(scores, from, to, of)
			if diff := cmp.Diff(want, scores); diff != "" {
				t.Fatalf("from %d to %d (-want +got):\n%s", from, to, diff)
			}
		}
	})
}
