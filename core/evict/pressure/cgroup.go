package pressure

import (
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	resources "k8s.io/component-helpers/resource"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
)

// Cgroup is what a kubelet lets the kernel enforce for a pod or a container. A limit that is zero is none.
type Cgroup struct {
	// CPUShares is the weight against others when the CPU is short, as cgroup v1 has it.
	CPUShares int64
	// CPUQuota is the CPU time within each tenth of a second, in microseconds.
	CPUQuota int64
	// MemoryMax is the limit of memory in bytes: beyond it the kernel kills.
	MemoryMax int64
}

// The kernel's least and most shares, those of one CPU, and the period and least value of a quota in microseconds.
const (
	minShares, maxShares = 2, 262144
	sharesPerCPU         = 1024
	quotaPeriod          = 100000
	minQuota             = 1000
)

// CPUWeight is the weight against others as cgroup v2 has it, from 1 to 10000.
func (c Cgroup) CPUWeight() int64 { return 1 + (c.CPUShares-minShares)*9999/(maxShares-minShares) }

// PodCgroup returns the cgroup that holds all containers of a pod and its sandbox. Its shares are those of all requests and the
// pod's overhead. It has a limit where every container has one, or the pod itself: their sum and the overhead.
func PodCgroup(pod *v1.Pod) Cgroup {
	if QOS(pod) == v1.PodQOSBestEffort {
		return Cgroup{CPUShares: minShares}
	}
	limits := requests.Limits(pod, resources.PodResourcesOptions{})
	c := Cgroup{CPUShares: sharesOf(requests.Of(pod, resources.PodResourcesOptions{}))}
	if limitedEverywhere(pod, v1.ResourceCPU) || limitsItself(pod, v1.ResourceCPU) {
		c.CPUQuota = quotaOf(limits)
	}
	if limitedEverywhere(pod, v1.ResourceMemory) || limitsItself(pod, v1.ResourceMemory) {
		c.MemoryMax = memoryOfList(limits)
	}
	return c
}

// limitedEverywhere reports whether each container has a limit of its own.
func limitedEverywhere(pod *v1.Pod, of v1.ResourceName) bool {
	return !slices.ContainsFunc(slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers), func(c v1.Container) bool {
		return !isPositive(c.Resources.Limits, of)
	})
}

// limitsItself reports whether a pod has a limit of its own, besides those of its containers.
func limitsItself(pod *v1.Pod, of v1.ResourceName) bool {
	return pod.Spec.Resources != nil && isPositive(pod.Spec.Resources.Limits, of)
}

// ContainerCgroup returns the cgroup of one container. Without a limit of its own it has the pod's.
func ContainerCgroup(pod *v1.Pod, container *v1.Container) Cgroup {
	limits := v1.ResourceList{}
	for _, of := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
		switch {
		case isPositive(container.Resources.Limits, of):
			limits[of] = container.Resources.Limits[of]
		case limitsItself(pod, of):
			limits[of] = pod.Spec.Resources.Limits[of]
		}
	}
	shares := container.Resources.Requests
	if _, requested := shares[v1.ResourceCPU]; !requested {
		shares = limits
	}
	return Cgroup{CPUShares: sharesOf(shares), CPUQuota: quotaOf(limits), MemoryMax: memoryOfList(limits)}
}

func sharesOf(list v1.ResourceList) int64 {
	milli := requests.Amount(v1.ResourceCPU, list[v1.ResourceCPU])
	return min(max(saturating.Mul(milli, sharesPerCPU)/1000, minShares), maxShares)
}

func quotaOf(list v1.ResourceList) int64 {
	milli := requests.Amount(v1.ResourceCPU, list[v1.ResourceCPU])
	if milli == 0 {
		return 0
	}
	return max(saturating.Mul(milli, quotaPeriod)/1000, minQuota)
}

func memoryOfList(list v1.ResourceList) int64 {
	return requests.Amount(v1.ResourceMemory, list[v1.ResourceMemory])
}

// pageBytes is the size of a page of memory.
const pageBytes = 4096

// MemoryHigh returns from how many bytes on the kernel slows a container down rather than let it grow, where the kubelet has
// the gate MemoryQoS on: at its request and a part of what it may use beyond, of its own limit or of what the node gives to pods. It is zero
// for a container whose request is its limit.
func MemoryHigh(container *v1.Container, allocatable int64, part float64) int64 {
	request := memoryOfList(container.Resources.Requests)
	limit := memoryOfList(container.Resources.Limits)
	if request == limit {
		return 0
	}
	if limit == 0 {
		limit = allocatable
	}
	high := saturating.Truncate(math.Floor(float64(request)+float64(limit-request)*part)/pageBytes) * pageBytes
	if high <= request {
		return 0
	}
	return high
}
