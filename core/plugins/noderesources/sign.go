package noderesources

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Keys of fragments that kube-scheduler does not have. It signs the filter's request alone, although two pods of one
// request may score differently: one container without requests counts for less than three of them.
const (
	assumedKey = "orrery/v1.Pod.Spec.ContainerRequestsWithDefaults()"
	heldKey    = "orrery/v1.Pod.Status.ContainerRequests()"
)

var unsigned = fwk.NewStatus(fwk.Unschedulable, "signature disabled when dra extended resources enabled")

// signature is a request in the form that signatures have: the JSON of kube-scheduler's own type.
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

// SignPod says that the answer depends on what the pod asks for and on what it is taken to ask for. The second is
// left out where it follows from the first.
func (f *Fit) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if f.unsignable {
		return nil, unsigned
	}
	fragments := []fwk.SignFragment{{Key: fwk.ResourcesSignerName, Value: sign(f.reading.asked(pod))}}
	if !saysAll(pod) {
		fragments = append(fragments, fwk.SignFragment{Key: assumedKey, Value: sign(assumed(pod))})
	}
	return fragments, nil
}

// SignPod says that the answer depends on what the pod asks for and, once it has a status, on what it holds.
func (b *Balanced) SignPod(_ context.Context, pod *v1.Pod) ([]fwk.SignFragment, *fwk.Status) {
	if b.unsignable {
		return nil, unsigned
	}
	fragments := []fwk.SignFragment{{Key: fwk.ResourcesSignerName, Value: sign(b.reading.asked(pod))}}
	if isStarted(pod) {
		fragments = append(fragments, fwk.SignFragment{Key: heldKey, Value: sign(b.reading.held(pod))})
	}
	return fragments, nil
}
