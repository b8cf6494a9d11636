package admission

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
)

// DeviceGatesOff are the feature gates that an API server has off. The zero value has all of them on.
type DeviceGatesOff struct {
	// AdminAccess is DRAAdminAccess: nothing requests adminAccess, and no allocation has it.
	AdminAccess bool
	// ClaimDeviceStatus is DRAResourceClaimDeviceStatus: a claim's status says nothing of its devices.
	ClaimDeviceStatus bool
}

// Drop removes the fields of gates that are off from an object that is to be stored. A field that the stored object uses already
// stays, so that switching a gate off does not change what is stored. old is nil for a new object.
func (g DeviceGatesOff) Drop(changed, old any) {
	switch o := changed.(type) {
	case *resourcev1.ResourceClaim:
		before, _ := old.(*resourcev1.ResourceClaim)
		if before == nil {
			before = &resourcev1.ResourceClaim{}
		}
		if g.AdminAccess && !usesAdminAccess(before) {
			dropAdminRequests(o.Spec.Devices.Requests)
			if a := o.Status.Allocation; a != nil {
				for i := range a.Devices.Results {
					a.Devices.Results[i].AdminAccess = nil
				}
			}
		}
		if g.ClaimDeviceStatus && len(before.Status.Devices) == 0 {
			o.Status.Devices = nil
		}
	case *resourcev1.ResourceClaimTemplate:
		before, _ := old.(*resourcev1.ResourceClaimTemplate)
		if g.AdminAccess && (before == nil || !requestsAdminAccess(before.Spec.Spec.Devices.Requests)) {
			dropAdminRequests(o.Spec.Spec.Devices.Requests)
		}
	}
}

func usesAdminAccess(claim *resourcev1.ResourceClaim) bool {
	allocation := claim.Status.Allocation
	return requestsAdminAccess(claim.Spec.Devices.Requests) || allocation != nil &&
		slices.ContainsFunc(allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool { return r.AdminAccess != nil })
}

func requestsAdminAccess(requests []resourcev1.DeviceRequest) bool {
	return slices.ContainsFunc(requests, func(r resourcev1.DeviceRequest) bool { return r.Exactly != nil && r.Exactly.AdminAccess != nil })
}

func dropAdminRequests(requests []resourcev1.DeviceRequest) {
	for i := range requests {
		if exactly := requests[i].Exactly; exactly != nil {
			exactly.AdminAccess = nil
		}
	}
}
