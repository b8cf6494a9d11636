package noderesources

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// scoreKey is where the pod's amounts wait for the score.
const scoreKey fwk.StateKey = "PreScore" + Name

// podAmounts are a pod's amounts in the order of the resources that a scorer was given.
type podAmounts []int64

// Clone returns the amounts themselves: nothing changes them.
func (a podAmounts) Clone() fwk.StateData { return a }

func amountsOf(r *request, resources []weighed) podAmounts {
	amounts := make(podAmounts, len(resources))
	for i := range resources {
		amounts[i] = r.of(resources[i].name)
	}
	return amounts
}

// PreScore works out what the pod counts for in scores. A pod that says everything counts for what it asks for, which
// the filter has worked out before.
func (f *Fit) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	state.Write(scoreKey, f.podAmounts(state, pod))
	return nil
}

func (f *Fit) podAmounts(state fwk.CycleState, pod *v1.Pod) podAmounts {
	if s, err := readFilterState(state); err == nil && saysAll(pod) {
		return amountsOf(&s.need, f.strategy.resources)
	}
	counted := assumed(pod)
	return amountsOf(&counted, f.strategy.resources)
}

// Score rates one node by the configured strategy. Where PreScore is switched off, the pod is worked out again for
// every node.
func (f *Fit) Score(_ context.Context, state fwk.CycleState, pod *v1.Pod, node fwk.NodeInfo) (int64, *fwk.Status) {
	amounts, ok := readAmounts(state, scoreKey)
	if !ok {
		amounts = f.podAmounts(state, pod)
	}
	return f.strategy.score(node, amounts), nil
}

// ScoreExtensions are not needed: the strategies score from 0 to 100 by themselves.
func (*Fit) ScoreExtensions() fwk.ScoreExtensions { return nil }

func readAmounts(state fwk.CycleState, key fwk.StateKey) (podAmounts, bool) {
	data, err := state.Read(key)
	if err != nil {
		return nil, false
	}
	amounts, ok := data.(podAmounts)
	return amounts, ok
}
