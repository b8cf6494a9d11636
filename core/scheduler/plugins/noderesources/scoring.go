package noderesources

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// scoreKey is the key of what is scored in the cycle state.
const scoreKey fwk.StateKey = "PreScore" + Name

// podAmounts are a pod's amounts in the order of the resources that a scorer was given.
type podAmounts []int64

// scored is what is scored on every node.
type scored struct {
	amounts podAmounts
	devices *deviceAmounts // nil if none of the resources is served by devices
}

// Clone returns the data itself: nothing changes it.
func (s *scored) Clone() fwk.StateData { return s }

// newScored returns what is scored for a request: last, if that is the same.
func newScored(r *request, counter *deviceCounter, resources []weightedResource, last *scored) (*scored, *fwk.Status) {
	devices, err := counter.gather(resources)
	if err != nil {
		return nil, fwk.AsStatus(err)
	}
	if devices == nil && last != nil && last.devices == nil && last.amounts.of(r, resources) {
		return last, nil
	}
	return &scored{amountsOf(r, resources), devices}, nil
}

func amountsOf(r *request, resources []weightedResource) podAmounts {
	amounts := make(podAmounts, len(resources))
	for i := range resources {
		amounts[i] = r.amount(resources[i].name)
	}
	return amounts
}

// of reports whether they are a request's amounts.
func (a podAmounts) of(r *request, resources []weightedResource) bool {
	for i := range resources {
		if a[i] != r.amount(resources[i].name) {
			return false
		}
	}
	return true
}

// PreScore computes the amounts that scores use. A pod with all requests set counts with its request, which PreFilter has
// computed.
func (f *Fit) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	s, status := newScored(f.counted(state, pod), f.devices, f.strategy.resources, f.lastScored)
	if status.IsSuccess() {
		f.lastScored = s
		state.Write(scoreKey, s)
	}
	return status
}

// counted is what scores count for a pod.
func (f *Fit) counted(state fwk.CycleState, pod *v1.Pod) *request {
	if s, err := readFilterState(state); err == nil && hasAllRequests(pod) {
		return &s.need
	}
	counted := nonMissingRequests(pod)
	return &counted
}

// Score scores one node by the configured strategy. If PreScore is disabled, it computes the amounts for every node.
func (f *Fit) Score(_ context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	s, err := framework.ReadState[*scored](state, scoreKey)
	if err != nil {
		var status *fwk.Status
		if s, status = newScored(f.counted(state, pod), f.devices, f.strategy.resources, nil); !status.IsSuccess() {
			return 0, status
		}
	}
	return f.strategy.score(node, s), nil
}

// ScoreExtensions is nil: the strategies score from 0 to 100.
func (*Fit) ScoreExtensions() fwk.ScoreExtensions { return nil }
