package nodeaffinity

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// scoreKey is where the pod's preferences wait for the score.
const scoreKey fwk.StateKey = "PreScore" + Name

// Clone returns the preferences themselves: nothing changes them.
func (p *preferred) Clone() fwk.StateData { return p }

// PreScore parses the pod's preferences.
func (p *NodeAffinity) PreScore(_ context.Context, state fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) *fwk.Status {
	preferences, err := preferencesOf(pod)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if preferences == nil && p.addedPreferred == nil {
		return nothingToDo
	}
	state.Write(scoreKey, preferences)
	return nil
}

// preferencesOf is nil for a pod that prefers nothing.
func preferencesOf(pod *v1.Pod) (*preferred, error) {
	affinity := pod.Spec.Affinity
	if affinity == nil || affinity.NodeAffinity == nil {
		return nil, nil
	}
	terms := affinity.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution
	if len(terms) == 0 {
		return nil, nil
	}
	return preferredOf(terms)
}

// Score sums the weights of what the profile and the pod prefer.
func (p *NodeAffinity) Score(_ context.Context, state fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	preferences, err := storedPreferences(state, pod)
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

// storedPreferences finds what PreScore parsed; where PreScore is switched off, it parses again.
func storedPreferences(state fwk.CycleState, pod *v1.Pod) (*preferred, error) {
	if data, err := state.Read(scoreKey); err == nil {
		if preferences, ok := data.(*preferred); ok {
			return preferences, nil
		}
	}
	return preferencesOf(pod)
}

// ScoreExtensions is the plugin itself.
func (p *NodeAffinity) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore stretches the sums so that the highest is 100.
func (*NodeAffinity) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	var most int64
	for i := range scores {
		most = max(most, scores[i].Score)
	}
	if most == 0 {
		return nil
	}
	for i := range scores {
		scores[i].Score = fwk.MaxNodeScore * scores[i].Score / most
	}
	return nil
}
