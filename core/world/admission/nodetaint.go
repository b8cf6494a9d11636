package admission

import (
	"slices"

	v1 "k8s.io/api/core/v1"
)

// taintNewNode keeps pods off a new node until it is known to be ready. It is TaintNodesByCondition.
func taintNewNode(_ Reader, q *Request) error {
	node, is := q.Object.(*v1.Node)
	if !is || q.Old != nil || q.Subresource != "" {
		return nil
	}
	notReady := v1.Taint{Key: v1.TaintNodeNotReady, Effect: v1.TaintEffectNoSchedule}
	if !slices.ContainsFunc(node.Spec.Taints, func(t v1.Taint) bool { return t.MatchTaint(&notReady) }) {
		node.Spec.Taints = append(node.Spec.Taints, notReady)
	}
	return nil
}
