package noderesources

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/reuse"
)

// Keys of fragments that kube-scheduler does not have. It signs the request of Filter alone, although two pods of equal
// requests may score differently: one container without requests counts for less than three of them.
const (
	nonMissingKey = "orrery/v1.Pod.Spec.ContainerRequestsWithDefaults()"
	allocatedKey  = "orrery/v1.Pod.Status.ContainerRequests()"
)

var (
	notSignable     = fwk.NewStatus(fwk.Unschedulable, "signature disabled when dra extended resources enabled")
	servedByDevices = fwk.NewStatus(fwk.Unschedulable, "signature disabled when dra extended resources are used in the cluster")
)

// refusesAllSignatures reports whether SignPod signs no pod because any might request a resource that devices serve. What devices there are is not
// the node's, and says nothing about pods that do not request them.
func refusesAllSignatures(features config.Features) bool {
	return features.Enabled(config.DRAExtendedResource) && !features.Has(release.SignUnlessServedByDevices)
}

// serves reports whether devices are counted as a resource that is requested.
func (c *deviceCounter) serves(r *request) bool {
	for i := range r.scalars {
		if r.scalars[i].amount != 0 && c.classOf(r.scalars[i].name) != nil {
			return true
		}
	}
	return false
}

// signature is a request with the JSON form of kube-scheduler's own type.
type signature struct {
	MilliCPU         int64
	Memory           int64
	EphemeralStorage int64
	AllowedPodNumber int
	ScalarResources  map[v1.ResourceName]int64
}

func sign(r request) signature {
	s := signature{MilliCPU: r.milliCPU, Memory: r.memory, EphemeralStorage: r.ephemeral}
	if len(r.scalars) > 0 {
		s.ScalarResources = make(map[v1.ResourceName]int64, len(r.scalars))
		for _, scalar := range r.scalars {
			s.ScalarResources[scalar.name] = scalar.amount
		}
	}
	return s
}

// SignPod signs the request of Filter and, unless they are equal, that of the scores.
func (f *Fit) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if f.unsignable {
		return nil, notSignable
	}
	need := f.requestOptions.requests(pod)
	if f.devices.serves(&need) {
		return nil, servedByDevices
	}
	fragments := []fwk.SignFragment{{Key: fwk.ResourcesSignerName, Value: sign(need)}}
	if !hasAllRequests(pod) {
		fragments = append(fragments, fwk.SignFragment{Key: nonMissingKey, Value: sign(nonMissingRequests(pod))})
	}
	return fragments, nil
}

// SignPod signs the pod's request and, once it has container statuses, what is allocated to it.
func (b *BalancedAllocation) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if b.unsignable {
		return nil, notSignable
	}
	need := b.requestOptions.requests(pod)
	if b.devices.serves(&need) {
		return nil, servedByDevices
	}
	fragments := []fwk.SignFragment{{Key: fwk.ResourcesSignerName, Value: sign(need)}}
	if isStarted(pod) {
		fragments = append(fragments, fwk.SignFragment{Key: allocatedKey, Value: sign(b.requestOptions.allocated(pod))})
	}
	return fragments, nil
}

// AppendSignature appends the request of Filter with what of it devices may serve and, unless they are equal, that of the scores. It refuses a
// pod whose score counts devices. What SignPod refuses beyond that is upstream's own: here a class that serves a resource is in the signature.
func (f *Fit) AppendSignature(to reuse.Signature, state fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	need := f.requestOptions.wanted(state, pod)
	if f.devices.score(f.strategy.resources, need) {
		return to, false
	}
	to = appendRequest(to, need)
	for i := range need.scalars {
		to = to.Flag(f.byDevices(need.scalars[i].name))
	}
	if hasAllRequests(pod) {
		return to.Flag(true), true
	}
	counted := nonMissingRequests(pod)
	return appendRequest(to.Flag(false), &counted), true
}

// AppendSignature appends the pod's request and, once it has container statuses, what is allocated to it. It refuses a pod whose score counts
// devices.
func (b *BalancedAllocation) AppendSignature(to reuse.Signature, state fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	need := b.requestOptions.wanted(state, pod)
	if b.devices.score(b.resources, need) {
		return to, false
	}
	to = appendRequest(to, need)
	if !isStarted(pod) {
		return to.Flag(false), true
	}
	held := b.requestOptions.allocated(pod)
	if b.devices.score(b.resources, &held) {
		return to, false
	}
	return appendRequest(to.Flag(true), &held), true
}

// score reports whether the score of a pod counts devices: which there are, and are taken, is not the node's.
func (c *deviceCounter) score(resources []weightedResource, r *request) bool {
	for i := range resources {
		if w := &resources[i]; w.scalar && r.amount(w.name) != 0 && c.classOf(w.name) != nil {
			return true
		}
	}
	return false
}

// wanted is the pod's request as PreFilter wrote it, or computed if PreFilter is disabled.
func (r requestOptions) wanted(state fwk.CycleState, pod *v1.Pod) *request {
	if s, err := readFilterState(state); err == nil {
		return &s.need
	}
	need := r.requests(pod)
	return &need
}

func appendRequest(to reuse.Signature, r *request) reuse.Signature {
	to = to.Number(r.milliCPU).Number(r.memory).Number(r.ephemeral).Number(int64(len(r.scalars)))
	for i := range r.scalars {
		to = to.Text(string(r.scalars[i].name)).Number(r.scalars[i].amount)
	}
	return to
}
