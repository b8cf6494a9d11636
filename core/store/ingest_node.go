package store

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func nodeFault(node *v1.Node) *fault {
	for i := range node.Spec.Taints {
		if effect := node.Spec.Taints[i].Effect; !isTaintEffect(effect) {
			return unknownValue("effect", string(effect)).at("spec.taints[%d]", i)
		}
	}
	if f := quantityFault(node.Status.Allocatable, nodeAmount); f != nil {
		return f.at("status.allocatable")
	}
	return quantityFault(node.Status.Capacity, nodeAmount).at("status.capacity")
}

func isTaintEffect(effect v1.TaintEffect) bool {
	switch effect {
	case v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute:
		return true
	}
	return false
}

// mostAmount is the most of a resource that is reckoned with: a thousand of them still add up in an int64. It is eight
// pebibytes of memory. Cpu is counted in thousandths.
const (
	mostAmount = 1 << 53
	mostCPU    = mostAmount / 1000
)

// amounts says which quantities of a list are bounded.
type amounts uint8

const (
	anyAmount     amounts = iota // nothing is added up
	nodeAmount                   // what shares of are computed: cpu, memory and ephemeral storage
	boundedAmount                // everything is added up
)

// quantityFault says whether a quantity cannot be reckoned with. Of several the one whose resource comes first by name
// is reported, since the list has no order.
func quantityFault(list v1.ResourceList, bounds amounts) *fault {
	var found *fault
	for name, quantity := range list {
		problem := amountProblem(name, &quantity, bounds)
		if problem != "" && (found == nil || string(name) < found.field) {
			found = &fault{string(name), problem}
		}
	}
	return found
}

func amountProblem(name v1.ResourceName, quantity *resource.Quantity, bounds amounts) string {
	most := int64(mostAmount)
	switch name {
	case v1.ResourceCPU:
		most = mostCPU
	case v1.ResourceMemory, v1.ResourceEphemeralStorage:
	default:
		if bounds == nodeAmount {
			bounds = anyAmount
		}
	}
	switch {
	case quantity.Sign() < 0:
		return "is negative"
	case bounds != anyAmount && quantity.CmpInt64(most) > 0:
		return "is more than can be reckoned with, which is " + resource.NewQuantity(most, resource.DecimalSI).String()
	}
	return ""
}
