package reuse

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Selector appends a label selector as it is written; an absent one differs from an empty one.
func (s Signature) Selector(selector *metav1.LabelSelector) Signature {
	if selector == nil {
		return s.Flag(false)
	}
	s = s.Flag(true).Pairs(selector.MatchLabels).Number(int64(len(selector.MatchExpressions)))
	for i := range selector.MatchExpressions {
		e := &selector.MatchExpressions[i]
		s = s.Text(e.Key).Text(string(e.Operator)).Texts(e.Values)
	}
	return s
}

// RequiredNodes appends which nodes the pod may run on: its node selector and required node affinity.
func (s Signature) RequiredNodes(pod *v1.Pod) Signature {
	s = s.Pairs(pod.Spec.NodeSelector)
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return s.Flag(false)
	}
	terms := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	s = s.Flag(true).Number(int64(len(terms)))
	for i := range terms {
		s = s.NodeTerm(&terms[i])
	}
	return s
}

// NodeTerm appends a term of a node selector.
func (s Signature) NodeTerm(term *v1.NodeSelectorTerm) Signature {
	return s.nodeRequirements(term.MatchExpressions).nodeRequirements(term.MatchFields)
}

func (s Signature) nodeRequirements(list []v1.NodeSelectorRequirement) Signature {
	s = s.Number(int64(len(list)))
	for i := range list {
		s = s.Text(list[i].Key).Text(string(list[i].Operator)).Texts(list[i].Values)
	}
	return s
}

// Tolerations appends which taints the pod tolerates, not for how long.
func (s Signature) Tolerations(list []v1.Toleration) Signature {
	s = s.Number(int64(len(list)))
	for i := range list {
		t := &list[i]
		s = s.Text(t.Key).Text(string(t.Operator)).Text(t.Value).Text(string(t.Effect))
	}
	return s
}
