// Package requests sums up what a pod requests, by Kubernetes' own rules (k8s.io/component-helpers/resource), without
// ever changing the pod.
//
// The library adds overhead to the quantities of spec.resources where they are, if they are fractions, so that a pod
// grows at every call. Objects here are shared and never change; the library is given a copy of what
// it would write to.
//
// A negative quantity counts as zero. It would take from what the pod's other containers request, and so from what
// the pods of the node are known to use. API servers admit none in a spec; a status is not validated.
package requests

import (
	"iter"

	v1 "k8s.io/api/core/v1"
	apiresource "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/component-helpers/resource"
)

// Of is what a pod requests, [PerContainer] where it is being resized.
func Of(pod *v1.Pod, options resource.PodResourcesOptions) v1.ResourceList {
	return PerContainer.Of(pod, options)
}

// Limits is what a pod may use at most. Resources that it may use without a limit are not in it.
func Limits(pod *v1.Pod, options resource.PodResourcesOptions) v1.ResourceList {
	return resource.PodLimits(countable(pod, options), options)
}

// countable is a pod whose own quantities may be written to, and none of which is negative.
func countable(pod *v1.Pod, options resource.PodResourcesOptions) *v1.Pod {
	if hasNegative(pod) {
		pod = pod.DeepCopy()
		for list := range lists(pod) {
			zeroNegative(list)
		}
		return pod
	}
	if pod.Spec.Resources == nil || len(pod.Spec.Overhead) == 0 || options.SkipPodLevelResources {
		return pod
	}
	own := *pod
	own.Spec.Resources = pod.Spec.Resources.DeepCopy()
	return &own
}

func hasNegative(pod *v1.Pod) bool {
	for list := range lists(pod) {
		for _, quantity := range list {
			if quantity.Sign() < 0 {
				return true
			}
		}
	}
	return false
}

func zeroNegative(list v1.ResourceList) {
	for name, quantity := range list {
		if quantity.Sign() < 0 {
			list[name] = apiresource.Quantity{Format: quantity.Format}
		}
	}
}

// lists yields every list of quantities of a pod from which its requests and limits are made.
func lists(pod *v1.Pod) iter.Seq[v1.ResourceList] {
	return func(yield func(v1.ResourceList) bool) {
		both := func(r *v1.ResourceRequirements) bool { return r == nil || yield(r.Requests) && yield(r.Limits) }
		containers := func(all []v1.Container) bool {
			for i := range all {
				if !both(&all[i].Resources) {
					return false
				}
			}
			return true
		}
		statuses := func(all []v1.ContainerStatus) bool {
			for i := range all {
				if !both(all[i].Resources) || !yield(all[i].AllocatedResources) {
					return false
				}
			}
			return true
		}
		spec, status := &pod.Spec, &pod.Status
		_ = containers(spec.InitContainers) && containers(spec.Containers) && both(spec.Resources) && yield(spec.Overhead) &&
			statuses(status.InitContainerStatuses) && statuses(status.ContainerStatuses) &&
			both(status.Resources) && yield(status.AllocatedResources)
	}
}
