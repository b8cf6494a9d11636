package compare

import (
	"math"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/price"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/engine"
)

// samples are measurements of the nodes.
type samples struct {
	resources []v1.ResourceName
	typical   []weightedPod
	// At each sample: use and fragmentation by resource, in the order of resources, and the values of nodes and queue.
	use, fragments    [][]float64
	spread, deviation []float64
	pending           []int
	nodes             int // the maximum
	prices            *price.Prices
	used              []price.Sum // nothing without prices

	free []int64 // scratch: of one node
}

// weightedPod is a typical pod: its requests by resource, and its share among the pods that request each resource.
type weightedPod struct {
	requests []int64
	shares   []float64
}

func newSamples(t *requestCounts, prices *price.Prices) *samples {
	s := &samples{resources: t.resources(), prices: prices}
	top := t.top()
	all := make([]int, len(s.resources))
	for i, name := range s.resources {
		for _, a := range top {
			if a.amounts[name] > 0 {
				all[i] += a.pods
			}
		}
	}
	for _, a := range top {
		w := weightedPod{make([]int64, len(s.resources)), make([]float64, len(s.resources))}
		for i, name := range s.resources {
			if w.requests[i] = a.amounts[name]; w.requests[i] > 0 {
				w.shares[i] = float64(a.pods) / float64(all[i])
			}
		}
		s.typical = append(s.typical, w)
	}
	s.use, s.fragments = make([][]float64, len(s.resources)), make([][]float64, len(s.resources))
	s.free = make([]int64, len(s.resources))
	return s
}

// take measures the nodes of an engine.
func (s *samples) take(e *engine.Engine, waiting int) {
	n := len(s.resources)
	used, has, free := make([]int64, n), make([]int64, n), make([]int64, n)
	useless := make([]float64, n)
	nodes := 0
	var sum, squares float64
	fullest, emptiest := 0.0, math.Inf(1)
	for info := range e.Cache().RecentlyChanged() {
		if info.Node() == nil {
			continue
		}
		nodes++
		full := 0.0
		for i, name := range s.resources {
			asked, there := requests.AmountIn(info.GetRequested(), name), requests.AmountIn(info.GetAllocatable(), name)
			used[i], has[i] = saturating.Add(used[i], asked), saturating.Add(has[i], there)
			s.free[i] = max(0, saturating.Sub(there, asked))
			free[i] = saturating.Add(free[i], s.free[i])
			full = max(full, ratio(asked, there))
		}
		s.addFragmentation(useless)
		fullest, emptiest = max(fullest, full), min(emptiest, full)
		sum, squares = sum+full, squares+full*full
	}
	for i := range s.resources {
		s.use[i] = append(s.use[i], ratio(used[i], has[i]))
		if free[i] > 0 {
			useless[i] /= float64(free[i])
		}
		s.fragments[i] = append(s.fragments[i], useless[i])
	}
	spread, deviation := 0.0, 0.0
	if nodes > 0 {
		mean := sum / float64(nodes)
		spread, deviation = fullest-emptiest, math.Sqrt(max(0, squares/float64(nodes)-mean*mean))
	}
	s.spread, s.deviation = append(s.spread, spread), append(s.deviation, deviation)
	if s.prices != nil {
		s.used = append(s.used, priceOfUsed(e, s.prices))
	}
	s.pending = append(s.pending, waiting)
	s.nodes = max(s.nodes, nodes)
}

// addFragmentation adds the free resources of one node that typical pods cannot use, weighted by their shares.
func (s *samples) addFragmentation(useless []float64) {
	for t := range s.typical {
		w := &s.typical[t]
		if fits(w.requests, s.free) {
			continue
		}
		for i, share := range w.shares {
			useless[i] += share * float64(s.free[i])
		}
	}
}

func fits(asks, free []int64) bool {
	for i, n := range asks {
		if n > free[i] {
			return false
		}
	}
	return true
}

func ratio(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
