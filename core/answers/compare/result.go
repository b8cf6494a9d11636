package compare

import (
	"math"
	"slices"
	"time"

	"orrery/core/objects/saturating"
)

// result computes the numbers of a finished simulation.
func (s *simulation) result(name string) Result {
	r := Result{
		Name: name, Placements: s.counts.placements, Decisions: s.counts.decisions,
		Preemptions: s.counts.preemptions, Victims: s.counts.victims,
		Spread: mean(s.samples.spread), Deviation: mean(s.samples.deviation), PendingSeries: s.samples.pending,
		Price: s.samples.price(),
	}
	waits := make([]time.Duration, 0, len(s.outcomes))
	for _, f := range s.outcomes {
		if f.firstPlaced.IsZero() {
			r.NeverPlaced++
			continue
		}
		waits = append(waits, f.firstPlaced.Sub(f.arrived))
	}
	slices.Sort(waits)
	r.Pending = pending(waits)
	r.FragmentationSeries = make([]float64, len(s.samples.spread))
	for i, name := range s.samples.resources {
		use, fragments := s.samples.use[i], s.samples.fragments[i]
		r.Resources = append(r.Resources, Resource{
			Name: name, Mean: mean(use), Peak: maximum(use), Series: use, Fragmentation: mean(fragments),
		})
		for j, f := range fragments {
			r.FragmentationSeries[j] += f / float64(len(s.samples.resources))
		}
	}
	r.Fragmentation = mean(r.FragmentationSeries)
	return r
}

// pending returns the mean and quantiles of sorted times.
func pending(waits []time.Duration) Pending {
	p := Pending{Pods: len(waits)}
	if p.Pods == 0 {
		return p
	}
	var sum float64
	for _, w := range waits {
		sum += float64(w)
	}
	p.Mean = time.Duration(saturating.Truncate(sum / float64(p.Pods)))
	p.P50, p.P90, p.P99, p.Max = quantile(waits, 0.5), quantile(waits, 0.9), quantile(waits, 0.99), waits[p.Pods-1]
	return p
}

// quantile returns the smallest of sorted times that a share of them does not exceed.
func quantile(sorted []time.Duration, share float64) time.Duration {
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}

func mean(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(len(all))
}

func maximum(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	return slices.Max(all)
}
