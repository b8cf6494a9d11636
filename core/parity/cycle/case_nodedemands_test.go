package cycle

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// chooseNodes adds node names, node selectors, affinity and tolerations to a pod.
func (g *generator) chooseNodes(pod *v1.Pod) {
	switch g.IntN(4) {
	case 0:
		pod.Spec.NodeSelector = map[string]string{pick(g, nodeKeys...): pick(g, nodeValues...)}
	case 1:
		pod.Spec.NodeSelector = map[string]string{v1.LabelTopologyZone: pick(g, zones...)}
	}
	if g.oneIn(12) {
		pod.Spec.NodeSelector = map[string]string{}
	}
	if g.oneIn(4) {
		return
	}
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	pod.Spec.Affinity.NodeAffinity = g.nodeAffinity()
}

func (g *generator) nodeAffinity() *v1.NodeAffinity {
	a := &v1.NodeAffinity{}
	if g.oneIn(2) {
		selector := &v1.NodeSelector{}
		for range pick(g, 0, 1, 1, 1, 2) {
			selector.NodeSelectorTerms = append(selector.NodeSelectorTerms, g.nodeTerm())
		}
		a.RequiredDuringSchedulingIgnoredDuringExecution = selector
	}
	for range pick(g, 0, 0, 1, 2) {
		a.PreferredDuringSchedulingIgnoredDuringExecution = append(a.PreferredDuringSchedulingIgnoredDuringExecution,
			v1.PreferredSchedulingTerm{Weight: pick[int32](g, 0, 1, 50, 100), Preference: g.nodeTerm()})
	}
	return a
}

func (g *generator) nodeTerm() v1.NodeSelectorTerm {
	var term v1.NodeSelectorTerm
	for range pick(g, 0, 1, 1, 1, 2) {
		term.MatchExpressions = append(term.MatchExpressions, g.nodeRequirement())
	}
	if g.oneIn(6) {
		field := v1.NodeSelectorRequirement{
			Key: "metadata.name", Operator: pick(g, v1.NodeSelectorOpIn, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn),
			Values: []string{fmt.Sprint("node-", g.IntN(4))},
		}
		if g.oneIn(10) {
			field.Values = append(field.Values, "node-0")
		}
		term.MatchFields = append(term.MatchFields, field)
	}
	return term
}

func (g *generator) nodeRequirement() v1.NodeSelectorRequirement {
	r := v1.NodeSelectorRequirement{Key: pick(g, append(nodeKeys, v1.LabelTopologyZone)...)}
	switch g.IntN(7) {
	case 0, 1:
		r.Operator, r.Values = v1.NodeSelectorOpIn, []string{pick(g, nodeValues...), pick(g, nodeValues...)}
	case 2:
		r.Operator, r.Values = v1.NodeSelectorOpNotIn, []string{pick(g, nodeValues...)}
	case 3:
		r.Operator = v1.NodeSelectorOpExists
	case 4:
		r.Operator = v1.NodeSelectorOpDoesNotExist
	case 5:
		r.Operator, r.Values = v1.NodeSelectorOpGt, []string{pick(g, "4", "0", "-2")}
	case 6:
		r.Operator, r.Values = v1.NodeSelectorOpLt, []string{pick(g, "5", "0")}
	}
	if g.oneIn(30) { // an API server would reject it
		r.Operator, r.Values = v1.NodeSelectorOpGt, []string{"four"}
	}
	return r
}

func (g *generator) toleration() v1.Toleration {
	t := v1.Toleration{
		Key:      pick(g, append([]string{"", v1.TaintNodeUnschedulable}, taintKeys...)...),
		Operator: pick(g, "", v1.TolerationOpEqual, v1.TolerationOpExists, v1.TolerationOpExists, v1.TolerationOpGt, v1.TolerationOpLt),
		Value:    pick(g, append([]string{"900", "1000"}, taintValues...)...),
		Effect:   pick(g, append([]v1.TaintEffect{""}, effects...)...),
	}
	if compares := t.Operator == v1.TolerationOpGt || t.Operator == v1.TolerationOpLt; compares && t.Value != "1000" {
		t.Value = "900" // no API server admits anything but a number
	}
	return t
}
