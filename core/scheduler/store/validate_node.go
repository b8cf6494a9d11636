package store

import v1 "k8s.io/api/core/v1"

func validateNode(node *v1.Node) *fieldError {
	for i := range node.Spec.Taints {
		if effect := node.Spec.Taints[i].Effect; !isTaintEffect(effect) {
			return unknownValue("effect", string(effect)).below("spec.taints[%d]", i)
		}
	}
	if f := validateQuantities(node.Status.Allocatable); f != nil {
		return f.below("status.allocatable")
	}
	return validateQuantities(node.Status.Capacity).below("status.capacity")
}

func isTaintEffect(effect v1.TaintEffect) bool {
	switch effect {
	case v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute:
		return true
	}
	return false
}

// validateQuantities returns an error for a negative quantity. Of several it reports the first resource by name, since the list has no
// order.
func validateQuantities(list v1.ResourceList) *fieldError {
	var found *fieldError
	for name, quantity := range list {
		if quantity.Sign() < 0 && (found == nil || string(name) < found.field) {
			found = &fieldError{string(name), "is negative"}
		}
	}
	return found
}
