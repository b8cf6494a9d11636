package cache

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	podrequests "orrery/core/requests"
)

// A container that requests no cpu or no memory counts this much in scoring, so that such pods spread out.
const (
	defaultMilliCPU = 100               // thousandths of a core
	defaultMemory   = 200 * 1024 * 1024 // bytes
)

// Accounting says how a pod's requests are added up. The zero value is what Kubernetes 1.35 does with its default
// feature gates.
type Accounting struct {
	// IgnorePodLevel leaves spec.resources out (feature gate PodLevelResources off).
	IgnorePodLevel bool
	// PodLevelStatus lets status.resources weigh in for the requests of the whole pod
	// (feature gate InPlacePodLevelResourcesVerticalScaling on).
	PodLevelStatus bool
}

// NewPodInfo is the package's NewPodInfo with these rules.
func (a Accounting) NewPodInfo(pod *v1.Pod) (*PodInfo, error) {
	info := &PodInfo{accounting: a}
	return info, info.Update(pod)
}

// sum is what the pod needs for itself and, second and third, its cpu and memory with a minimum for every container
// that names none.
func (a Accounting) sum(pod *v1.Pod) (requests Resource, nonZeroCPU, nonZeroMemory int64) {
	if a.isPlain(pod) {
		if requests, nonZeroCPU, nonZeroMemory, ok := sumPlain(pod); ok {
			return requests, nonZeroCPU, nonZeroMemory
		}
	}
	list, nonZero := a.lists(pod)
	requests.Add(list)
	return requests, nonZero.Cpu().MilliValue(), nonZero.Memory().Value()
}

// isPlain is true for most pods before they run: nothing but containers and overhead adds to the sum.
func (a Accounting) isPlain(pod *v1.Pod) bool {
	if len(pod.Spec.InitContainers) > 0 || (pod.Spec.Resources != nil && !a.IgnorePodLevel) {
		return false
	}
	for i := range pod.Status.ContainerStatuses {
		if pod.Status.ContainerStatuses[i].Resources != nil {
			return false
		}
	}
	return true
}

// sumPlain adds up a plain pod without making any list. It gives up on resources that are counted by name.
func sumPlain(pod *v1.Pod) (requests Resource, nonZeroCPU, nonZeroMemory int64, ok bool) {
	var cpu, memory, storage resource.Quantity
	var missingCPU, missingMemory int64
	add := func(list v1.ResourceList) bool {
		for name, quantity := range list {
			switch name {
			case v1.ResourceCPU:
				cpu.Add(quantity)
			case v1.ResourceMemory:
				memory.Add(quantity)
			case v1.ResourceEphemeralStorage:
				storage.Add(quantity)
			default:
				return false
			}
		}
		return true
	}
	for i := range pod.Spec.Containers {
		list := pod.Spec.Containers[i].Resources.Requests
		if !add(list) {
			return requests, 0, 0, false
		}
		if _, named := list[v1.ResourceCPU]; !named {
			missingCPU++
		}
		if _, named := list[v1.ResourceMemory]; !named {
			missingMemory++
		}
	}
	if !add(pod.Spec.Overhead) {
		return requests, 0, 0, false
	}
	requests = Resource{MilliCPU: cpu.MilliValue(), Memory: memory.Value(), EphemeralStorage: storage.Value()}
	if missingCPU > 0 {
		cpu.Add(*resource.NewMilliQuantity(missingCPU*defaultMilliCPU, resource.DecimalSI))
	}
	if missingMemory > 0 {
		memory.Add(*resource.NewQuantity(missingMemory*defaultMemory, resource.DecimalSI))
	}
	return requests, cpu.MilliValue(), memory.Value(), true
}

// lists are the pod's requests, and the same with the minimums.
func (a Accounting) lists(pod *v1.Pod) (requests, nonZero v1.ResourceList) {
	options := resourcehelper.PodResourcesOptions{
		UseStatusResources:                             true,
		SkipPodLevelResources:                          a.IgnorePodLevel,
		InPlacePodLevelResourcesVerticalScalingEnabled: a.PodLevelStatus,
	}
	requests = podrequests.Of(pod, options)
	options.NonMissingContainerRequests = a.minimums(pod, requests)
	if len(options.NonMissingContainerRequests) == 0 {
		return requests, requests
	}
	return requests, podrequests.Of(pod, options)
}

// minimums are the per-container minimums that apply to the pod. Where the pod as a whole has requests, a minimum
// counts only for a resource that neither the pod nor any container asks for.
func (a Accounting) minimums(pod *v1.Pod, requests v1.ResourceList) v1.ResourceList {
	minimums := v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(defaultMilliCPU, resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(defaultMemory, resource.DecimalSI),
	}
	if a.IgnorePodLevel || !resourcehelper.IsPodLevelRequestsSet(pod) {
		return minimums
	}
	for name := range requests {
		delete(minimums, name)
	}
	return minimums
}
