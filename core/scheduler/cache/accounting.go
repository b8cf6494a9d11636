package cache

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	resourcehelper "k8s.io/component-helpers/resource"

	podrequests "orrery/core/objects/requests"
)

// The cpu and memory that scoring counts for a container without such a request, so that these pods spread out. They are upstream's: as
// much as an add-on of the cluster took when they were chosen (kubernetes issue 10653), and counted of requests, not limits (11713).
const (
	defaultMilliCPU = 100               // thousandths of a core
	defaultMemory   = 200 * 1024 * 1024 // bytes
)

// Accounting is the rule for summing a pod's requests. The zero value is that of Kubernetes 1.35 with default feature
// gates.
type Accounting struct {
	// IgnorePodLevel ignores spec.resources (feature gate PodLevelResources off).
	IgnorePodLevel bool
	// PodLevelStatus includes status.resources in the requests of the whole pod (feature gate
	// InPlacePodLevelResourcesVerticalScaling on).
	PodLevelStatus bool
	// Sum is the rule for a pod that is being resized.
	Sum podrequests.Sum
}

// NewPodInfo is the package's NewPodInfo with these rules.
func (a Accounting) NewPodInfo(pod *v1.Pod) (*PodInfo, error) {
	info := &PodInfo{}
	return info, info.init(a, pod)
}

// sum returns the pod's requests and, second and third, its cpu and memory with a default for every container without a
// request.
func (a Accounting) sum(pod *v1.Pod) (requests Resource, nonZeroCPU, nonZeroMemory int64) {
	if requests, nonZeroCPU, nonZeroMemory, ok := a.sumPlain(pod); ok {
		return requests, nonZeroCPU, nonZeroMemory
	}
	list, nonZero := a.requestLists(pod)
	requests.Add(list)
	return requests, cpuOf(nonZero[v1.ResourceCPU]), bytesOf(nonZero[v1.ResourceMemory])
}

// sumPlain sums a plain pod without allocating a list, as most pods are before they run. It returns false for any other.
func (a Accounting) sumPlain(pod *v1.Pod) (requests Resource, nonZeroCPU, nonZeroMemory int64, ok bool) {
	if a.Sum.ReadsStatus(pod) {
		return requests, 0, 0, false
	}
	sum, ok := podrequests.Plain(pod)
	if !ok {
		return requests, 0, 0, false
	}
	requests = Resource{MilliCPU: cpuOf(sum.CPU), Memory: bytesOf(sum.Memory), EphemeralStorage: bytesOf(sum.EphemeralStorage)}
	for name, amount := range sum.Scalars() {
		requests.AddScalar(name, amount)
	}
	sum.Defaults(defaultMilliCPU, defaultMemory)
	return requests, cpuOf(sum.CPU), bytesOf(sum.Memory), true
}

func cpuOf(q resource.Quantity) int64   { return podrequests.Amount(v1.ResourceCPU, q) }
func bytesOf(q resource.Quantity) int64 { return podrequests.Amount(v1.ResourceMemory, q) }

// requestLists returns the pod's requests without and with the defaults.
func (a Accounting) requestLists(pod *v1.Pod) (requests, nonZero v1.ResourceList) {
	options := resourcehelper.PodResourcesOptions{
		UseStatusResources:                             true,
		SkipPodLevelResources:                          a.IgnorePodLevel,
		InPlacePodLevelResourcesVerticalScalingEnabled: a.PodLevelStatus,
	}
	requests = a.Sum.Of(pod, options)
	options.NonMissingContainerRequests = a.defaultRequests(pod, requests)
	if len(options.NonMissingContainerRequests) == 0 {
		return requests, requests
	}
	return requests, a.Sum.Of(pod, options)
}

// defaultRequests returns the per-container defaults that apply to the pod. A pod with pod-level requests gets a
// default only for a resource that neither the pod nor any container requests.
func (a Accounting) defaultRequests(pod *v1.Pod, requests v1.ResourceList) v1.ResourceList {
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
