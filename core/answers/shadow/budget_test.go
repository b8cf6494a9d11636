package shadow

import (
	"testing"
	"time"
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
