package pressure

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resources "k8s.io/component-helpers/resource"
)

// Reason is the reason in the status of evicted and rejected pods, and in the event.
const Reason = "Evicted"

// The annotations of the event about an evicted pod.
const (
	StarvedResourceKey          = "starved_resource"
	OffendingContainersKey      = "offending_containers"
	OffendingContainersUsageKey = "offending_containers_usage"
	OffendingPodKey             = "offending_pod"
	OffendingPodUsageKey        = "offending_pod_usage"
)

// Shortage describes the resource of an eviction: the threshold's amount and the available one.
type Shortage struct {
	Resource            v1.ResourceName
	Quantity, Available *resource.Quantity // nil where they are not known
}

// Message returns the message of an evicted pod's status, and the annotations of its event. The annotations are empty if
// the pod was not measured.
func Message(pod *v1.Pod, stats *PodStats, short Shortage) (message string, annotations map[string]string) {
	var b strings.Builder
	fmt.Fprintf(&b, "The node was low on resource: %s. ", short.Resource)
	if short.Quantity != nil && short.Available != nil {
		fmt.Fprintf(&b, "Threshold quantity: %s, available: %s. ", short.Quantity, short.Available)
	}
	annotations = map[string]string{}
	if stats == nil {
		return b.String(), annotations
	}
	describePodUsage(&b, pod, stats, short.Resource, annotations)
	describeContainerUsage(&b, pod, stats, short.Resource, annotations)
	annotations[StarvedResourceKey] = string(short.Resource)
	return b.String(), annotations
}

// describePodUsage describes the usage of a pod with a memory request of its own.
func describePodUsage(b *strings.Builder, pod *v1.Pod, stats *PodStats, of v1.ResourceName, annotations map[string]string) {
	if of != v1.ResourceMemory || stats.Memory == nil || !resources.IsPodLevelResourcesSet(pod) {
		return
	}
	asked, ok := pod.Spec.Resources.Requests[of]
	if !ok {
		return
	}
	used := stats.Memory.used()
	fmt.Fprintf(b, "Pod %s was using %s, request is %s, has larger consumption of %s. ",
		pod.Name, used.String(), asked.String(), of)
	annotations[OffendingPodKey], annotations[OffendingPodUsageKey] = pod.Name, used.String()
}

// describeContainerUsage names the containers that exceed their requests, in the order of the measurements.
func describeContainerUsage(b *strings.Builder, pod *v1.Pod, stats *PodStats, of v1.ResourceName, annotations map[string]string) {
	var names, usages []string
	for i := range stats.Containers {
		container := containerNamed(pod, stats.Containers[i].Name)
		used, known := stats.Containers[i].usage(of)
		if container == nil || !known {
			continue
		}
		asked := container.Resources.Requests[of]
		if used.Cmp(asked) <= 0 {
			continue
		}
		fmt.Fprintf(b, "Container %s was using %s, request is %s, has larger consumption of %s. ",
			container.Name, used.String(), asked.String(), of)
		names, usages = append(names, container.Name), append(usages, used.String())
	}
	annotations[OffendingContainersKey] = strings.Join(names, ",")
	annotations[OffendingContainersUsageKey] = strings.Join(usages, ",")
}

func containerNamed(pod *v1.Pod, name string) *v1.Container {
	for _, list := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		if i := slices.IndexFunc(list, func(c v1.Container) bool { return c.Name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// usage returns a container's usage of a requestable resource; known is false if it was not measured.
func (c *ContainerStats) usage(of v1.ResourceName) (used resource.Quantity, known bool) {
	switch {
	case of == v1.ResourceMemory && c.Memory != nil && c.Memory.WorkingSetBytes != nil:
		return c.Memory.used(), true
	case of == v1.ResourceEphemeralStorage && c.Rootfs != nil && c.Rootfs.UsedBytes != nil &&
		c.Logs != nil && c.Logs.UsedBytes != nil:
		return *resource.NewQuantity(int64(*c.Rootfs.UsedBytes+*c.Logs.UsedBytes), resource.BinarySI), true
	}
	return resource.Quantity{}, false
}
