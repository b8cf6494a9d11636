package noderesources

import (
	"math"

	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// strategy turns what a node would hold with the pod on it into a score.
type strategy struct {
	kind      configv1.ScoringStrategyType
	shape     []point
	resources []weighed
}

// weighed is a resource that a strategy looks at.
type weighed struct {
	name   v1.ResourceName
	weight int64
	scalar bool
}

// point is a corner of a RequestedToCapacityRatio shape, with the score on the scale of 0 to 100.
type point struct{ utilization, score int64 }

// newStrategy takes args that have been validated: the type is one of the three, and a ratio has a shape.
func newStrategy(args *configv1.ScoringStrategy) strategy {
	s := strategy{kind: args.Type, resources: newWeighed(args.Resources)}
	if args.Type == configv1.RequestedToCapacityRatio {
		for _, p := range args.RequestedToCapacityRatio.Shape {
			s.shape = append(s.shape, point{int64(p.Utilization), int64(p.Score) * (fwk.MaxNodeScore / 10)})
		}
	}
	return s
}

func newWeighed(specs []configv1.ResourceSpec) []weighed {
	resources := make([]weighed, len(specs))
	for i, spec := range specs {
		name := v1.ResourceName(spec.Name)
		resources[i] = weighed{name: name, weight: spec.Weight, scalar: isScalar(name)}
	}
	return resources
}

// amounts are what a node has of a resource and what it would hold of it with the pod. Nothing to have means that the
// resource plays no part: the node lacks it, or it is a scalar that the pod does not ask for. base is what the node's
// pods count for in cpu and memory.
func (w *weighed) amounts(node fwk.NodeInfo, base fwk.Resource, pod int64) (there, held int64) {
	if w.scalar && pod == 0 {
		return 0, 0
	}
	switch w.name {
	case v1.ResourceCPU:
		return node.GetAllocatable().GetMilliCPU(), plus(base.GetMilliCPU(), pod)
	case v1.ResourceMemory:
		return node.GetAllocatable().GetMemory(), plus(base.GetMemory(), pod)
	case v1.ResourceEphemeralStorage:
		return node.GetAllocatable().GetEphemeralStorage(), plus(node.GetRequested().GetEphemeralStorage(), pod)
	}
	there, ok := node.GetAllocatable().GetScalarResources()[w.name]
	if !ok {
		return 0, 0
	}
	return there, plus(node.GetRequested().GetScalarResources()[w.name], pod)
}

// score is the weighted mean of the resources' scores; pod has the pod's amounts in the order of the resources.
func (s *strategy) score(node fwk.NodeInfo, pod []int64) int64 {
	base := node.GetNonZeroRequested()
	var sum, weights int64
	for i := range s.resources {
		w := &s.resources[i]
		there, held := w.amounts(node, base, pod[i])
		if there == 0 {
			continue
		}
		one := s.one(there, held)
		if s.kind == configv1.RequestedToCapacityRatio && one <= 0 {
			continue // a resource that scores nothing does not pull the others down
		}
		sum += one * w.weight
		weights += w.weight
	}
	return s.mean(sum, weights)
}

// one is the score of one resource.
func (s *strategy) one(there, held int64) int64 {
	over := held > there
	switch {
	case s.kind == configv1.RequestedToCapacityRatio && over:
		return s.at(100)
	case s.kind == configv1.RequestedToCapacityRatio:
		return s.at(percent(held, there))
	case s.kind == configv1.MostAllocated && over:
		return fwk.MaxNodeScore
	case s.kind == configv1.MostAllocated:
		return percent(held, there)
	case over:
		return fwk.MinNodeScore
	}
	return percent(there-held, there)
}

// at interpolates the shape in whole numbers; the slope of a segment is rounded towards zero.
func (s *strategy) at(utilization int64) int64 {
	for i, p := range s.shape {
		if utilization > p.utilization {
			continue
		}
		if i == 0 {
			return p.score
		}
		from := s.shape[i-1]
		return from.score + (p.score-from.score)*(utilization-from.utilization)/(p.utilization-from.utilization)
	}
	return s.shape[len(s.shape)-1].score
}

func (s *strategy) mean(sum, weights int64) int64 {
	switch {
	case weights == 0:
		return 0
	case s.kind == configv1.RequestedToCapacityRatio:
		return int64(math.Round(float64(sum) / float64(weights)))
	}
	return sum / weights
}
