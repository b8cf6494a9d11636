package admission

import (
	"fmt"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
)

// RefusedClaimStatus returns why a claim's status is not stored. Schedulers rely on all of it: an allocation never changes, other
// than to none; reservations need one, are so many at most, and none are added to a claim that is being deleted.
func RefusedClaimStatus(claim *resourcev1.ResourceClaim, old *resourcev1.ResourceClaimStatus) field.ErrorList {
	status, path := &claim.Status, field.NewPath("status", "reservedFor")
	var errs field.ErrorList
	if n := len(status.ReservedFor); n > resourcev1.ResourceClaimReservedForMaxSize {
		errs = append(errs, field.TooMany(path, n, resourcev1.ResourceClaimReservedForMaxSize))
	}
	switch {
	case len(status.ReservedFor) == 0:
	case status.Allocation == nil:
		errs = append(errs, field.Forbidden(path, "may not be specified when `allocated` is not set"))
	case claim.DeletionTimestamp != nil && slices.ContainsFunc(status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool {
		return !slices.Contains(old.ReservedFor, r)
	}):
		errs = append(errs, field.Forbidden(path, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"))
	}
	if status.Allocation != nil && old.Allocation != nil {
		errs = append(errs, validation.ValidateImmutableField(status.Allocation, old.Allocation, field.NewPath("status", "allocation"))...)
	}
	return errs
}

// RefusedAdminRequests returns why requests for admin access are not stored: only namespaces with a label may have it.
func RefusedAdminRequests(requests []resourcev1.DeviceRequest, allowed bool) field.ErrorList {
	for i := range requests {
		if e := requests[i].Exactly; e != nil && isTrue(e.AdminAccess) && !allowed {
			return noAdmin(field.NewPath("spec", "devices", "requests").Index(i))
		}
	}
	return nil
}

// RefusedAdminResults is RefusedAdminRequests for an allocation, which does not change once it is there.
func RefusedAdminResults(claim, before *resourcev1.ResourceClaim, allowed bool) field.ErrorList {
	if at := adminResult(claim); at >= 0 && adminResult(before) < 0 && !allowed {
		return noAdmin(field.NewPath("status", "allocation", "devices", "results").Index(at))
	}
	return nil
}

func noAdmin(path *field.Path) field.ErrorList {
	return field.ErrorList{field.Forbidden(path.Child("adminAccess"), fmt.Sprintf(
		"admin access to devices requires the `%s: true` label on the containing namespace", resourcev1.DRAAdminNamespaceLabelKey))}
}

// adminResult is the first device that a claim has for an administrator, -1 without one.
func adminResult(claim *resourcev1.ResourceClaim) int {
	if claim.Status.Allocation == nil {
		return -1
	}
	return slices.IndexFunc(claim.Status.Allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool { return isTrue(r.AdminAccess) })
}

func isTrue(flag *bool) bool { return flag != nil && *flag }

// partOf names a device, or a part of a shared one.
type partOf struct{ driver, pool, device, share string }

func devicesOf(a *resourcev1.AllocationResult) map[partOf]bool {
	all := map[partOf]bool{}
	if a != nil {
		for i := range a.Devices.Results {
			r := &a.Devices.Results[i]
			all[partOf{r.Driver, r.Pool, r.Device, string(ptr.Deref(r.ShareID, ""))}] = true
		}
	}
	return all
}

// WithoutStale returns what a status reports of devices, without those that it no longer allocates.
func WithoutStale(changed, old *resourcev1.ResourceClaimStatus) []resourcev1.AllocatedDeviceStatus {
	before, now := devicesOf(old.Allocation), devicesOf(changed.Allocation)
	left := slices.DeleteFunc(slices.Clone(changed.Devices), func(d resourcev1.AllocatedDeviceStatus) bool {
		id := partOf{d.Driver, d.Pool, d.Device, ptr.Deref(d.ShareID, "")}
		return before[id] && !now[id]
	})
	if len(left) == 0 {
		return nil
	}
	return left
}
