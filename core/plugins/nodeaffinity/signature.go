package nodeaffinity

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/reuse"
)

// AppendSignature appends the node selector and the node affinity.
func (*NodeAffinity) AppendSignature(to reuse.Signature, _ fwk.CycleState, pod *v1.Pod) (reuse.Signature, bool) {
	to = to.Flag(pod.Spec.NodeSelector != nil).Pairs(pod.Spec.NodeSelector)
	selector := requiredAffinity(pod)
	to = to.Flag(selector != nil)
	if selector != nil {
		to = to.Number(int64(len(selector.NodeSelectorTerms)))
		for i := range selector.NodeSelectorTerms {
			to = appendTerm(to, &selector.NodeSelectorTerms[i])
		}
	}
	preferences := preferredTerms(pod)
	to = to.Number(int64(len(preferences)))
	for i := range preferences {
		to = appendTerm(to.Number(int64(preferences[i].Weight)), &preferences[i].Preference)
	}
	return to, true
}

func appendTerm(to reuse.Signature, term *v1.NodeSelectorTerm) reuse.Signature {
	return appendRequirements(appendRequirements(to, term.MatchExpressions), term.MatchFields)
}

func appendRequirements(to reuse.Signature, requirements []v1.NodeSelectorRequirement) reuse.Signature {
	to = to.Number(int64(len(requirements)))
	for i := range requirements {
		to = to.Text(requirements[i].Key).Text(string(requirements[i].Operator)).Texts(requirements[i].Values)
	}
	return to
}
