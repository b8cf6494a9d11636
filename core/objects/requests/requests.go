// Package requests sums up what a pod requests, by Kubernetes' own rules (k8s.io/component-helpers/resource), without
// ever changing the pod.
//
// The library adds overhead to the quantities of spec.resources where they are, if they are fractions, so that a pod
// grows at every call. Objects here are shared and never change; the library is given a copy of what
// it would write to.
package requests

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// Of is what a pod requests.
func Of(pod *v1.Pod, options resource.PodResourcesOptions) v1.ResourceList {
	return resource.PodRequests(writable(pod, options), options)
}

// Limits is what a pod may use at most. Resources that it may use without a limit are not in it.
func Limits(pod *v1.Pod, options resource.PodResourcesOptions) v1.ResourceList {
	return resource.PodLimits(writable(pod, options), options)
}

// writable is a pod whose own quantities may be written to.
func writable(pod *v1.Pod, options resource.PodResourcesOptions) *v1.Pod {
	if pod.Spec.Resources == nil || len(pod.Spec.Overhead) == 0 || options.SkipPodLevelResources {
		return pod
	}
	own := *pod
	own.Spec.Resources = pod.Spec.Resources.DeepCopy()
	return &own
}
