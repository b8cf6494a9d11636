package noderesources

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"orrery/core/config"
	"orrery/core/requests"
)

// reading says which parts of a pod count towards its requests. The zero value reads containers and overhead of the
// spec alone.
type reading struct {
	podLevel       bool // spec.resources
	podLevelResize bool // status.resources, where spec.resources is being changed
}

func newReading(features config.Features) reading {
	return reading{
		podLevel:       features.Enabled(config.PodLevelResources),
		podLevelResize: features.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
	}
}

func requestsOf(pod *v1.Pod, options resourcehelper.PodResourcesOptions) request {
	return newRequest(requests.Of(pod, options))
}

// asked is what the pod's spec asks for. The filter uses it: a pod that has not started has no status to look at.
func (r reading) asked(pod *v1.Pod) request {
	return requestsOf(pod, resourcehelper.PodResourcesOptions{SkipPodLevelResources: !r.podLevel})
}

// held is what a pod holds while it is being resized in place: the most of what is asked for, allocated and in force.
func (r reading) held(pod *v1.Pod) request {
	return requestsOf(pod, resourcehelper.PodResourcesOptions{
		UseStatusResources: true,
		InPlacePodLevelResourcesVerticalScalingEnabled: r.podLevelResize,
		SkipPodLevelResources:                          !r.podLevel,
	})
}

// unsaid is what a container counts for in Fit scores where it does not say.
var unsaid = v1.ResourceList{
	v1.ResourceCPU:    *resource.NewMilliQuantity(100, resource.DecimalSI),
	v1.ResourceMemory: *resource.NewQuantity(200*1024*1024, resource.DecimalSI),
}

// assumed is what Fit scores count for a pod: its containers, each with defaults for what it does not say, and its
// overhead. Pod-level resources are not looked at.
func assumed(pod *v1.Pod) request {
	return requestsOf(pod, resourcehelper.PodResourcesOptions{
		NonMissingContainerRequests: unsaid,
		SkipPodLevelResources:       true,
	})
}

// saysAll tells whether what Fit scores count for a pod is just what it asks for.
func saysAll(pod *v1.Pod) bool {
	return pod.Spec.Resources == nil && allSay(pod.Spec.Containers) && allSay(pod.Spec.InitContainers)
}

func allSay(containers []v1.Container) bool {
	for i := range containers {
		asked := containers[i].Resources.Requests
		if _, cpu := asked[v1.ResourceCPU]; !cpu {
			return false
		}
		if _, memory := asked[v1.ResourceMemory]; !memory {
			return false
		}
	}
	return true
}

// isStarted tells whether a pod has a status that may hold more than its spec asks for.
func isStarted(pod *v1.Pod) bool {
	status := &pod.Status
	return len(status.ContainerStatuses) > 0 || len(status.InitContainerStatuses) > 0 || status.Resources != nil
}
