package engine

import "testing"

// Shows PERF-01, PERF-03, PERF-04, PERF-05, PERF-06, PERF-07, PERF-08, PERF-11, B-6 and C-20.
func TestNumFeasibleNodesToFind(t *testing.T) {
	for _, tc := range []struct{ nodes, percentage, want int }{
		// By default the percentage falls with the size of the cluster.
		{50, 0, 50},
		{99, 0, 99},
		{100, 0, 100},
		{150, 0, 100},
		{200, 0, 100},
		{250, 0, 120},
		{500, 0, 230},
		{1000, 0, 420},
		{2000, 0, 680},
		{5000, 0, 500},
		{5625, 0, 281},
		{6000, 0, 300},
		{10000, 0, 500},
		// A percentage that is set applies, but to at least 100 nodes.
		{80, 10, 80},
		{150, 50, 100},
		{400, 50, 200},
		{1000, 100, 1000},
		{1000, 10, 100},
		{1500, 40, 600},
		{5000, 1, 100},
		{10000, 1, 100},
		{20000, 1, 200},
	} {
		if got := NumFeasibleNodesToFind(tc.nodes, tc.percentage); got != tc.want {
			t.Errorf("of %d nodes at %d%% the search finds %d, want %d", tc.nodes, tc.percentage, got, tc.want)
		}
	}
}

func TestHeapTop_DecidesTiesByPosition(t *testing.T) {
	for _, tc := range []struct {
		scores []int64
		want   int
	}{
		{[]int64{5, 5, 5, 5}, 0},
		{[]int64{1, 3, 3}, 1},
		{[]int64{1, 2, 3, 3}, 3},
		{[]int64{3, 3, 1}, 0},
		{[]int64{2, 1, 3, 3, 3}, 3},
		{[]int64{7}, 0},
	} {
		if got := heapTop(ranked(tc.scores)); got != tc.want {
			t.Errorf("of %v index %d wins, want %d", tc.scores, got, tc.want)
		}
	}
}

// Shows NODE-06.
func TestPick_DrawsOnlyAmongBest(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(64) {
		e, err := New(Options{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		won := e.pick(ranked([]int64{9, 10, 3, 10, 10}), false)
		seen[won] = true
	}
	if len(seen) != 3 || !seen[1] || !seen[3] || !seen[4] {
		t.Errorf("over 64 seeds the winners were %v, want 1, 3 and 4", seen)
	}
}

func TestRunnerUp_IsBestOfOthers(t *testing.T) {
	for _, tc := range []struct {
		scores    []int64
		won, want int
	}{
		{[]int64{5, 9, 7}, 1, 2},
		{[]int64{9, 9}, 1, 0},
		{[]int64{9}, 0, -1},
	} {
		if got := runnerUp(ranked(tc.scores), tc.won); got != tc.want {
			t.Errorf("the runner-up to index %d of %v is %d, want %d", tc.won, tc.scores, got, tc.want)
		}
	}
}

func ranked(totals []int64) []rank {
	list := make([]rank, len(totals))
	for i, total := range totals {
		list[i].total = total
	}
	return list
}
