package compare_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/answers/compare"
	"orrery/core/world"
)

func TestComparison_SimulatesSeveralSeeds(t *testing.T) {
	inputs := []world.Input{nodes("4", "a", "b", "c", "d")}
	for i := range 4 {
		inputs = append(inputs, arrival(i, pod(fmt.Sprint("small-", i), "1")))
	}
	for i := range 3 {
		inputs = append(inputs, arrival(10+i, pod(fmt.Sprint("large-", i), "4")))
	}
	inputs = append(inputs, world.Input{At: seconds(100), Event: world.Listed{Kind: world.Service}})
	c := compared(t, traceOf(t, inputs...), compare.Options{}, strategy(t, "LeastAllocated"), strategy(t, "MostAllocated"), strategy(t, "LeastAllocated"))
	if c.Seeds != 3 || len(c.Results[0].BySeed) != 3 {
		t.Fatalf("%d seeds, want 3", c.Seeds)
	}
	if best, by, ok := c.FewestWaiting(); best != 1 || by != compare.NeverPlaced || !ok {
		t.Errorf("result %d left the fewest pods waiting by %s (%t), want 1", best, by, ok)
	}
	if all := c.Differences(2); len(all) != 0 {
		t.Errorf("the same configuration differs by %+v", all)
	}
	moved := c.Results[0].BySeed[1][compare.OtherNode] + c.Results[0].BySeed[2][compare.OtherNode]
	if moved == 0 {
		t.Error("no other seed chooses among the four empty nodes in another way")
	}
}

func TestComparison_TellsDifferencesFromChance(t *testing.T) {
	result := func(neverPlaced, mean, moved [3]float64) compare.Result {
		var r compare.Result
		for i := range 3 {
			r.BySeed = append(r.BySeed, compare.Figures{compare.NeverPlaced: neverPlaced[i], compare.PendingMean: mean[i], compare.OtherNode: moved[i]})
		}
		return r
	}
	baseline := result([3]float64{10, 12, 11}, [3]float64{5, 5.5, 5.2}, [3]float64{0, 40, 44})
	for _, tt := range []struct {
		name  string
		other compare.Result
		want  string
	}{
		{"the same figures", baseline, "none"},
		{"fewer pods under every seed", result([3]float64{7, 8, 9}, [3]float64{5, 5.5, 5.2}, [3]float64{0, 40, 44}), "1 by neverPlaced; neverPlaced"},
		{"fewer pods under some seeds", result([3]float64{8, 11, 9}, [3]float64{5, 5.5, 5.2}, [3]float64{0, 40, 44}), "none; neverPlaced within"},
		{"a shorter wait under every seed", result([3]float64{10, 12, 11}, [3]float64{4, 4.2, 4.1}, [3]float64{0, 40, 44}), "1 by pendingMean; pendingMean"},
		{"as many moves as another seed gives", result([3]float64{10, 12, 11}, [3]float64{5, 5.5, 5.2}, [3]float64{42, 40, 41}), "none; onOtherNode within"},
		{"fewer moves than another seed gives", result([3]float64{10, 12, 11}, [3]float64{5, 5.5, 5.2}, [3]float64{3, 40, 41}), "none; onOtherNode within"},
		{"more moves than another seed gives", result([3]float64{10, 12, 11}, [3]float64{5, 5.5, 5.2}, [3]float64{60, 50, 51}), "none; onOtherNode"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := compare.Comparison{Seeds: 3, Results: []compare.Result{baseline, tt.other}}
			got := "none"
			if best, by, ok := c.FewestWaiting(); ok {
				got = fmt.Sprint(best, " by ", by)
			}
			for _, d := range c.Differences(1) {
				got += "; " + d.Measure.String()
				if d.WithinSeeds {
					got += " within"
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
