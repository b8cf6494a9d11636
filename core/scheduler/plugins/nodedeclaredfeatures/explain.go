package nodedeclaredfeatures

import (
	"context"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = (*NodeDeclaredFeatures)(nil)

// Undeclared is the reason code of nodes that do not declare what the pod needs.
const Undeclared = "feature-undeclared"

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: Undeclared, Means: "the nodes do not declare a feature of the kubelet that the pod's spec needs", Fields: []string{"about", "wants", "objects"}},
}

// Explain has one cause for each set of features that nodes lack, the smallest set first. A node declares what its kubelet can do, so that
// only another kubelet, or a spec that does without, would help.
func (p *NodeDeclaredFeatures) Explain(_ context.Context, state fwk.CycleState, _ *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	needs, err := framework.ReadState[needed](state, filterKey)
	if err != nil {
		return nil
	}
	var list []framework.Evidence
	for i := range rejected.Nodes {
		node := &rejected.Nodes[i]
		missing := undeclared(needs, node)
		about := strings.Join(missing, ", ")
		at := slices.IndexFunc(list, func(e framework.Evidence) bool { return e.About == about })
		if at < 0 {
			at = len(list)
			list = append(list, framework.Evidence{Code: Undeclared, About: about, Wants: "nodes whose kubelet declares " + about, Message: p.message(missing)})
		}
		list[at].Nodes = append(list[at].Nodes, node.Name())
		list[at].Objects = append(list[at].Objects, framework.Object{
			Kind: "Node", Name: node.Name(), Node: node.Name(), Note: "kubelet " + node.Node().Status.NodeInfo.KubeletVersion,
		})
	}
	slices.SortStableFunc(list, func(a, b framework.Evidence) int { return strings.Count(a.About, ",") - strings.Count(b.About, ",") })
	for i := range list {
		e := &list[i]
		e.Predicate = e.Verb("does", "do") + " not declare " + e.About + ", which its spec needs"
		if len(e.Nodes) == len(rejected.All) {
			e.Sentence = "no node declares " + e.About + ", which its spec needs"
		}
		e.Facts = []string{e.About + ": on " + plural.Count(len(rejected.All)-len(rejected.Nodes), "node") + " of " + plural.Count(len(rejected.All), "node")}
	}
	return list
}
