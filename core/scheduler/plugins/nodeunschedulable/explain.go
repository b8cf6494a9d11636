package nodeunschedulable

import (
	"context"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = (*NodeUnschedulable)(nil)

// Cordoned is the reason code of nodes that take no more pods.
const Cordoned = "node-cordoned"

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: Cordoned, Means: "the nodes are cordoned", Fields: []string{"objects", "changes"}},
}

// Explain lists the cordoned nodes, with the time at which they were cordoned where a taint tells it.
func (*NodeUnschedulable) Explain(_ context.Context, _ fwk.CycleState, _ *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	e := framework.Evidence{Code: Cordoned, Message: cordoned.Message()}
	var names []string
	for i := range rejected.Nodes {
		n := &rejected.Nodes[i]
		e.Nodes = append(e.Nodes, n.Name())
		text, object := n.Name(), framework.Object{Kind: "Node", Name: n.Name(), Node: n.Name()}
		if since := cordonedSince(n.Node()); !since.IsZero() {
			object.Note = "since " + since.Format(time.RFC3339)
			text += " " + object.Note
		}
		names, e.Objects = append(names, text), append(e.Objects, object)
	}
	e.Predicate = e.Verb("is", "are") + " cordoned"
	e.Facts = []string{"cordoned: " + framework.Listed(names)}
	for i := range rejected.Nodes {
		if n := &rejected.Nodes[i]; opensUncordoned(n) {
			e.Changes = append(e.Changes, "uncordon "+n.Name())
		}
	}
	switch len(e.Changes) {
	case 0:
	case 1:
		e.Hint = "would fit with " + strings.TrimPrefix(e.Changes[0], "uncordon ") + " uncordoned"
	default:
		e.Hint = "would fit with one of " + plural.Count(len(e.Changes), "node") + " uncordoned"
	}
	return []framework.Evidence{e}
}

// opensUncordoned reports whether nothing else is in the way: the taint that a cordon sets, for which TaintToleration rejects the node,
// too, leaves with it.
func opensUncordoned(n *framework.RejectedNode) bool {
	if len(n.Others) == 0 {
		return true
	}
	return len(n.Others) == 1 && n.Others[0] == config.TaintToleration && !slices.ContainsFunc(n.Node().Spec.Taints, func(t v1.Taint) bool {
		return t.Key != v1.TaintNodeUnschedulable && t.Effect != v1.TaintEffectPreferNoSchedule
	})
}

func cordonedSince(node *v1.Node) time.Time {
	for i := range node.Spec.Taints {
		if t := &node.Spec.Taints[i]; t.Key == v1.TaintNodeUnschedulable && t.TimeAdded != nil {
			return t.TimeAdded.UTC()
		}
	}
	return time.Time{}
}
