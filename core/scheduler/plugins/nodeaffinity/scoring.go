package nodeaffinity

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// scoreKey is the key of the pod's preferred terms in the cycle state.
const scoreKey fwk.StateKey = "PreScore" + Name

// Clone returns the terms themselves: nothing changes them.
func (p *preferred) Clone() fwk.StateData { return p }

// PreScore parses the pod's preferred terms.
func (p *NodeAffinity) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	preferences, err := preferredAffinity(pod)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if preferences == nil && p.addedPreferred == nil {
		return skip
	}
	state.Write(scoreKey, preferences)
	return nil
}

// preferredAffinity is nil for a pod without preferred terms.
func preferredAffinity(pod *v1.Pod) (*preferred, error) {
	terms := preferredTerms(pod)
	if len(terms) == 0 {
		return nil, nil
	}
	return preferredOf(terms)
}

func preferredTerms(pod *v1.Pod) []v1.PreferredSchedulingTerm {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
}

// Score sums the weights of the matching preferred terms of profile and pod.
func (p *NodeAffinity) Score(_ context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	preferences, err := storedPreferred(state, pod)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	var sum int64
	if p.addedPreferred != nil {
		sum += p.addedPreferred.score(info.Node())
	}
	if preferences != nil {
		sum += preferences.score(info.Node())
	}
	return sum, nil
}

// storedPreferred returns what PreScore parsed; it parses again if PreScore is disabled.
func storedPreferred(state fwk.CycleState, pod *v1.Pod) (*preferred, error) {
	if preferences, err := framework.ReadState[*preferred](state, scoreKey); err == nil {
		return preferences, nil
	}
	return preferredAffinity(pod)
}

// ScoreExtensions is the plugin itself.
func (p *NodeAffinity) ScoreExtensions() fwk.ScoreExtensions { return p }

// Reversed reports that the node with the highest sum gets 100.
func (*NodeAffinity) Reversed() bool { return false }

// NormalizeScore scales the sums so that the highest is 100.
func (*NodeAffinity) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	framework.ScaleScores(scores)
	return nil
}
