package requests

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	fwk "k8s.io/kube-scheduler/framework"
)

// Amount is a quantity as the scheduler counts it: millicores for cpu, whole units otherwise.
func Amount(name v1.ResourceName, q resource.Quantity) int64 {
	if name == v1.ResourceCPU {
		return q.MilliValue()
	}
	return q.Value()
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
	return AmountIn(node.GetAllocatable(), name) - AmountIn(node.GetRequested(), name)
}
