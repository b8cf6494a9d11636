package tainttoleration

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/plural"
	"orrery/core/safe/spelling"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/nodeunschedulable"
)

var _ framework.Explainer = (*TaintToleration)(nil)

// Untolerated is the reason code of nodes with a taint that the pod does not tolerate.
const Untolerated = "taint-untolerated"

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: Untolerated, Means: "the nodes have a taint that the pod does not tolerate; its conditions, as not-ready, among them", Fields: []string{"about", "objects", "meant", "changes"}},
}

// Explain returns one Evidence for each taint, that of the most nodes first. The taint of a cordoned node is no cause of its own.
func (p *TaintToleration) Explain(_ context.Context, _ fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	var list []*taintEvidence
	for i := range rejected.Nodes {
		n := &rejected.Nodes[i]
		against := p.against(pod, n.Node())
		for _, t := range against {
			at := slices.IndexFunc(list, func(e *taintEvidence) bool { return e.taint.ToString() == t.ToString() })
			if at < 0 {
				at, list = len(list), append(list, &taintEvidence{taint: t})
			}
			list[at].add(n.Name(), t)
		}
		if len(n.Others) == 0 && len(against) > 0 {
			first := slices.IndexFunc(list, func(e *taintEvidence) bool { return e.taint.ToString() == against[0].ToString() })
			list[first].opens(against)
		}
	}
	slices.SortStableFunc(list, func(a, b *taintEvidence) int { return cmp.Compare(len(b.nodes), len(a.nodes)) })
	all := make([]framework.Evidence, len(list))
	for i, e := range list {
		all[i] = e.evidence(pod)
	}
	return all
}

// against returns the taints of the node that keep the pod away.
func (p *TaintToleration) against(pod *v1.Pod, node *v1.Node) []*v1.Taint {
	var taints []*v1.Taint
	for i := range node.Spec.Taints {
		if t := &node.Spec.Taints[i]; excludes(t) && !p.toleratesTaint(pod.Spec.Tolerations, t) {
			taints = append(taints, t)
		}
	}
	return taints
}

// taintEvidence is a taint with its nodes.
type taintEvidence struct {
	taint *v1.Taint
	nodes []string
	since time.Time // the earliest
	// alone is the number of nodes on which only this taint is in the way, and besides that on which others are, too.
	alone   int
	besides map[string]int
}

func (e *taintEvidence) add(node string, t *v1.Taint) {
	e.nodes = append(e.nodes, node)
	if at := t.TimeAdded; at != nil && (e.since.IsZero() || at.Time.Before(e.since)) {
		e.since = at.UTC()
	}
}

// opens counts a node that tolerations of these taints would open.
func (e *taintEvidence) opens(taints []*v1.Taint) {
	if len(taints) == 1 {
		e.alone++
		return
	}
	words := make([]string, len(taints))
	for i, t := range taints {
		words[i] = t.ToString()
	}
	if e.besides == nil {
		e.besides = map[string]int{}
	}
	e.besides[strings.Join(words, " and ")]++
}

func (e *taintEvidence) evidence(pod *v1.Pod) framework.Evidence {
	taint := e.taint.ToString()
	v := framework.Evidence{Code: Untolerated, About: taint, Message: untolerated.Message(), Nodes: e.nodes, Objects: []framework.Object{{Kind: "Taint", Name: taint}}}
	v.Predicate = v.Verb("has", "have") + " the taint " + taint
	if is := conditions[e.taint.Key]; is != "" {
		v.Predicate = v.Verb("is ", "are ") + is + " (taint " + taint + ")"
	}
	if e.taint.Key == v1.TaintNodeUnschedulable {
		v.Code, v.About, v.Predicate = nodeunschedulable.Cordoned, "", v.Verb("is", "are")+" cordoned"
	}
	fact := taint + " on " + plural.Count(len(e.nodes), "node") + ": " + framework.Listed(e.nodes)
	if !e.since.IsZero() {
		fact += ", since " + e.since.Format(time.RFC3339)
		v.Objects[0].Note = "since " + e.since.Format(time.RFC3339)
	}
	v.Facts = []string{fact}
	if meant, nearly := e.nearly(pod.Spec.Tolerations); nearly != "" {
		v.Meant = []string{meant}
		v.Facts = append(v.Facts, nearly)
		v.Predicate += " (" + nearly + ")"
	}
	e.hint(&v)
	return v
}

// hint says what tolerations would open, and has the change to try: not one that tolerates what a condition of the node sets, since
// the pod would run where nothing should.
func (e *taintEvidence) hint(v *framework.Evidence) {
	taint := e.taint.ToString()
	if e.alone > 0 {
		v.Hint = "would fit on " + plural.Count(e.alone, "node") + " with a toleration of " + taint
		if conditions[e.taint.Key] == "" && e.taint.Key != v1.TaintNodeUnschedulable {
			v.Changes = []string{"tolerate POD " + taint}
		}
		return
	}
	most := ""
	for words, nodes := range e.besides {
		if most == "" || nodes > e.besides[most] || nodes == e.besides[most] && words < most {
			most = words
		}
	}
	if most != "" {
		v.Hint = "would fit on " + plural.Count(e.besides[most], "node") + " with a toleration of " + most
	}
}

// conditions say what nodes are that have the taint of a condition.
var conditions = map[string]string{
	v1.TaintNodeNotReady: "not ready", v1.TaintNodeUnreachable: "unreachable", v1.TaintNodeMemoryPressure: "under memory pressure",
	v1.TaintNodeDiskPressure: "under disk pressure", v1.TaintNodePIDPressure: "under pid pressure",
	v1.TaintNodeNetworkUnavailable: "without network", v1.TaintNodeOutOfService: "out of service",
}

// nearly finds the toleration that was probably meant for the taint, and says what is different.
func (e *taintEvidence) nearly(tolerations []v1.Toleration) (meant, text string) {
	t := e.taint
	if conditions[t.Key] != "" || t.Key == v1.TaintNodeUnschedulable {
		return "", "" // what admission adds for NoExecute is meant as it is
	}
	for i := range tolerations {
		own := &tolerations[i]
		equal := own.Operator == "" || own.Operator == v1.TolerationOpEqual
		sameValue := own.Operator == v1.TolerationOpExists || equal && own.Value == t.Value
		sameEffect := own.Effect == "" || own.Effect == t.Effect
		switch {
		case own.Key == t.Key && sameValue && !sameEffect:
			return t.ToString(), "the pod tolerates " + t.Key + " with effect " + string(own.Effect) + " only"
		case own.Key == t.Key && sameEffect && equal && (own.Value == "" || len(spelling.Nearest(own.Value, []string{t.Value}, 1)) > 0):
			return t.ToString(), "the pod tolerates " + t.Key + "=" + own.Value
		case own.Key != t.Key && own.Key != "" && sameValue && len(spelling.Nearest(own.Key, []string{t.Key}, 1)) > 0:
			return t.ToString(), "the pod tolerates " + own.Key
		}
	}
	return "", ""
}
