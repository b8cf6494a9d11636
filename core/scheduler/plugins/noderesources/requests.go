package noderesources

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
)

// requestOptions says which parts of a pod count towards its requests. The zero value counts containers and overhead of the
// spec alone.
type requestOptions struct {
	podLevel       bool // spec.resources
	podLevelResize bool // status.resources, where spec.resources is being changed
	sum            requests.Sum
}

func newRequestOptions(features config.Features) requestOptions {
	return requestOptions{
		podLevel:       features.Enabled(config.PodLevelResources),
		podLevelResize: features.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
		sum:            SumOf(features),
	}
}

// SumOf is the rule for what a pod requests while it is resized.
func SumOf(features config.Features) requests.Sum {
	if features.Has(release.ResizeSummedByPod) {
		return requests.PerPod
	}
	return requests.PerContainer
}

func plainRequest(sum *requests.PlainSum) request {
	r := request{
		milliCPU: requests.Amount(v1.ResourceCPU, sum.CPU), memory: requests.Amount(v1.ResourceMemory, sum.Memory),
		ephemeral: requests.Amount(v1.ResourceEphemeralStorage, sum.EphemeralStorage),
	}
	for name, amount := range sum.Scalars() {
		r.scalars = append(r.scalars, scalar{name, amount})
	}
	r.sortScalars()
	return r
}

func requestsOf(pod *v1.Pod, options resourcehelper.PodResourcesOptions) request {
	return newRequest(requests.Of(pod, options))
}

// requests are the requests of the pod's spec, for Filter: a pending pod has no container statuses.
func (r requestOptions) requests(pod *v1.Pod) request {
	if sum, ok := requests.Plain(pod); ok {
		return plainRequest(&sum)
	}
	return requestsOf(pod, resourcehelper.PodResourcesOptions{SkipPodLevelResources: !r.podLevel})
}

// allocated is the most of the requested, allocated and actual resources of a pod that is being resized in place.
func (r requestOptions) allocated(pod *v1.Pod) request {
	return newRequest(r.sum.Of(pod, resourcehelper.PodResourcesOptions{
		UseStatusResources: true,
		InPlacePodLevelResourcesVerticalScalingEnabled: r.podLevelResize,
		SkipPodLevelResources:                          !r.podLevel,
	}))
}

// defaultRequests are what Fit scores count for a container without requests.
var defaultRequests = v1.ResourceList{
	v1.ResourceCPU:    *resource.NewMilliQuantity(defaultMilliCPU, resource.DecimalSI),
	v1.ResourceMemory: *resource.NewQuantity(defaultMemory, resource.DecimalSI),
}

const (
	defaultMilliCPU = 100
	defaultMemory   = 200 * 1024 * 1024 // bytes
)

// nonMissingRequests is what Fit scores count for a pod: its containers, with defaults for missing requests, and its
// overhead. Pod-level resources are ignored.
func nonMissingRequests(pod *v1.Pod) request {
	if sum, ok := requests.Plain(pod); ok {
		sum.Defaults(defaultMilliCPU, defaultMemory)
		return plainRequest(&sum)
	}
	return requestsOf(pod, resourcehelper.PodResourcesOptions{
		NonMissingContainerRequests: defaultRequests,
		SkipPodLevelResources:       true,
	})
}

// hasAllRequests reports whether Fit scores count a pod with its own requests.
func hasAllRequests(pod *v1.Pod) bool {
	return pod.Spec.Resources == nil && allHaveRequests(pod.Spec.Containers) && allHaveRequests(pod.Spec.InitContainers)
}

func allHaveRequests(containers []v1.Container) bool {
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

// isStarted reports whether a pod has a status whose allocated resources may exceed the requests.
func isStarted(pod *v1.Pod) bool {
	status := &pod.Status
	return len(status.ContainerStatuses) > 0 || len(status.InitContainerStatuses) > 0 || status.Resources != nil
}
