package requests

import (
	"iter"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// PlainSum is the sum over a pod's containers and its overhead.
type PlainSum struct {
	CPU, Memory, EphemeralStorage resource.Quantity
	// WithoutCPU and WithoutMemory are how many containers request none.
	WithoutCPU, WithoutMemory int64
	// others is the one list that has further resources; nil if none has.
	others v1.ResourceList
}

// HasOthers reports whether the pod requests anything beside cpu, memory and ephemeral storage.
func (s *PlainSum) HasOthers() bool { return s.others != nil }

// Scalars yields the amounts of the further resources that the scheduler counts, in any order.
func (s *PlainSum) Scalars() iter.Seq2[v1.ResourceName, int64] {
	return func(yield func(v1.ResourceName, int64) bool) {
		for name, quantity := range s.others {
			if IsScalar(name) && !yield(name, Amount(name, quantity)) {
				return
			}
		}
	}
}

// Defaults adds amounts for the containers without requests.
func (s *PlainSum) Defaults(milliCPU, bytes int64) {
	if s.WithoutCPU > 0 {
		s.CPU.Add(*resource.NewMilliQuantity(s.WithoutCPU*milliCPU, resource.DecimalSI))
	}
	if s.WithoutMemory > 0 {
		s.Memory.Add(*resource.NewQuantity(s.WithoutMemory*bytes, resource.DecimalSI))
	}
}

// Plain sums up what a pod's spec requests, without a list and so without allocations. It returns false for the few pods for which
// that is not all: those with init containers, with requests of the whole pod, with further resources in several containers, or with
// a negative quantity.
func Plain(pod *v1.Pod) (sum PlainSum, ok bool) {
	if len(pod.Spec.InitContainers) > 0 || pod.Spec.Resources != nil {
		return sum, false
	}
	for i := range pod.Spec.Containers {
		cpu, memory, ok := sum.add(pod.Spec.Containers[i].Resources.Requests)
		if !ok {
			return sum, false
		}
		if !cpu {
			sum.WithoutCPU++
		}
		if !memory {
			sum.WithoutMemory++
		}
	}
	_, _, ok = sum.add(pod.Spec.Overhead)
	return sum, ok
}

// add adds a list. It reports which of the resources the list has, and whether it is the only one so far with others.
func (s *PlainSum) add(list v1.ResourceList) (cpu, memory, ok bool) {
	others := len(list)
	negative := false
	if quantity, has := list[v1.ResourceCPU]; has {
		negative = quantity.Sign() < 0
		s.CPU.Add(quantity)
		cpu = true
		others--
	}
	if quantity, has := list[v1.ResourceMemory]; has {
		negative = negative || quantity.Sign() < 0
		s.Memory.Add(quantity)
		memory = true
		others--
	}
	if others == 0 {
		return cpu, memory, !negative
	}
	if quantity, has := list[v1.ResourceEphemeralStorage]; has {
		negative = negative || quantity.Sign() < 0
		s.EphemeralStorage.Add(quantity)
		others--
	}
	if others > 0 {
		ok, s.others = s.others == nil && !negative, list
		return cpu, memory, ok
	}
	return cpu, memory, !negative
}
