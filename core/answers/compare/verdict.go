package compare

import (
	"cmp"
	"slices"
)

const (
	// maxSeeds is how often each configuration is simulated at most, each time with another seed.
	//
	//orrery:limit answers; seeds of a comparison; there are no more
	maxSeeds = 3
	// maxSeedDecisions bounds the decisions of all simulations together; a comparison that needs more for one round has
	// one seed only.
	//
	//orrery:limit answers; decisions of all seeds of a comparison together; one seed is compared
	maxSeedDecisions = 200_000
)

// Measure is a figure of a result that the verdict compares. Less of each is better.
type Measure uint8

// The measures. Durations are in seconds, Fragmentation is a share.
const (
	NeverPlaced Measure = iota
	PendingMean
	PendingP99
	Victims
	OtherNode
	Fragmentation
	measures
)

func (m Measure) String() string {
	return [...]string{"neverPlaced", "pendingMean", "pendingP99", "victims", "onOtherNode", "fragmentation"}[m]
}

// Figures are a result's measures.
type Figures [measures]float64

func (r *Result) figures() Figures {
	return Figures{
		float64(r.NeverPlaced), r.Pending.Mean.Seconds(), r.Pending.P99.Seconds(), float64(r.Victims), float64(r.OtherNode), r.Fragmentation,
	}
}

// Range is a figure under the trace's own seed, and the least and most that the seeds gave.
type Range struct{ Value, Low, High float64 }

// rangeOf returns the range of a measure over the seeds. The baseline's own seed moves no pod, so the range of pods on
// other nodes starts with the second.
func (r *Result) rangeOf(m Measure, baseline bool) Range {
	seeds := r.BySeed
	if m == OtherNode && baseline && len(seeds) > 1 {
		seeds = seeds[1:]
	}
	out := Range{r.BySeed[0][m], seeds[0][m], seeds[0][m]}
	for _, f := range seeds {
		out.Low, out.High = min(out.Low, f[m]), max(out.High, f[m])
	}
	return out
}

// Difference is a figure of a configuration beside that of another one.
type Difference struct {
	Measure Measure
	Is, Was Range // of the configuration, and of the other one
	// WithinSeeds says that another seed alone would explain it: the ranges overlap.
	WithinSeeds bool
}

// Differences returns the figures of a result that are not those of the first one.
func (c *Comparison) Differences(result int) []Difference {
	var all []Difference
	for m := range measures {
		d := Difference{Measure: m, Is: c.Results[result].rangeOf(m, result == 0), Was: c.Results[0].rangeOf(m, true)}
		if d.Is.Value == d.Was.Value {
			continue
		}
		d.WithinSeeds = c.Seeds > 1 && d.Is.Low <= d.Was.High && (d.Was.Low <= d.Is.High || m == OtherNode)
		all = append(all, d)
	}
	return all
}

// FewestWaiting returns the result that left the fewest pods without a node, or among equals the one whose pods waited
// least: by says which of the two it is. It is false if another result is as good for some seed.
func (c *Comparison) FewestWaiting() (result int, by Measure, ok bool) {
	order := make([]int, len(c.Results))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := c.Results[a].BySeed[0], c.Results[b].BySeed[0]
		return cmp.Or(cmp.Compare(x[NeverPlaced], y[NeverPlaced]), cmp.Compare(x[PendingMean], y[PendingMean]))
	})
	best := &c.Results[order[0]]
	for _, other := range order[1:] {
		switch other := &c.Results[other]; {
		case best.isLess(NeverPlaced, other):
		case best.isLess(PendingMean, other):
			by = PendingMean
		default:
			return order[0], by, false
		}
	}
	return order[0], by, len(order) > 1
}

// isLess reports whether a measure is less than that of another result, whatever the seed.
func (r *Result) isLess(m Measure, other *Result) bool {
	return r.rangeOf(m, false).High < other.rangeOf(m, false).Low
}
