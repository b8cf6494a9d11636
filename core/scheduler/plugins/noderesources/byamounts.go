package noderesources

import (
	v1 "k8s.io/api/core/v1"
	configv1 "k8s.io/kube-scheduler/config/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/saturating"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/reuse"
)

var (
	_ framework.AmountsFilter = (*Fit)(nil)
	_ framework.AmountsScore  = (*Fit)(nil)
	_ framework.AmountsScore  = (*BalancedAllocation)(nil)
)

// FilterByAmounts is nil for a pod that requests scalars.
func (*Fit) FilterByAmounts(state fwk.CycleState, _ *v1.Pod) func(*reuse.Amounts) *fwk.Status {
	s, err := readFilterState(state)
	if err != nil || len(s.checked) > 0 {
		return nil
	}
	need := s.need
	return func(node *reuse.Amounts) *fwk.Status {
		var found shortage
		if node.Pods+1 > node.AllowedPods {
			found |= tooManyPods
		}
		there, taken := &node.Allocatable, &node.Requested
		found |= checkResource(cpuIsShort, need.milliCPU, there.MilliCPU, taken.MilliCPU)
		found |= checkResource(memoryIsShort, need.memory, there.Memory, taken.Memory)
		found |= checkResource(ephemeralIsShort, need.ephemeral, there.EphemeralStorage, taken.EphemeralStorage)
		return basicStatus[found]
	}
}

// ScoreByAmounts is nil if the score is not one of cpu and memory by their amounts.
func (f *Fit) ScoreByAmounts(state fwk.CycleState, _ *v1.Pod) func(*reuse.Amounts) int64 {
	s, err := framework.ReadState[*scored](state, scoreKey)
	if err != nil || f.strategy.kind == configv1.RequestedToCapacityRatio {
		return nil
	}
	cpu, memory, ok := ofCPUAndMemory(f.strategy.resources, s)
	if !ok {
		return nil
	}
	return func(node *reuse.Amounts) int64 {
		var sum, weights int64
		if there := node.Allocatable.MilliCPU; there != 0 {
			sum, weights = cpu.weight*f.strategy.scoreResource(there, saturating.Add(node.NonZeroMilliCPU, cpu.pod)), cpu.weight
		}
		if there := node.Allocatable.Memory; there != 0 {
			sum += memory.weight * f.strategy.scoreResource(there, saturating.Add(node.NonZeroMemory, memory.pod))
			weights += memory.weight
		}
		return f.strategy.mean(sum, weights)
	}
}

// ScoreByAmounts is nil if the score is not one of cpu and memory.
func (b *BalancedAllocation) ScoreByAmounts(state fwk.CycleState, _ *v1.Pod) func(*reuse.Amounts) int64 {
	s, err := framework.ReadState[*scored](state, balancedKey)
	if err != nil {
		return nil
	}
	cpu, memory, ok := ofCPUAndMemory(b.resources, s)
	if !ok {
		return nil
	}
	return func(node *reuse.Amounts) int64 {
		var onStack [2][2]float64
		with, without := onStack[0][:0], onStack[1][:0]
		add := func(there, requested, pod int64) {
			if there == 0 {
				return
			}
			held := saturating.Add(requested, pod)
			with = append(with, share(there, held))
			if b.improvement {
				without = append(without, share(there, saturating.Sub(held, pod)))
			}
		}
		add(node.Allocatable.MilliCPU, node.Requested.MilliCPU, cpu.pod)
		add(node.Allocatable.Memory, node.Requested.Memory, memory.pod)
		return b.rate(with, without)
	}
}

// weightedAmount is a pod's amount of a resource, with the resource's weight.
type weightedAmount struct{ pod, weight int64 }

// ofCPUAndMemory returns the amounts of a pod if the resources are cpu and memory.
func ofCPUAndMemory(resources []weightedResource, s *scored) (cpu, memory weightedAmount, ok bool) {
	if len(resources) != 2 || resources[0].name != v1.ResourceCPU || resources[1].name != v1.ResourceMemory {
		return cpu, memory, false
	}
	return weightedAmount{s.amounts[0], resources[0].weight}, weightedAmount{s.amounts[1], resources[1].weight}, true
}
