package noderesources

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
)

// scoreKey is the key of the pod's amounts in the cycle state.
const scoreKey fwk.StateKey = "PreScore" + Name

// podAmounts are a pod's amounts in the order of the resources that a scorer was given.
type podAmounts []int64

// Clone returns the amounts themselves: nothing changes them.
func (a podAmounts) Clone() fwk.StateData { return a }

func amountsOf(r *request, resources []weightedResource) podAmounts {
	amounts := make(podAmounts, len(resources))
	for i := range resources {
		amounts[i] = r.amount(resources[i].name)
	}
	return amounts
}

// PreScore computes the amounts that scores use. A pod with all requests set counts with its request, which PreFilter has
// computed.
func (f *Fit) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	state.Write(scoreKey, f.podAmounts(state, pod))
	return nil
}

func (f *Fit) podAmounts(state fwk.CycleState, pod *v1.Pod) podAmounts {
	if s, err := readFilterState(state); err == nil && hasAllRequests(pod) {
		return amountsOf(&s.need, f.strategy.resources)
	}
	counted := nonMissingRequests(pod)
	return amountsOf(&counted, f.strategy.resources)
}

// Score scores one node by the configured strategy. If PreScore is disabled, it computes the amounts for every node.
func (f *Fit) Score(_ context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	amounts, ok := readAmounts(state, scoreKey)
	if !ok {
		amounts = f.podAmounts(state, pod)
	}
	return f.strategy.score(node, amounts), nil
}

// ScoreExtensions is nil: the strategies score from 0 to 100.
func (*Fit) ScoreExtensions() fwk.ScoreExtensions { return nil }

func readAmounts(state fwk.CycleState, key fwk.StateKey) (podAmounts, bool) {
	amounts, err := framework.ReadState[podAmounts](state, key)
	return amounts, err == nil
}
