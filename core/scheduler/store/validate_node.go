package store

import (
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"orrery/core/objects/requests"
)

func validateNode(node *v1.Node) *fieldError {
	for i := range node.Spec.Taints {
		if effect := node.Spec.Taints[i].Effect; !isTaintEffect(effect) {
			return unknownValue("effect", string(effect)).below("spec.taints[%d]", i)
		}
	}
	if f := validateQuantities(node.Status.Allocatable, nodeBounds); f != nil {
		return f.below("status.allocatable")
	}
	return validateQuantities(node.Status.Capacity, nodeBounds).below("status.capacity")
}

func isTaintEffect(effect v1.TaintEffect) bool {
	switch effect {
	case v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute:
		return true
	}
	return false
}

// quantityBounds selects the bounded quantities of a list.
type quantityBounds uint8

const (
	unbounded  quantityBounds = iota // nothing is added up
	nodeBounds                       // what shares of are computed: cpu, memory and ephemeral storage
	allBounded                       // everything is added up
)

// validateQuantities returns an error for a quantity beyond its bound. Of several it reports the first resource by name,
// since the list has no order.
func validateQuantities(list v1.ResourceList, bounds quantityBounds) *fieldError {
	var found *fieldError
	for name, quantity := range list {
		problem := quantityProblem(name, &quantity, bounds)
		if problem != "" && (found == nil || string(name) < found.field) {
			found = &fieldError{string(name), problem}
		}
	}
	return found
}

func quantityProblem(name v1.ResourceName, quantity *resource.Quantity, bounds quantityBounds) string {
	switch name {
	case v1.ResourceCPU, v1.ResourceMemory, v1.ResourceEphemeralStorage:
	default:
		if bounds == nodeBounds {
			bounds = unbounded
		}
	}
	most := requests.Most(name)
	switch {
	case quantity.Sign() < 0:
		return "is negative"
	case bounds != unbounded && quantity.CmpInt64(most) > 0:
		return "is more than can be reckoned with, which is " + strconv.FormatInt(most, 10)
	}
	return ""
}
