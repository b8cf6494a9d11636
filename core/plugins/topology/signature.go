package topology

import (
	"encoding/binary"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Signature spells values out so that different values never spell the same, whatever characters they hold. Use it to
// recognise a question that was asked before.
type Signature []byte

// Text appends a string, with its length in front.
func (s Signature) Text(text string) Signature {
	return append(binary.AppendUvarint(s, uint64(len(text))), text...)
}

// Number appends a number.
func (s Signature) Number(n int64) Signature { return binary.AppendVarint(s, n) }

// Bool appends a truth value.
func (s Signature) Bool(b bool) Signature {
	if b {
		return append(s, 1)
	}
	return append(s, 0)
}

// Texts appends a list of strings.
func (s Signature) Texts(list []string) Signature {
	s = s.Number(int64(len(list)))
	for _, text := range list {
		s = s.Text(text)
	}
	return s
}

// Map appends a map, in the order of its keys.
func (s Signature) Map(m map[string]string) Signature {
	var few [16]string
	keys := few[:0]
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	s = s.Number(int64(len(keys)))
	for _, key := range keys {
		s = s.Text(key).Text(m[key])
	}
	return s
}

// Selector appends a label selector as it is written; an absent one differs from an empty one.
func (s Signature) Selector(sel *metav1.LabelSelector) Signature {
	if sel == nil {
		return s.Bool(false)
	}
	s = s.Bool(true).Map(sel.MatchLabels).Number(int64(len(sel.MatchExpressions)))
	for i := range sel.MatchExpressions {
		e := &sel.MatchExpressions[i]
		s = s.Text(e.Key).Text(string(e.Operator)).Texts(e.Values)
	}
	return s
}

// RequiredNodes appends which nodes the pod may run on: its node selector and required node affinity.
func (s Signature) RequiredNodes(pod *v1.Pod) Signature {
	s = s.Map(pod.Spec.NodeSelector)
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return s.Bool(false)
	}
	terms := a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	s = s.Bool(true).Number(int64(len(terms)))
	for i := range terms {
		s = s.nodeRequirements(terms[i].MatchExpressions).nodeRequirements(terms[i].MatchFields)
	}
	return s
}

func (s Signature) nodeRequirements(list []v1.NodeSelectorRequirement) Signature {
	s = s.Number(int64(len(list)))
	for i := range list {
		s = s.Text(list[i].Key).Text(string(list[i].Operator)).Texts(list[i].Values)
	}
	return s
}

// Tolerations appends what the pod tolerates.
func (s Signature) Tolerations(list []v1.Toleration) Signature {
	s = s.Number(int64(len(list)))
	for i := range list {
		t := &list[i]
		s = s.Text(t.Key).Text(string(t.Operator)).Text(t.Value).Text(string(t.Effect))
	}
	return s
}
