package quota

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	quotaapi "k8s.io/apiserver/pkg/quota/v1"
	"k8s.io/apiserver/pkg/quota/v1/generic"
	storagevolume "k8s.io/component-helpers/storage/volume"

	"orrery/core/world"
)

var (
	volumeClaimResource = world.PersistentVolumeClaim.Resource().GroupResource()
	deviceClaimResource = world.ResourceClaim.Resource().GroupResource()
)

// ofVolumeClaims are the resources that claims are measured by.
var ofVolumeClaims = []v1.ResourceName{v1.ResourcePersistentVolumeClaims, v1.ResourceRequestsStorage}

// ofClass comes between the name of a storage class and a resource of which the claims of the class have a quota of their own.
const ofClass = ".storageclass.storage.k8s.io/"

func volumeClaims() *measure {
	return &measure{
		resource: volumeClaimResource,
		handles:  func(a admission.Attributes) bool { return a.GetSubresource() == "" },
		counts: func(name v1.ResourceName) bool {
			return name == countOf(volumeClaimResource) || slices.ContainsFunc(ofVolumeClaims, func(one v1.ResourceName) bool {
				return name == one || strings.HasSuffix(string(name), ofClass+string(one))
			})
		},
		inScope: volumeClaimInScope,
		usage:   func(o runtime.Object) v1.ResourceList { return ofVolumeClaim(o.(*v1.PersistentVolumeClaim)) },
	}
}

// ofVolumeClaim returns what a claim uses, as a claim of its class too.
func ofVolumeClaim(claim *v1.PersistentVolumeClaim) v1.ResourceList {
	use := one(v1.ResourcePersistentVolumeClaims)
	if size, requested := claim.Spec.Resources.Requests[v1.ResourceStorage]; requested {
		if allocated, more := claim.Status.AllocatedResources[v1.ResourceStorage]; more && allocated.Cmp(size) > 0 {
			size = allocated
		}
		size = size.DeepCopy()
		size.RoundUp(0)
		use[v1.ResourceRequestsStorage] = size
	}
	if class := storagevolume.GetPersistentVolumeClaimClass(claim); class != "" {
		classed := v1.ResourceList{}
		for name, q := range use {
			classed[v1.ResourceName(class+ofClass)+name] = q
		}
		use = quotaapi.Add(use, classed)
	}
	use[countOf(volumeClaimResource)] = whole(1)
	return use
}

// volumeClaimInScope reports whether a claim has a class of volume attributes that a scope selects, or is to get it.
func volumeClaimInScope(scope v1.ScopedResourceSelectorRequirement, o runtime.Object) (bool, error) {
	if scope.ScopeName != v1.ResourceQuotaScopeVolumeAttributesClass {
		return false, nil
	}
	claim := o.(*v1.PersistentVolumeClaim)
	var classes []string
	for _, class := range []*string{claim.Spec.VolumeAttributesClassName, claim.Status.CurrentVolumeAttributesClassName} {
		if class != nil && *class != "" {
			classes = append(classes, *class)
		}
	}
	if m := claim.Status.ModifyVolumeStatus; m != nil && m.TargetVolumeAttributesClassName != "" {
		classes = append(classes, m.TargetVolumeAttributesClassName)
	}
	if len(classes) == 0 {
		return selected(scope, "")
	}
	for _, class := range classes {
		if is, err := selected(scope, class); is || err != nil {
			return is, err
		}
	}
	return false, nil
}

func deviceClaims() *measure {
	return &measure{
		resource: deviceClaimResource,
		handles:  func(a admission.Attributes) bool { return a.GetSubresource() == "" },
		counts: func(name v1.ResourceName) bool {
			return name == countOf(deviceClaimResource) || strings.HasSuffix(string(name), v1.ResourceClaimsPerClass)
		},
		inScope: generic.MatchesNoScopeFunc,
		usage:   func(o runtime.Object) v1.ResourceList { return ofDeviceClaim(o.(*resourcev1.ResourceClaim)) },
	}
}

// ofDeviceClaim returns the devices that a claim may have, by class: of alternatives the most of each class.
func ofDeviceClaim(claim *resourcev1.ResourceClaim) v1.ResourceList {
	use := one(countOf(deviceClaimResource))
	for i := range claim.Spec.Devices.Requests {
		r := &claim.Spec.Devices.Requests[i]
		most := v1.ResourceList{}
		if e := r.Exactly; e != nil && len(r.FirstAvailable) == 0 {
			most[ofDeviceClass(e.DeviceClassName)] = devices(e.AllocationMode, e.Count)
		}
		for _, alternative := range r.FirstAvailable {
			n := devices(alternative.AllocationMode, alternative.Count)
			if had := most[ofDeviceClass(alternative.DeviceClassName)]; n.Cmp(had) > 0 {
				most[ofDeviceClass(alternative.DeviceClassName)] = n
			}
		}
		use = quotaapi.Add(use, most)
	}
	return use
}

func ofDeviceClass(name string) v1.ResourceName {
	return v1.ResourceName(name + v1.ResourceClaimsPerClass)
}

// devices is the number of devices of a request, which is the highest possible one if it wants all.
func devices(mode resourcev1.DeviceAllocationMode, count int64) resource.Quantity {
	switch mode {
	case resourcev1.DeviceAllocationModeExactCount:
		return whole(count)
	case resourcev1.DeviceAllocationModeAll:
		return whole(resourcev1.AllocationResultsMaxSize)
	}
	return whole(0)
}
