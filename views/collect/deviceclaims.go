package collect

import (
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"orrery/core/world"
	"orrery/views"
)

// deviceClaim is a claim for devices: its state is a views.DeviceClaimState.
type deviceClaim struct {
	rank
	claim *resourcev1.ResourceClaim // nil if a pod names it, and it does not exist
	// inFlight means that its devices are decided and not yet written.
	inFlight bool
}

// results are what a claim has.
func (c *deviceClaim) results() []resourcev1.DeviceRequestAllocationResult {
	if c.claim == nil || c.claim.Status.Allocation == nil {
		return nil
	}
	return c.claim.Status.Allocation.Devices.Results
}

// isReserved reports whether pods use the claim.
func (c *deviceClaim) isReserved() bool { return len(c.claim.Status.ReservedFor) > 0 }

func resultID(r *resourcev1.DeviceRequestAllocationResult) deviceID {
	return deviceID{poolID{r.Driver, r.Pool}, r.Device}
}

// claimChanged finds a claim's devices and its state again, and marks the pools of its devices.
func (x *deviceIndex) claimChanged(name types.NamespacedName, d *dirtyDevices) {
	if was := x.claims.byName[name]; was != nil {
		for i, results := 0, was.results(); i < len(results); i++ {
			id := resultID(&results[i])
			dropName(x.holders, id, was)
			d.held[id.poolID] = struct{}{}
		}
	}
	c := x.claimOf(name)
	if c == nil {
		x.claims.remove(name)
		return
	}
	for i, results := 0, c.results(); i < len(results); i++ {
		id := resultID(&results[i])
		if holders := x.holders[id]; !slices.Contains(holders, c) {
			at, _ := slices.BinarySearchFunc(holders, c, compareClaimNames)
			x.holders[id] = slices.Insert(holders, at, c)
		}
		d.held[id.poolID] = struct{}{}
	}
	state, since := x.deviceClaimState(c)
	c.state = uint8(state)
	if state < views.DeviceClaimUnallocated {
		c.since = micro(since)
	}
	x.claims.put(c)
}

func compareClaimNames(a, b *deviceClaim) int {
	if by := strings.Compare(a.name.Namespace, b.name.Namespace); by != 0 {
		return by
	}
	return strings.Compare(a.name.Name, b.name.Name)
}

// claimOf returns a claim as the engine has it; nil for a name that is neither a claim's nor in a pod.
func (x *deviceIndex) claimOf(name types.NamespacedName) *deviceClaim {
	c := &deviceClaim{rank: rank{name: name}, claim: x.inFlight[name]}
	if c.inFlight = c.claim != nil; c.inFlight {
		return c
	}
	if c.claim = x.engine.Devices().Claim(name.Namespace, name.Name); c.claim == nil && len(x.users.pods[name]) == 0 {
		return nil
	}
	return c
}

// dirtyHolders marks the claims that have a unit's devices.
func (x *deviceIndex) dirtyHolders(u *deviceUnit, d *dirtyDevices) {
	for c := range x.holdersOf(u) {
		d.claims[c.name] = struct{}{}
	}
}

// deviceClaimState returns a claim's state, and since when it is in it: for states whose beginning nothing tells, since it was
// created.
func (x *deviceIndex) deviceClaimState(c *deviceClaim) (views.DeviceClaimState, time.Time) {
	if c.claim == nil {
		state := views.DeviceClaimMissing
		if strings.Contains(c.name.Name, unmade) {
			state = views.DeviceClaimUnallocated
		}
		return state, x.users.first(c.name).CreationTimestamp.Time
	}
	created := c.claim.CreationTimestamp.Time
	switch {
	case c.inFlight:
		return views.DeviceClaimInFlight, created
	case c.claim.Status.Allocation == nil && c.claim.DeletionTimestamp == nil:
		if pod := x.users.first(c.name); pod != nil && pod.Spec.NodeName == "" && world.PendingMessage(pod) != "" {
			return views.DeviceClaimPending, pod.CreationTimestamp.Time
		}
		return views.DeviceClaimUnallocated, created
	case c.claim.Status.Allocation == nil:
		return views.DeviceClaimTerminating, c.claim.DeletionTimestamp.Time
	}
	if at := failedSince(c); at != nil {
		return views.DeviceClaimFailed, *at
	}
	waits := false
	for i, results := 0, c.results(); i < len(results); i++ {
		device := x.publishedDevice(resultID(&results[i]))
		if device == nil {
			return views.DeviceClaimLost, x.allocatedSince(c)
		}
		if taint := evictingTaint(device, &results[i]); taint != nil && c.isReserved() {
			return views.DeviceClaimEvicting, timeAdded(taint)
		}
		waits = waits || len(awaited(c.claim, &results[i])) > 0
	}
	switch {
	case c.claim.DeletionTimestamp != nil:
		return views.DeviceClaimTerminating, c.claim.DeletionTimestamp.Time
	case waits:
		return views.DeviceClaimBinding, x.allocatedSince(c)
	case !c.isReserved():
		return views.DeviceClaimAllocated, created
	}
	return views.DeviceClaimReserved, created
}

// publishedDevice returns a device of the pool's newest slices; nil if there is none.
func (x *deviceIndex) publishedDevice(id deviceID) *resourcev1.Device {
	if pool := x.pools[id.poolID]; pool != nil {
		return pool.devices[id.device]
	}
	return nil
}

// evictingTaint returns a taint of a device that evicts the pods of a claim: one that its tolerations do not match, or only for
// some time. It is nil if there is none.
func evictingTaint(d *resourcev1.Device, result *resourcev1.DeviceRequestAllocationResult) *resourcev1.DeviceTaint {
	for i := range d.Taints {
		taint := &d.Taints[i]
		tolerated := slices.ContainsFunc(result.Tolerations, func(t resourcev1.DeviceToleration) bool {
			return t.TolerationSeconds == nil && resourceclaim.ToleratesTaint(t, *taint)
		})
		if taint.Effect == resourcev1.DeviceTaintEffectNoExecute && !tolerated {
			return taint
		}
	}
	return nil
}

func timeAdded(t *resourcev1.DeviceTaint) time.Time {
	if t.TimeAdded == nil {
		return time.Time{}
	}
	return t.TimeAdded.Time
}

// driverStatus is what its driver says about a device of a claim; nil if nothing.
func driverStatus(claim *resourcev1.ResourceClaim, result *resourcev1.DeviceRequestAllocationResult) *resourcev1.AllocatedDeviceStatus {
	i := slices.IndexFunc(claim.Status.Devices, func(d resourcev1.AllocatedDeviceStatus) bool {
		return d.Driver == result.Driver && d.Pool == result.Pool && d.Device == result.Device
	})
	if i < 0 {
		return nil
	}
	return &claim.Status.Devices[i]
}

// awaited are the conditions that a device's driver has to set before the pod is bound.
func awaited(claim *resourcev1.ResourceClaim, result *resourcev1.DeviceRequestAllocationResult) []string {
	if len(result.BindingConditions) == 0 {
		return nil
	}
	status := driverStatus(claim, result)
	if status == nil {
		return result.BindingConditions
	}
	return slices.DeleteFunc(slices.Clone(result.BindingConditions), func(c string) bool { return meta.IsStatusConditionTrue(status.Conditions, c) })
}

// failure returns the condition by which a driver says that it could not prepare a device; nil if there is none.
func failure(claim *resourcev1.ResourceClaim, result *resourcev1.DeviceRequestAllocationResult) *metav1.Condition {
	if len(result.BindingFailureConditions) == 0 {
		return nil
	}
	if status := driverStatus(claim, result); status != nil {
		for _, name := range result.BindingFailureConditions {
			if c := meta.FindStatusCondition(status.Conditions, name); c != nil && c.Status == metav1.ConditionTrue {
				return c
			}
		}
	}
	return nil
}

// failedSince returns when a device of a claim failed; nil if none has.
func failedSince(c *deviceClaim) *time.Time {
	for i, results := 0, c.results(); i < len(results); i++ {
		if condition := failure(c.claim, &results[i]); condition != nil {
			return &condition.LastTransitionTime.Time
		}
	}
	return nil
}

// allocatedSince is when a claim got its devices, if it says; else when its pod was placed, or the claim created.
func (x *deviceIndex) allocatedSince(c *deviceClaim) time.Time {
	if a := c.claim.Status.Allocation; a != nil && a.AllocationTimestamp != nil {
		return a.AllocationTimestamp.Time
	}
	if pod := x.users.first(c.name); pod != nil && !c.inFlight {
		for i := range pod.Status.Conditions {
			if p := &pod.Status.Conditions[i]; p.Type == v1.PodScheduled && p.Status == v1.ConditionTrue && !p.LastTransitionTime.IsZero() {
				return p.LastTransitionTime.Time
			}
		}
	}
	return c.claim.CreationTimestamp.Time
}
