package pressure

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	resources "k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
)

// When memory runs out the kernel kills the process with the highest score: its share of the memory in thousandths, and an
// adjustment that the kubelet gives it.
const (
	guaranteedAdj = -997
	bestEffortAdj = 1000
	// A burstable container is never as safe as a guaranteed one that uses all memory, nor as much at risk as best effort.
	minBurstableAdj, maxBurstableAdj = 1000 + guaranteedAdj, bestEffortAdj - 1

	nodeCritical = "system-node-critical"
)

// OOMScoreAdj is the adjustment of a container, oom_score_adj, on a node with so many bytes of memory. That of a burstable container
// is the lower the more memory it requests; a sidecar's is at most that of the regular container that requests least.
func OOMScoreAdj(pod *v1.Pod, container *v1.Container, capacity int64) int64 {
	if pod.Spec.PriorityClassName == nodeCritical && ExemptReason(pod) != "" {
		return guaranteedAdj
	}
	switch QOS(pod) {
	case v1.PodQOSGuaranteed:
		return guaranteedAdj
	case v1.PodQOSBestEffort:
		return bestEffortAdj
	}
	requested := memoryOfList(container.Resources.Requests)
	if isSidecar(pod, container) {
		requested = max(requested, leastRequest(pod.Spec.Containers))
	}
	adj := burstableAdj(requested+unassignedRequest(pod), capacity)
	if adj == bestEffortAdj {
		return maxBurstableAdj
	}
	return max(adj, minBurstableAdj)
}

func burstableAdj(requested, capacity int64) int64 {
	return 1000 - saturating.Mul(1000, requested)/max(capacity, 1)
}

func leastRequest(containers []v1.Container) int64 {
	least := memoryOfList(containers[0].Resources.Requests)
	for i := range containers {
		least = min(least, memoryOfList(containers[i].Resources.Requests))
	}
	return least
}

// unassignedRequest is each container's part of what a pod itself requests beyond the requests of its containers.
func unassignedRequest(pod *v1.Pod) int64 {
	own := pod.Spec.Resources
	if own == nil || !isPositive(own.Requests, v1.ResourceMemory) {
		return 0
	}
	assigned := requests.Of(pod, resources.PodResourcesOptions{SkipPodLevelResources: true, ExcludeOverhead: true})
	return (memoryOfList(own.Requests) - memoryOfList(assigned)) / int64(len(pod.Spec.Containers)+len(pod.Spec.InitContainers))
}

func isSidecar(pod *v1.Pod, c *v1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways &&
		slices.ContainsFunc(pod.Spec.InitContainers, func(init v1.Container) bool { return init.Name == c.Name })
}

// Process is a container as the kernel's OOM killer sees it.
type Process struct {
	Pod       *v1.Pod
	Container string
	// Used is its memory in bytes, Adj its oom_score_adj.
	Used, Adj int64
	// Score is its share of the memory in thousandths, with Adj added.
	Score int64
	// badness is the same in bytes, which decides.
	badness int64
}

// OOMOrder returns the containers of pods in the order in which the OOM killer takes them when so many bytes of memory are used
// up, on a node with a capacity. It takes only the first, and again when memory runs out again. Containers without memory are left out.
func OOMOrder(pods []*v1.Pod, summary *Summary, limit, capacity int64) []Process {
	var all []Process
	measured := summary.byPod()
	for _, pod := range pods {
		stats := measured[pod.UID]
		if stats == nil {
			continue
		}
		for i := range stats.Containers {
			c := containerNamed(pod, stats.Containers[i].Name)
			used := stats.Containers[i].Memory.used()
			if c == nil || used.Sign() <= 0 {
				continue
			}
			all = append(all, processOf(pod, c, used.Value(), limit, capacity))
		}
	}
	slices.SortStableFunc(all, func(a, b Process) int {
		return cmp.Or(cmp.Compare(b.badness, a.badness),
			cmp.Compare(a.Pod.Namespace, b.Pod.Namespace), cmp.Compare(a.Pod.Name, b.Pod.Name))
	})
	return all
}

func processOf(pod *v1.Pod, c *v1.Container, used, limit, capacity int64) Process {
	p := Process{Pod: pod, Container: c.Name, Used: used, Adj: OOMScoreAdj(pod, c, capacity)}
	p.badness = used + p.Adj*(limit/1000)
	p.Score = saturating.Mul(1000, used)/max(limit, 1) + p.Adj
	return p
}
