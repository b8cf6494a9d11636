package requests

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resources "k8s.io/component-helpers/resource"
)

// QOS returns the QoS class of a pod by its resources, as kubelets and API servers have it since 1.37: by cpu and memory of the pod itself if
// it has any, and of its containers else. Before 1.37, a pod with a list of its own resources that is empty was BestEffort.
func QOS(pod *v1.Pod) v1.PodQOSClass {
	if resources.IsPodLevelResourcesSet(pod) {
		return classOf(pod.Spec.Resources)
	}
	var class v1.PodQOSClass
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		class = combined(class, classOf(&c.Resources))
	}
	if class == "" {
		return v1.PodQOSBestEffort
	}
	return class
}

// classOf returns the class of one list of resources: Guaranteed only if it limits both cpu and memory, and requests that much.
func classOf(r *v1.ResourceRequirements) (class v1.PodQOSClass) {
	for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
		request, limit := r.Requests[name], r.Limits[name]
		of := v1.PodQOSGuaranteed
		switch {
		case request.Cmp(limit) != 0:
			of = v1.PodQOSBurstable
		case limit.IsZero():
			of = v1.PodQOSBestEffort
		}
		class = combined(class, of)
	}
	return class
}

// combined returns the class of parts that have two classes, or no class yet.
func combined(class, of v1.PodQOSClass) v1.PodQOSClass {
	if class == "" || class == of {
		return of
	}
	return v1.PodQOSBurstable
}
