package deviceapi

import (
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Default sets what an object leaves out. Taints get the time, which is in whole seconds. An object of another kind is left as
// it is.
func Default(o any, now metav1.Time) {
	switch o := o.(type) {
	case *resourcev1.ResourceClaim:
		defaultRequests(o.Spec.Devices.Requests)
	case *resourcev1.ResourceClaimTemplate:
		defaultRequests(o.Spec.Spec.Devices.Requests)
	case *resourcev1.ResourceSlice:
		for i := range o.Spec.Devices {
			for j := range o.Spec.Devices[i].Taints {
				defaultTime(&o.Spec.Devices[i].Taints[j].TimeAdded, now)
			}
		}
	case *resourcev1alpha3.DeviceTaintRule:
		defaultTime(&o.Spec.Taint.TimeAdded, now)
	}
}

func defaultTime(at **metav1.Time, now metav1.Time) {
	if *at == nil {
		*at = &now
	}
}

func defaultRequests(requests []resourcev1.DeviceRequest) {
	for i := range requests {
		if exactly := requests[i].Exactly; exactly != nil {
			defaultMode(&exactly.AllocationMode, &exactly.Count)
			defaultOperators(exactly.Tolerations)
		}
		for j := range requests[i].FirstAvailable {
			sub := &requests[i].FirstAvailable[j]
			defaultMode(&sub.AllocationMode, &sub.Count)
			defaultOperators(sub.Tolerations)
		}
	}
}

// defaultOperators compares values unless a toleration says otherwise.
func defaultOperators(list []resourcev1.DeviceToleration) {
	for i := range list {
		if list[i].Operator == "" {
			list[i].Operator = resourcev1.DeviceTolerationOpEqual
		}
	}
}

// defaultMode requests one device, unless a request says how many.
func defaultMode(mode *resourcev1.DeviceAllocationMode, count *int64) {
	if *mode == "" {
		*mode = resourcev1.DeviceAllocationModeExactCount
	}
	if *mode == resourcev1.DeviceAllocationModeExactCount && *count == 0 {
		*count = 1
	}
}
