package compare

import (
	"math"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
)

// samples are what the nodes looked like, now and then.
type samples struct {
	resources []v1.ResourceName
	typical   []weighed
	// At each sample: use and fragmentation of each resource, in the order of resources, and of nodes and queue.
	use, fragments    [][]float64
	spread, deviation []float64
	waiting           []int
	nodes             int // the most there were

	free []int64 // of one node, for its room
}

// weighed is a typical pod: what it asks for, by resource, and its share among those that ask for each resource.
type weighed struct {
	asks   []int64
	shares []float64
}

func newSamples(t *tally) *samples {
	s := &samples{resources: t.resources()}
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
		w := weighed{make([]int64, len(s.resources)), make([]float64, len(s.resources))}
		for i, name := range s.resources {
			if w.asks[i] = a.amounts[name]; w.asks[i] > 0 {
				w.shares[i] = float64(a.pods) / float64(all[i])
			}
		}
		s.typical = append(s.typical, w)
	}
	s.use, s.fragments = make([][]float64, len(s.resources)), make([][]float64, len(s.resources))
	s.free = make([]int64, len(s.resources))
	return s
}

// take looks at the nodes of an engine.
func (s *samples) take(e *engine.Engine, waiting int) {
	n := len(s.resources)
	used, has, free := make([]int64, n), make([]int64, n), make([]int64, n)
	useless := make([]float64, n)
	nodes := 0
	var sum, squares float64
	fullest, emptiest := 0.0, math.Inf(1)
	for info := range e.Cache().Recent() {
		if info.Node() == nil {
			continue
		}
		nodes++
		full := 0.0
		for i, name := range s.resources {
			asked, there := amountIn(info.GetRequested(), name), amountIn(info.GetAllocatable(), name)
			used[i], has[i] = used[i]+asked, has[i]+there
			s.free[i] = max(0, there-asked)
			free[i] += s.free[i]
			full = max(full, ratio(asked, there))
		}
		s.judge(useless)
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
	s.waiting = append(s.waiting, waiting)
	s.nodes = max(s.nodes, nodes)
}

// judge adds what is free on one node and of no use to the typical pods.
func (s *samples) judge(useless []float64) {
	for t := range s.typical {
		w := &s.typical[t]
		if fits(w.asks, s.free) {
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

func amountIn(r fwk.Resource, name v1.ResourceName) int64 {
	switch name {
	case v1.ResourceCPU:
		return r.GetMilliCPU()
	case v1.ResourceMemory:
		return r.GetMemory()
	case v1.ResourceEphemeralStorage:
		return r.GetEphemeralStorage()
	}
	return r.GetScalarResources()[name]
}

func ratio(part, whole int64) float64 {
	if whole <= 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
