package memory

import (
	"slices"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/world"
)

// A device can have conditions that its driver sets in the claim's status once it is ready. A scheduler waits for them before
// it binds the pod.

// HangBinding stops a driver from binding devices to their nodes for some time. It does so afterwards.
func (c *Cluster) HangBinding(driver string, d time.Duration) {
	c.devices.bindingHungUntil[driver] = c.now.Add(d)
}

// FailBinding makes the binding of a driver's devices fail for some time.
func (c *Cluster) FailBinding(driver string, d time.Duration) {
	c.devices.bindingFailsUntil[driver] = c.now.Add(d)
}

// bindDevices makes drivers bind the devices of a claim that wait for it.
func (c *Cluster) bindDevices(claim *resourcev1.ResourceClaim) {
	if len(unboundDevices(claim)) > 0 {
		c.startDriver(c.devices.binding, claim.UID, c.options.Latency.Attach, devicesBound{keyOf(claim), claim.UID})
	}
}

// unboundDevices are the allocated devices without one of their conditions, of binding or of failure.
func unboundDevices(claim *resourcev1.ResourceClaim) []resourcev1.DeviceRequestAllocationResult {
	if claim.Status.Allocation == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(claim.Status.Allocation.Devices.Results), func(r resourcev1.DeviceRequestAllocationResult) bool {
		d := statusOf(claim, &r)
		isSet := func(condition string) bool {
			return d != nil && meta.FindStatusCondition(d.Conditions, condition) != nil
		}
		return len(r.BindingConditions) == 0 || slices.ContainsFunc(slices.Concat(r.BindingConditions, r.BindingFailureConditions), isSet)
	})
}

// statusOf returns what a claim's status says of an allocated device, nil for nothing.
func statusOf(claim *resourcev1.ResourceClaim, r *resourcev1.DeviceRequestAllocationResult) *resourcev1.AllocatedDeviceStatus {
	for i := range claim.Status.Devices {
		d := &claim.Status.Devices[i]
		sameShare := (d.ShareID == nil) == (r.ShareID == nil) && (d.ShareID == nil || *d.ShareID == string(*r.ShareID))
		if d.Driver == r.Driver && d.Pool == r.Pool && d.Device == r.Device && sameShare {
			return d
		}
	}
	return nil
}

// devicesBound is the end of the drivers' work for a claim.
type devicesBound struct {
	claim types.NamespacedName
	uid   types.UID
}

func (b devicesBound) fire(c *Cluster) {
	claim := c.deviceClaimAt(b.claim)
	if claim == nil || claim.UID != b.uid {
		finish(&c.devices.binding, b.uid)
		return
	}
	unbound := unboundDevices(claim)
	for i := range unbound {
		if until := c.devices.bindingHungUntil[unbound[i].Driver]; until.After(c.now) {
			c.schedule(until, b)
			return
		}
	}
	finish(&c.devices.binding, b.uid)
	if len(unbound) == 0 {
		return
	}
	next := *claim
	next.Status.Devices = slices.Clone(claim.Status.Devices)
	for i := range unbound {
		next.Status.Devices = append(next.Status.Devices, c.boundStatus(&unbound[i]))
	}
	c.write(world.ResourceClaim, claim, &next)
}

// boundStatus returns the status of a device whose binding has ended: with all its conditions or, if it failed, one of failure.
func (c *Cluster) boundStatus(r *resourcev1.DeviceRequestAllocationResult) resourcev1.AllocatedDeviceStatus {
	d := resourcev1.AllocatedDeviceStatus{Driver: r.Driver, Pool: r.Pool, Device: r.Device, ShareID: (*string)(r.ShareID)}
	conditions, reason, message := r.BindingConditions, "Bound", ""
	if c.devices.bindingFailsUntil[r.Driver].After(c.now) && len(r.BindingFailureConditions) > 0 {
		conditions, reason = r.BindingFailureConditions[:1], "BindingFailed"
		message = "device " + r.Device + " could not be made ready"
	}
	for _, condition := range conditions {
		d.Conditions = append(d.Conditions, metav1.Condition{
			Type: condition, Status: metav1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: c.timestamp(),
		})
	}
	return d
}
