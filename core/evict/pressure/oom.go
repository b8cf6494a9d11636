package pressure

import (
	"cmp"
	"slices"

	v1 "k8s.io/api/core/v1"
	resources "k8s.io/component-helpers/resource"
)

// The kernel's OOM killer takes the process with the highest score: its share of the memory in thousandths, plus an
// adjustment that the kubelet sets.
const (
	// SystemOOMScoreAdj is that of the kubelet and of kube-proxy themselves.
	SystemOOMScoreAdj     = -999
	guaranteedOOMScoreAdj = -997
	bestEffortOOMScoreAdj = 1000
	// A burstable container never gets as safe as a guaranteed one that uses all memory, nor as unsafe as best effort.
	leastBurstable, mostBurstable = 1000 + guaranteedOOMScoreAdj, bestEffortOOMScoreAdj - 1
	nodeCritical                  = "system-node-critical"
)

// OOMScoreAdj is the adjustment of a container on a node with so many bytes of memory. A burstable container's is the
// lower the more memory it requests; a sidecar's is no higher than that of the regular container that requests least.
func OOMScoreAdj(pod *v1.Pod, container *v1.Container, capacity int64) int {
	if pod.Spec.PriorityClassName == nodeCritical && Spared(pod) != "" {
		return guaranteedOOMScoreAdj
	}
	switch QOS(pod) {
	case v1.PodQOSGuaranteed:
		return guaranteedOOMScoreAdj
	case v1.PodQOSBestEffort:
		return bestEffortOOMScoreAdj
	}
	share := spareShare(pod)
	adj := burstable(memoryRequest(container)+share, capacity)
	if isSidecar(pod, container) {
		least := memoryRequest(&pod.Spec.Containers[0])
		for i := range pod.Spec.Containers {
			least = min(least, memoryRequest(&pod.Spec.Containers[i]))
		}
		adj = min(adj, burstable(least+share, capacity))
	}
	if adj == bestEffortOOMScoreAdj {
		return mostBurstable
	}
	return int(max(adj, leastBurstable))
}

func burstable(request, capacity int64) int64 { return 1000 - 1000*request/capacity }

func memoryRequest(c *v1.Container) int64 { return c.Resources.Requests.Memory().Value() }

// spareShare is each container's share of what the pod itself requests beyond the requests of its containers.
func spareShare(pod *v1.Pod) int64 {
	if !resources.IsPodLevelRequestsSet(pod) || pod.Spec.Resources.Requests.Memory().IsZero() {
		return 0
	}
	of := resources.AggregateContainerRequests(pod, resources.PodResourcesOptions{})
	spare := pod.Spec.Resources.Requests.Memory().Value() - of.Memory().Value()
	return spare / int64(len(pod.Spec.Containers)+len(pod.Spec.InitContainers))
}

func isSidecar(pod *v1.Pod, c *v1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways &&
		slices.ContainsFunc(pod.Spec.InitContainers, func(init v1.Container) bool { return init.Name == c.Name })
}

// Process is a container as the OOM killer sees it.
type Process struct {
	Pod       *v1.Pod
	Container string
	Adj       int
	// Used is its memory in bytes.
	Used int64
	// Score is its share of the node's memory in thousandths, plus the adjustment.
	Score float64
}

// OOMOrder is the order in which the OOM killer would take the containers of these pods on a node with so many bytes of
// memory, the first to go first. A container that is killed may start again, by its pod's restart policy: unlike an
// evicted pod.
func OOMOrder(pods []*v1.Pod, summary *Summary, capacity int64) []Process {
	var all []Process
	for _, pod := range pods {
		stats := summary.Pod(pod.UID)
		if stats == nil {
			continue
		}
		for i := range stats.Containers {
			c := containerNamed(pod, stats.Containers[i].Name)
			if c == nil {
				continue
			}
			used := stats.Containers[i].Memory.used()
			p := Process{Pod: pod, Container: c.Name, Adj: OOMScoreAdj(pod, c, capacity), Used: used.Value()}
			p.Score = float64(p.Used)*1000/float64(capacity) + float64(p.Adj)
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b Process) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Pod.UID, b.Pod.UID), cmp.Compare(a.Container, b.Container))
	})
	return all
}
