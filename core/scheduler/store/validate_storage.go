package store

import (
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// An API server admits any claim in a volume and any volume in a claim, so these names are not checked.

func validateVolume(pv *v1.PersistentVolume) *fieldError {
	if f := validateQuantities(pv.Spec.Capacity); f != nil {
		return f.below("spec.capacity")
	}
	if pv.Spec.NodeAffinity == nil || pv.Spec.NodeAffinity.Required == nil {
		return nil
	}
	for i := range pv.Spec.NodeAffinity.Required.NodeSelectorTerms {
		if f := validateNodeTerm(&pv.Spec.NodeAffinity.Required.NodeSelectorTerms[i]); f != nil {
			return f.below("spec.nodeAffinity.required.nodeSelectorTerms[%d]", i)
		}
	}
	return nil
}

func validateClaim(claim *v1.PersistentVolumeClaim) *fieldError {
	if f := validateQuantities(claim.Spec.Resources.Requests); f != nil {
		return f.below("spec.resources.requests")
	}
	if f := validateLabelSelector(claim.Spec.Selector); f != nil {
		return f.below("spec.selector")
	}
	return validateQuantities(claim.Status.Capacity).below("status.capacity")
}

// validateClass lets a missing mode pass, which plugins report.
func validateClass(class *storagev1.StorageClass) *fieldError {
	switch mode := class.VolumeBindingMode; {
	case mode == nil, *mode == storagev1.VolumeBindingImmediate, *mode == storagev1.VolumeBindingWaitForFirstConsumer:
		return nil
	default:
		return unknownValue("volumeBindingMode", string(*mode))
	}
}

func validateCapacity(c *storagev1.CSIStorageCapacity) *fieldError {
	if c.Capacity != nil && c.Capacity.Sign() < 0 {
		return &fieldError{"capacity", "is negative"}
	}
	if c.MaximumVolumeSize != nil && c.MaximumVolumeSize.Sign() < 0 {
		return &fieldError{"maximumVolumeSize", "is negative"}
	}
	return validateLabelSelector(c.NodeTopology).below("nodeTopology")
}

// validateDrivers checks the drivers of a node: their names are parts of keys, and their counts are compared.
func validateDrivers(drivers []storagev1.CSINodeDriver) *fieldError {
	for i := range drivers {
		if f := validateName("name", drivers[i].Name); f != nil {
			return f.below("spec.drivers[%d]", i)
		}
		if a := drivers[i].Allocatable; a != nil && a.Count != nil && *a.Count < 0 {
			return (&fieldError{"allocatable.count", "is negative"}).below("spec.drivers[%d]", i)
		}
	}
	return nil
}
