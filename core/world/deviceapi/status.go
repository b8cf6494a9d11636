package deviceapi

import (
	"context"
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/types"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/dynamic-resource-allocation/structured"
)

// claimStatus checks a claim's status. An allocation never changes, other than to none; reservations need one, and none are
// added to a claim that is being deleted.
func claimStatus(claim *resourcev1.ResourceClaim, old *resourcev1.ResourceClaimStatus) field.ErrorList {
	path, status := field.NewPath("status"), &claim.Status
	reserved := path.Child("reservedFor")
	wrong := eachOnce(status.ReservedFor, resourcev1.ResourceClaimReservedForMaxSize, reserved,
		func(r *resourcev1.ResourceClaimConsumerReference) types.UID { return r.UID }, consumer)
	allocated := devicesOf(status.Allocation)
	wrong = append(wrong, eachOnce(status.Devices, unlimited, path.Child("devices"), idOf,
		func(d *resourcev1.AllocatedDeviceStatus, at *field.Path) field.ErrorList {
			return deviceStatus(d, at, allocated)
		})...)
	switch {
	case len(status.ReservedFor) == 0:
	case status.Allocation == nil:
		wrong = append(wrong, field.Forbidden(reserved, "may not be specified when `allocated` is not set"))
	case claim.DeletionTimestamp != nil && slices.ContainsFunc(status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool {
		return !slices.Contains(old.ReservedFor, r)
	}):
		wrong = append(wrong, field.Forbidden(reserved, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set"))
	}
	at := path.Child("allocation")
	switch {
	case status.Allocation != nil && old.Allocation != nil:
		return append(wrong, validation.ValidateImmutableField(status.Allocation, old.Allocation, at)...)
	case status.Allocation != nil:
		return append(wrong, allocation(status.Allocation, at, namesOf(&claim.Spec.Devices))...)
	}
	return wrong
}

func consumer(r *resourcev1.ResourceClaimConsumerReference, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for _, one := range []struct{ name, value string }{{"resource", r.Resource}, {"name", r.Name}, {"uid", string(r.UID)}} {
		if one.value == "" {
			wrong = append(wrong, field.Required(path.Child(one.name), ""))
		}
	}
	return wrong
}

func allocation(a *resourcev1.AllocationResult, path *field.Path, names requestNames) field.ErrorList {
	devices := path.Child("devices")
	wrong := each(a.Devices.Results, resourcev1.AllocationResultsMaxSize, devices.Child("results"),
		func(r *resourcev1.DeviceRequestAllocationResult, at *field.Path) field.ErrorList {
			return result(r, at, names)
		})
	// those of the classes, and those of the claim
	wrong = append(wrong, each(a.Devices.Config, 2*resourcev1.DeviceConfigMaxSize, devices.Child("config"),
		func(c *resourcev1.DeviceAllocationConfiguration, at *field.Path) field.ErrorList {
			return slices.Concat(configSource(c.Source, at.Child("source")), names.references(c.Requests, at.Child("requests")),
				configuration(&c.DeviceConfiguration, at, false))
		})...)
	if a.NodeSelector != nil {
		wrong = append(wrong, NodeSelector(a.NodeSelector, path.Child("nodeSelector"))...)
	}
	return wrong
}

func configSource(source resourcev1.AllocationConfigSource, path *field.Path) field.ErrorList {
	known := []resourcev1.AllocationConfigSource{resourcev1.AllocationConfigSourceClaim, resourcev1.AllocationConfigSourceClass}
	switch {
	case slices.Contains(known, source):
		return nil
	case source == "":
		return field.ErrorList{field.Required(path, "")}
	}
	return field.ErrorList{field.NotSupported(path, source, known)}
}

func result(r *resourcev1.DeviceRequestAllocationResult, path *field.Path, names requestNames) field.ErrorList {
	wrong := slices.Concat(names.reference(&r.Request, path.Child("request")), driverName(r.Driver, path.Child("driver")),
		poolName(r.Pool, path.Child("pool")), label(r.Device, path.Child("device")),
		bindingConditions(r.BindingConditions, r.BindingFailureConditions, path))
	if r.ShareID != nil {
		wrong = append(wrong, uid(string(*r.ShareID), path.Child("shareID"))...)
	}
	return wrong
}

// deviceStatus checks what a driver says of an allocated device.
func deviceStatus(d *resourcev1.AllocatedDeviceStatus, path *field.Path, allocated map[structured.SharedDeviceID]bool) field.ErrorList {
	wrong := slices.Concat(driverName(d.Driver, path.Child("driver")), poolName(d.Pool, path.Child("pool")), label(d.Device, path.Child("device")))
	if d.ShareID != nil {
		wrong = append(wrong, uid(*d.ShareID, path.Child("shareID"))...)
	}
	if id := idOf(d); !allocated[id] {
		wrong = append(wrong, field.Invalid(path, id, "must be an allocated device in the claim"))
	}
	conditions := path.Child("conditions")
	if n := len(d.Conditions); n > resourcev1.AllocatedDeviceStatusMaxConditions {
		wrong = append(wrong, field.TooMany(conditions, n, resourcev1.AllocatedDeviceStatusMaxConditions))
	}
	wrong = append(wrong, metav1validation.ValidateConditions(d.Conditions, conditions)...)
	if d.Data != nil && len(d.Data.Raw) > 0 {
		wrong = append(wrong, jsonObject(*d.Data, path.Child("data"), resourcev1.AllocatedDeviceStatusDataMaxLength)...)
	}
	return append(wrong, networkData(d.NetworkData, path.Child("networkData"))...)
}

func networkData(n *resourcev1.NetworkDeviceData, path *field.Path) field.ErrorList {
	if n == nil {
		return nil
	}
	var wrong field.ErrorList
	if len(n.InterfaceName) > resourcev1.NetworkDeviceDataInterfaceNameMaxLength {
		wrong = append(wrong, field.TooLong(path.Child("interfaceName"), "", resourcev1.NetworkDeviceDataInterfaceNameMaxLength))
	}
	if len(n.HardwareAddress) > resourcev1.NetworkDeviceDataHardwareAddressMaxLength {
		wrong = append(wrong, field.TooLong(path.Child("hardwareAddress"), "", resourcev1.NetworkDeviceDataHardwareAddressMaxLength))
	}
	return append(wrong, eachOnce(n.IPs, resourcev1.NetworkDeviceDataMaxIPs, path.Child("ips"), itself,
		func(ip *string, at *field.Path) field.ErrorList {
			return utilvalidation.IsValidInterfaceAddress(at, *ip)
		})...)
}

// uid checks a UUID in its normal form.
func uid(id string, path *field.Path) field.ErrorList {
	return validate.UUID(context.Background(), operation.Operation{}, path, &id, nil)
}

func devicesOf(a *resourcev1.AllocationResult) map[structured.SharedDeviceID]bool {
	all := map[structured.SharedDeviceID]bool{}
	if a != nil {
		for i := range a.Devices.Results {
			r := &a.Devices.Results[i]
			all[structured.MakeSharedDeviceID(structured.MakeDeviceID(r.Driver, r.Pool, r.Device), r.ShareID)] = true
		}
	}
	return all
}

// idOf is the device that an entry of a status is about.
func idOf(d *resourcev1.AllocatedDeviceStatus) structured.SharedDeviceID {
	return structured.MakeSharedDeviceID(structured.MakeDeviceID(d.Driver, d.Pool, d.Device), (*types.UID)(d.ShareID))
}

// WithoutStale returns what a status says of devices, without those that it no longer allocates.
func WithoutStale(changed, old *resourcev1.ResourceClaimStatus) []resourcev1.AllocatedDeviceStatus {
	before, now := devicesOf(old.Allocation), devicesOf(changed.Allocation)
	left := slices.DeleteFunc(slices.Clone(changed.Devices), func(d resourcev1.AllocatedDeviceStatus) bool {
		id := idOf(&d)
		return before[id] && !now[id]
	})
	if len(left) == 0 {
		return nil
	}
	return left
}
