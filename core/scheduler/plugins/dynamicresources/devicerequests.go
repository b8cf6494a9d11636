package dynamicresources

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// containerRequests are the requests for one resource by one kind of containers, and which container has which.
type containerRequests struct {
	requests []resourcev1.DeviceRequest
	mappings []v1.ContainerExtendedResourceRequest
}

// deviceRequests returns the requests for a pod's extended resources, by name, and the containers that they are for.
func deviceRequests(pod *v1.Pod, classes map[v1.ResourceName]string) ([]resourcev1.DeviceRequest, []v1.ContainerExtendedResourceRequest) {
	var requests []resourcev1.DeviceRequest
	var mappings []v1.ContainerExtendedResourceRequest
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		lasting := lastingRequests(pod, name, classes[name])
		passing := passingRequest(pod, name, classes[name], lasting)
		requests = append(requests, passing.requests...)
		for _, request := range lasting.of {
			if request != nil {
				requests = append(requests, *request)
			}
		}
		mappings = append(append(mappings, lasting.mappings...), passing.mappings...)
	}
	slices.SortFunc(requests, func(a, b resourcev1.DeviceRequest) int { return strings.Compare(a.Name, b.Name) })
	return requests, mappings
}

// lasting are the requests of containers that run until the pod ends, by the position of the container: init containers
// first. Init containers that end before use the same devices.
type lasting struct {
	of       []*resourcev1.DeviceRequest
	mappings []v1.ContainerExtendedResourceRequest
}

func containersOf(pod *v1.Pod) []v1.Container {
	return slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
}

func endsBefore(pod *v1.Pod, position int, container *v1.Container) bool {
	return position < len(pod.Spec.InitContainers) && ptr.Deref(container.RestartPolicy, "") != v1.ContainerRestartPolicyAlways
}

func lastingRequests(pod *v1.Pod, name v1.ResourceName, class string) lasting {
	containers := containersOf(pod)
	all := lasting{of: make([]*resourcev1.DeviceRequest, len(containers))}
	for i := range containers {
		if container := &containers[i]; !endsBefore(pod, i, container) {
			if amount := amountOf(container, name); amount > 0 {
				all.of[i] = deviceRequest(i, container, name, class, amount)
				all.mappings = append(all.mappings, mapping(container, name, all.of[i].Name))
			}
		}
	}
	return all
}

// passingRequest is the request of the init containers that end: the largest that any of them has beyond what the containers
// after it have anyway. Those with smaller ones share it.
func passingRequest(pod *v1.Pod, name v1.ResourceName, class string, later lasting) containerRequests {
	containers := containersOf(pod)
	var largest *resourcev1.DeviceRequest
	var mappings []v1.ContainerExtendedResourceRequest
	own := map[int]bool{} // positions of mappings to requests of init containers
	for i := range pod.Spec.InitContainers {
		container := &containers[i]
		left := amountOf(container, name)
		if !endsBefore(pod, i, container) || left <= 0 {
			continue
		}
		for _, request := range later.of[i:] {
			if request != nil && left > 0 {
				left -= request.Exactly.Count
				mappings = append(mappings, mapping(container, name, request.Name))
			}
		}
		if left <= 0 {
			continue
		}
		request := deviceRequest(i, container, name, class, left)
		own[len(mappings)] = true
		mappings = append(mappings, mapping(container, name, request.Name))
		if largest == nil || largest.Exactly.Count < left {
			largest = request
		}
	}
	if largest == nil {
		return containerRequests{mappings: mappings}
	}
	for position := range own {
		mappings[position].RequestName = largest.Name
	}
	return containerRequests{[]resourcev1.DeviceRequest{*largest}, mappings}
}

func amountOf(container *v1.Container, name v1.ResourceName) int64 {
	quantity := container.Resources.Requests[name]
	amount, _ := quantity.AsInt64()
	return amount
}

// deviceRequest names a request by the container's position, and that of the resource among those that it requests.
func deviceRequest(position int, container *v1.Container, name v1.ResourceName, class string, amount int64) *resourcev1.DeviceRequest {
	index := slices.Index(slices.Sorted(maps.Keys(container.Resources.Requests)), name)
	return &resourcev1.DeviceRequest{
		Name: fmt.Sprintf("container-%d-request-%d", position, index),
		Exactly: &resourcev1.ExactDeviceRequest{
			DeviceClassName: class, AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: amount,
		},
	}
}

func mapping(container *v1.Container, name v1.ResourceName, request string) v1.ContainerExtendedResourceRequest {
	return v1.ContainerExtendedResourceRequest{ContainerName: container.Name, ResourceName: string(name), RequestName: request}
}
