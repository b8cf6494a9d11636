package dynamicresources

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/devices"
)

// Some devices have to be made ready after they are allocated: attached to the node, for example. Each such device names
// conditions that its driver sets in the claim's status, and the pod is not bound before. A condition that says that it
// failed ends the binding, as does the end of the binding timeout, which counts from the allocation.

// bindingWords are how the end of a wait for devices is told.
type bindingWords struct{ timeout, claimTimeout, failure string }

var (
	wordsUpTo135 = bindingWords{"device binding timeout", "claim %s binding timeout", "claim %s binding failed: reason=%s, message=%q"}
	wordsFrom136 = bindingWords{
		"device binding timeout: context deadline exceeded", "device binding timeout: claim=%s", "device binding failed: claim=%s, reason=%s, message=%q",
	}
)

// readyForBinding reports whether all devices of a claim are ready, and returns the condition of one that has failed.
func readyForBinding(claim *resourcev1.ResourceClaim) (ready bool, failure *metav1.Condition) {
	if claim.Status.Allocation == nil {
		return false, nil
	}
	results := claim.Status.Allocation.Devices.Results
	for i := range results {
		if len(results[i].BindingConditions) == 0 {
			continue
		}
		status := statusOf(claim, &results[i])
		if status == nil {
			return false, nil
		}
		for _, failure := range results[i].BindingFailureConditions {
			if c := meta.FindStatusCondition(status.Conditions, failure); c != nil && c.Status == metav1.ConditionTrue {
				return false, c
			}
		}
		for _, condition := range results[i].BindingConditions {
			if !meta.IsStatusConditionTrue(status.Conditions, condition) {
				return false, nil
			}
		}
	}
	return true, nil
}

// statusOf is what its driver says about a device; nil if nothing.
func statusOf(claim *resourcev1.ResourceClaim, result *resourcev1.DeviceRequestAllocationResult) *resourcev1.AllocatedDeviceStatus {
	for i := range claim.Status.Devices {
		d := &claim.Status.Devices[i]
		if d.Device == result.Device && d.Driver == result.Driver && d.Pool == result.Pool {
			return d
		}
	}
	return nil
}

// bindingDeadline is when a claim's devices have to be ready; false if they have no conditions.
func (pl *DynamicResources) bindingDeadline(claim *resourcev1.ResourceClaim) (time.Time, bool) {
	if !hasConditions(claim) || claim.Status.Allocation.AllocationTimestamp == nil {
		return time.Time{}, false
	}
	return claim.Status.Allocation.AllocationTimestamp.Add(pl.bindingTimeout), true
}

func hasConditions(claim *resourcev1.ResourceClaim) bool {
	if claim.Status.Allocation == nil {
		return false
	}
	results := claim.Status.Allocation.Devices.Results
	for i := range results {
		if len(results[i].BindingConditions) > 0 {
			return true
		}
	}
	return false
}

// bindingEnded reports whether a claim's devices have failed, or were not ready in time.
func (pl *DynamicResources) bindingEnded(claim *resourcev1.ResourceClaim) bool {
	ready, failure := readyForBinding(claim)
	if failure != nil || ready {
		return failure != nil
	}
	deadline, limited := pl.bindingDeadline(claim)
	return limited && deadline.Before(pl.clock.Now())
}

// readyPod reports whether all devices of a pod are ready, with the claims as they are now. It is an error if one has failed,
// or if the time of a claim is over.
func (pl *DynamicResources) readyPod(r *reserved, pod *v1.Pod, now time.Time) (bool, error) {
	for i := range r.claims {
		claim := pl.devices.Claim(pod.Namespace, r.claims[i].claim.Name)
		if claim == nil {
			return false, devices.NotFound{Namespace: pod.Namespace, Name: r.claims[i].claim.Name}
		}
		ready, failure := readyForBinding(claim)
		if failure != nil {
			return false, fmt.Errorf(pl.words.failure, claim.Name, failure.Reason, failure.Message)
		}
		if deadline, limited := pl.bindingDeadline(claim); !ready && limited && deadline.Before(now) {
			return false, fmt.Errorf(pl.words.claimTimeout, claim.Name)
		}
		if !ready {
			return false, nil
		}
	}
	return true, nil
}
