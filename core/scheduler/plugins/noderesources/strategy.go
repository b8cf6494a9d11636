package noderesources

import (
	"math"

	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/plugins/shape"
)

// strategy scores the amounts that a node would have in use with the pod.
type strategy struct {
	kind      configv1.ScoringStrategyType
	shape     shape.Function
	resources []weightedResource
}

// weightedResource is a resource of a strategy with its weight.
type weightedResource struct {
	name   v1.ResourceName
	weight int64
	scalar bool
}

// newStrategy takes args that have been validated: the type is one of the three, and a ratio has a shape.
func newStrategy(args *configv1.ScoringStrategy) strategy {
	s := strategy{kind: args.Type, resources: newWeightedResources(args.Resources)}
	if args.Type == configv1.RequestedToCapacityRatio {
		s.shape = shape.Of(args.RequestedToCapacityRatio.Shape)
	}
	return s
}

func newWeightedResources(specs []configv1.ResourceSpec) []weightedResource {
	resources := make([]weightedResource, len(specs))
	for i, spec := range specs {
		name := v1.ResourceName(spec.Name)
		resources[i] = weightedResource{name: name, weight: spec.Weight, scalar: requests.IsScalar(name)}
	}
	return resources
}

// amounts are the allocatable amount of a resource and the amount in use with the pod. Zero allocatable excludes the
// resource: the node lacks it, or it is a scalar that the pod does not request. base is the cpu and memory of the node's
// pods. Devices count on a node without the resource.
func (w *weightedResource) amounts(node fwk.NodeInfo, base fwk.Resource, pod int64, devices *deviceAmounts) (there, held int64) {
	if w.scalar && pod == 0 {
		return 0, 0
	}
	switch w.name {
	case v1.ResourceCPU:
		return node.GetAllocatable().GetMilliCPU(), saturating.Add(base.GetMilliCPU(), pod)
	case v1.ResourceMemory:
		return node.GetAllocatable().GetMemory(), saturating.Add(base.GetMemory(), pod)
	case v1.ResourceEphemeralStorage:
		return node.GetAllocatable().GetEphemeralStorage(), saturating.Add(node.GetRequested().GetEphemeralStorage(), pod)
	}
	there = node.GetAllocatable().GetScalarResources()[w.name]
	switch {
	case there == 0 && devices != nil:
		there, held = devices.on(node.Node(), w.name)
		return there, saturating.Add(held, pod)
	case there == 0:
		return 0, 0
	}
	return there, saturating.Add(node.GetRequested().GetScalarResources()[w.name], pod)
}

// score is the weighted mean of the resources' scores; pod has the pod's amounts in the order of the resources.
func (s *strategy) score(node fwk.NodeInfo, pod *scored) int64 {
	base := node.GetNonZeroRequested()
	var sum, weights int64
	for i := range s.resources {
		w := &s.resources[i]
		there, held := w.amounts(node, base, pod.amounts[i], pod.devices)
		if there == 0 {
			continue
		}
		one := s.scoreResource(there, held)
		if s.kind == configv1.RequestedToCapacityRatio && one <= 0 {
			continue // a resource that scores 0 is left out of the mean
		}
		sum += one * w.weight
		weights += w.weight
	}
	return s.mean(sum, weights)
}

// scoreResource is the score of one resource.
func (s *strategy) scoreResource(there, held int64) int64 {
	over := held > there
	switch {
	case s.kind == configv1.RequestedToCapacityRatio && over:
		return s.shape.At(100)
	case s.kind == configv1.RequestedToCapacityRatio:
		return s.shape.At(percent(held, there))
	case s.kind == configv1.MostAllocated && over:
		return fwk.MaxScore
	case s.kind == configv1.MostAllocated:
		return percent(held, there)
	case over:
		return fwk.MinScore
	}
	return percent(there-held, there)
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
