package requests

import (
	"math"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/saturating"
)

// Amount is a quantity as the scheduler counts it: millicores for cpu, whole units otherwise, rounded up. One beyond an
// int64 is the greatest int64; the quantity's own methods make any number of it, often zero. A negative one is zero.
func Amount(name v1.ResourceName, q resource.Quantity) int64 {
	scale := resource.Scale(0)
	if name == v1.ResourceCPU {
		scale = resource.Milli
	}
	if q.Sign() <= 0 {
		return 0
	}
	if q.CmpInt64(mostNamed) > 0 && q.Cmp(*resource.NewScaledQuantity(math.MaxInt64, scale)) >= 0 {
		return math.MaxInt64
	}
	return q.ScaledValue(scale)
}

// mostNamed is the greatest amount that a what-if or an import may name: a thousand of them still add up in an int64. It is eight
// pebibytes of memory. Objects of a cluster may have more.
//
//orrery:limit answers; the amount of one resource in a what-if or an import; it is refused
const mostNamed = 1 << 53

// Most is how much of a resource a what-if or an import may name, in whole units.
func Most(name v1.ResourceName) int64 {
	if name == v1.ResourceCPU {
		return mostNamed / 1000
	}
	return mostNamed
}

// AmountIn is the amount of one resource in a node's sums, in the units of [Amount].
func AmountIn(r fwk.Resource, name v1.ResourceName) int64 {
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

// Free is the amount of a resource that no pod on the node requests; negative on an overcommitted node.
func Free(node fwk.NodeInfo, name v1.ResourceName) int64 {
	return saturating.Sub(AmountIn(node.GetAllocatable(), name), AmountIn(node.GetRequested(), name))
}
