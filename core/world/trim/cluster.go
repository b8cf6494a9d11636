package trim

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// trimNode keeps the status and the transition time of conditions; messages and heartbeats change all the time, and
// scheduling does not read them.
func trimNode(node *v1.Node) *v1.Node {
	return &v1.Node{
		TypeMeta:   node.TypeMeta,
		ObjectMeta: trimMeta(&node.ObjectMeta),
		Spec:       v1.NodeSpec{Unschedulable: node.Spec.Unschedulable, Taints: node.Spec.Taints},
		Status: v1.NodeStatus{
			Capacity:    node.Status.Capacity,
			Allocatable: node.Status.Allocatable,
			Conditions: mapSlice(node.Status.Conditions, func(c *v1.NodeCondition) v1.NodeCondition {
				return v1.NodeCondition{Type: c.Type, Status: c.Status, LastTransitionTime: c.LastTransitionTime, Reason: c.Reason}
			}),
			Images:           node.Status.Images,
			DeclaredFeatures: node.Status.DeclaredFeatures,
		},
	}
}

// trimResourceClaim drops the parameters for drivers, and what drivers say but in conditions. Of those it keeps the message if
// the condition is why a device could not be made ready, which the scheduler says in the pod's condition.
func trimResourceClaim(claim *resourcev1.ResourceClaim) *resourcev1.ResourceClaim {
	kept := *claim
	kept.ObjectMeta = trimMeta(&claim.ObjectMeta)
	kept.Spec.Devices.Config = mapSlice(claim.Spec.Devices.Config, func(d *resourcev1.DeviceClaimConfiguration) resourcev1.DeviceClaimConfiguration {
		return resourcev1.DeviceClaimConfiguration{Requests: d.Requests, DeviceConfiguration: trimDeviceConfig(d.DeviceConfiguration)}
	})
	kept.Status.Devices = mapSlice(claim.Status.Devices, func(d *resourcev1.AllocatedDeviceStatus) resourcev1.AllocatedDeviceStatus {
		device := *d
		device.Data, device.NetworkData = nil, nil
		device.Conditions = mapSlice(d.Conditions, func(c *metav1.Condition) metav1.Condition {
			said := *c
			if c.Status != metav1.ConditionTrue || !saysFailure(claim.Status.Allocation, d, c.Type) {
				said.Message = ""
			}
			return said
		})
		return device
	})
	if claim.Status.Allocation != nil {
		allocation := *claim.Status.Allocation
		allocation.Devices.Config = mapSlice(allocation.Devices.Config, func(d *resourcev1.DeviceAllocationConfiguration) resourcev1.DeviceAllocationConfiguration {
			return resourcev1.DeviceAllocationConfiguration{
				Source: d.Source, Requests: d.Requests, DeviceConfiguration: trimDeviceConfig(d.DeviceConfiguration),
			}
		})
		kept.Status.Allocation = &allocation
	}
	return &kept
}

// saysFailure reports whether a condition of a device ends the binding of its pod.
func saysFailure(a *resourcev1.AllocationResult, d *resourcev1.AllocatedDeviceStatus, condition string) bool {
	return a != nil && slices.ContainsFunc(a.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool {
		return r.Driver == d.Driver && r.Pool == d.Pool && r.Device == d.Device && slices.Contains(r.BindingFailureConditions, condition)
	})
}

func trimDeviceClass(c *resourcev1.DeviceClass) *resourcev1.DeviceClass {
	kept := *c
	kept.ObjectMeta = trimMeta(&c.ObjectMeta)
	kept.Spec.Config = mapSlice(c.Spec.Config, func(d *resourcev1.DeviceClassConfiguration) resourcev1.DeviceClassConfiguration {
		return resourcev1.DeviceClassConfiguration{DeviceConfiguration: trimDeviceConfig(d.DeviceConfiguration)}
	})
	return &kept
}

// trimDeviceConfig keeps the driver of a configuration.
func trimDeviceConfig(c resourcev1.DeviceConfiguration) resourcev1.DeviceConfiguration {
	if c.Opaque == nil {
		return resourcev1.DeviceConfiguration{}
	}
	return resourcev1.DeviceConfiguration{Opaque: &resourcev1.OpaqueDeviceConfiguration{Driver: c.Opaque.Driver}}
}
