package pressure

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resources "k8s.io/component-helpers/resource"
)

// Reason is what an evicted pod's status and a refused pod's status give as their reason, and its event, too.
const Reason = "Evicted"

// The annotations of the event about an evicted pod.
const (
	StarvedResourceKey          = "starved_resource"
	OffendingContainersKey      = "offending_containers"
	OffendingContainersUsageKey = "offending_containers_usage"
	OffendingPodKey             = "offending_pod"
	OffendingPodUsageKey        = "offending_pod_usage"
)

// Shortage is what a kubelet knows of the resource for which it evicts: the threshold's amount and what is available.
type Shortage struct {
	Resource            v1.ResourceName
	Quantity, Available *resource.Quantity // nil where they are not known
}

// Message is what an evicted pod's status says, and the annotations of its event. The annotations are empty if nothing
// was measured of the pod.
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
	blamePod(&b, pod, stats, short.Resource, annotations)
	blameContainers(&b, pod, stats, short.Resource, annotations)
	annotations[StarvedResourceKey] = string(short.Resource)
	return b.String(), annotations
}

// blamePod says what a pod with a memory request of its own was using.
func blamePod(b *strings.Builder, pod *v1.Pod, stats *PodStats, of v1.ResourceName, annotations map[string]string) {
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

// blameContainers names the containers that use more than they ask for, in the order in which they were measured.
func blameContainers(b *strings.Builder, pod *v1.Pod, stats *PodStats, of v1.ResourceName, annotations map[string]string) {
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

// usage is what one container uses of a resource that containers request; known is false where it was not measured.
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
