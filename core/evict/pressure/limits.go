package pressure

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resources "k8s.io/component-helpers/resource"
)

// OverLimit describes how a pod exceeds its limits of local storage: an emptyDir volume its size limit, the pod the sum of
// its limits, or a container its own. It is empty if the pod exceeds none. The node's free space does not matter.
func OverLimit(pod *v1.Pod, stats *PodStats, layout Layout) string {
	if stats == nil {
		return ""
	}
	for _, check := range []func(*v1.Pod, *PodStats, Layout) string{volumeOverLimit, podOverLimit, containerOverLimit} {
		if message := check(pod, stats, layout); message != "" {
			return message
		}
	}
	return ""
}

func volumeOverLimit(pod *v1.Pod, stats *PodStats, _ Layout) string {
	for i := range pod.Spec.Volumes {
		dir := pod.Spec.Volumes[i].EmptyDir
		if dir == nil || dir.SizeLimit == nil || dir.SizeLimit.Sign() <= 0 {
			continue
		}
		measured := stats.volume(pod.Spec.Volumes[i].Name)
		used := resource.NewQuantity(measured.used(v1.ResourceEphemeralStorage), resource.BinarySI)
		if used.Cmp(*dir.SizeLimit) > 0 {
			return fmt.Sprintf("Usage of EmptyDir volume %q exceeds the limit %q. ", pod.Spec.Volumes[i].Name, dir.SizeLimit.String())
		}
	}
	return ""
}

func podOverLimit(pod *v1.Pod, stats *PodStats, _ Layout) string {
	if !limitsStorage(pod) {
		return ""
	}
	// The library adds overhead to quantities that may still be the pod's own, so it is added here, to a copy.
	limit, ok := resources.PodLimits(pod, resources.PodResourcesOptions{ExcludeOverhead: true})[v1.ResourceEphemeralStorage]
	if !ok {
		return ""
	}
	limit = limit.DeepCopy()
	if extra, ok := pod.Spec.Overhead[v1.ResourceEphemeralStorage]; ok && !limit.IsZero() {
		limit.Add(extra)
	}
	used := resource.NewQuantity(stats.EphemeralStorage.used(v1.ResourceEphemeralStorage), resource.BinarySI)
	if used.Cmp(limit) <= 0 {
		return ""
	}
	return fmt.Sprintf("Pod ephemeral local storage usage exceeds the total limit of containers %s. ", limit.String())
}

// limitsStorage reports whether any container has a storage limit; it is cheaper than the sum of all limits.
func limitsStorage(pod *v1.Pod) bool {
	for _, list := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range list {
			if _, ok := list[i].Resources.Limits[v1.ResourceEphemeralStorage]; ok {
				return true
			}
		}
	}
	return false
}

// containerOverLimit counts a container's logs, and its writable layer unless that lies on a filesystem for images.
func containerOverLimit(pod *v1.Pod, stats *PodStats, layout Layout) string {
	for i := range stats.Containers {
		s := &stats.Containers[i]
		limit := limitOf(pod, s.Name)
		if limit == nil {
			continue
		}
		used := s.Logs.used(v1.ResourceEphemeralStorage)
		if layout == OneFs {
			used += s.Rootfs.used(v1.ResourceEphemeralStorage)
		}
		if limit.Cmp(*resource.NewQuantity(used, resource.BinarySI)) < 0 {
			return fmt.Sprintf("Container %s exceeded its local ephemeral storage limit %q. ", s.Name, limit.String())
		}
	}
	return ""
}

// limitOf returns the limit of a container, nil if it has none. Of init containers, those count that run as long as the pod does, since 1.37.
func limitOf(pod *v1.Pod, name string) *resource.Quantity {
	c := containerNamed(pod, name)
	isInit := slices.ContainsFunc(pod.Spec.InitContainers, func(init v1.Container) bool { return init.Name == name })
	if c == nil || isInit && !isSidecar(pod, c) {
		return nil
	}
	if limit := c.Resources.Limits.StorageEphemeral(); limit.Value() != 0 {
		return limit
	}
	return nil
}
