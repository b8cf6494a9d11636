package nodeaffinity

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

var _ framework.Explainer = (*NodeAffinity)(nil)

// The reason codes of NodeAffinity.
const (
	Mismatch  = "selector-mismatch"
	Enforced  = "affinity-enforced"
	Conflicts = "affinity-conflict"
)

// ReasonCodes are the codes of the plugin.
var ReasonCodes = []framework.ReasonCode{
	{Code: Mismatch, Means: "the nodes do not match the node selector or the required node affinity", Fields: []string{"wants", "rules", "nearest", "missing", "meant", "changes"}},
	{Code: Enforced, Means: "the nodes do not match the addedAffinity of the profile", Fields: []string{"wants"}},
	{Code: Conflicts, Means: "the requirements on names of nodes exclude each other", Fields: []string{"wants"}},
}

// Explain compares the pod's node selector and required node affinity with the labels of all nodes, requirement by requirement.
func (p *NodeAffinity) Explain(_ context.Context, state fwk.CycleState, pod *v1.Pod, rejected framework.Rejection) []framework.Evidence {
	if len(rejected.Nodes) == 0 {
		return []framework.Evidence{{
			Code: Conflicts, Message: conflict.Message(), Wants: "its node affinity", Sentence: "its node affinity names nodes in requirements that exclude each other: no node meets it",
		}}
	}
	var enforced, mismatch framework.Evidence
	for i := range rejected.Nodes {
		n := &rejected.Nodes[i]
		if p.addedRequired != nil && !p.addedRequired.match(n.Node()) {
			enforced.Nodes = append(enforced.Nodes, n.Name())
		} else {
			mismatch.Nodes = append(mismatch.Nodes, n.Name())
		}
	}
	var list []framework.Evidence
	if len(enforced.Nodes) > 0 {
		enforced.Code, enforced.Message, enforced.Wants = Enforced, notEnforced.Message(), "the addedAffinity of its profile"
		enforced.Predicate = enforced.Verb("does", "do") + " not meet the addedAffinity of its profile"
		list = append(list, enforced)
	}
	if len(mismatch.Nodes) == 0 {
		return list
	}
	mismatch.Code, mismatch.Message = Mismatch, notMatched.Message()
	if s := newComparison(pod, rejected.All); len(s.requirements) > 0 {
		s.describe(&mismatch, rejected)
	} else {
		mismatch.Wants, mismatch.Sentence = "its node affinity", "its required node affinity has no term, which no node meets"
	}
	return append(list, mismatch)
}

// comparison is the requirements of a pod, and how the nodes of the cluster meet them.
type comparison struct {
	requirements []requirement
	nodes        []fwk.NodeInfo
	nearest      *v1.Node
	missing      []int // of the nearest
}

// requirement is one label, or the name, that nodes must have.
type requirement struct {
	framework.Rule
	term  int  // the alternative; -1 belongs to every one
	named bool // by the name of the node, and not by a label
	match func(*v1.Node) bool
	// value is the only value that does; empty if there may be several.
	value string
}

func newComparison(pod *v1.Pod, nodes []fwk.NodeInfo) *comparison {
	s := &comparison{requirements: requirementsOf(pod), nodes: nodes}
	for i := range s.requirements {
		s.requirements[i].count(nodes)
	}
	for _, info := range nodes {
		missing := s.missingOn(info.Node())
		if s.nearest == nil || len(missing) < len(s.missing) || len(missing) == len(s.missing) && info.Node().Name < s.nearest.Name {
			s.nearest, s.missing = info.Node(), missing
		}
	}
	return s
}

// count counts the nodes that meet the requirement, and those of each value.
func (r *requirement) count(nodes []fwk.NodeInfo) {
	values := map[string]int64{}
	for _, info := range nodes {
		node := info.Node()
		if r.match(node) {
			r.Matching++
		}
		if value, has := node.Labels[r.Key]; has && !r.named {
			values[value]++
		}
	}
	for value, count := range values {
		r.Domains = append(r.Domains, framework.Domain{Value: value, Count: count})
	}
	slices.SortFunc(r.Domains, func(a, b framework.Domain) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
}

// requirementsOf lists the node selector, and every requirement of every term of the required node affinity.
func requirementsOf(pod *v1.Pod) []requirement {
	var list []requirement
	for _, key := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		value := pod.Spec.NodeSelector[key]
		r := requirement{term: -1, value: value, Rule: framework.Rule{Field: "spec.nodeSelector", Text: key + "=" + value, Key: key}}
		only := required{labels: map[string]string{key: value}}
		r.match = only.match
		list = append(list, r)
	}
	affinity := requiredAffinity(pod)
	if affinity == nil {
		return list
	}
	for i, t := range affinity.NodeSelectorTerms {
		field := "nodeAffinity.required…nodeSelectorTerms[" + strconv.Itoa(i) + "]"
		for _, e := range t.MatchExpressions {
			list = append(list, ofTerm(field, i, e, v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{e}}))
		}
		for _, f := range t.MatchFields {
			r := ofTerm(field, i, f, v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{f}})
			r.named = true
			list = append(list, r)
		}
	}
	return list
}

func ofTerm(field string, index int, e v1.NodeSelectorRequirement, alone v1.NodeSelectorTerm) requirement {
	r := requirement{term: index, Rule: framework.Rule{Field: field, Key: e.Key, Text: e.Key + " " + string(e.Operator)}}
	if len(e.Values) > 0 {
		r.Text += " [" + strings.Join(e.Values, " ") + "]"
	}
	if e.Operator == v1.NodeSelectorOpIn && len(e.Values) == 1 {
		r.value = e.Values[0]
	}
	parsed, ok := parseTerm(&alone)
	r.match = func(n *v1.Node) bool { return ok && parsed.match(n) }
	return r
}

// missingOn returns the requirements that the node does not meet of the alternative that it meets best.
func (s *comparison) missingOn(node *v1.Node) []int {
	var always, best []int
	byTerm := map[int][]int{}
	for i := range s.requirements {
		r := &s.requirements[i]
		switch met := r.match(node); {
		case r.term < 0 && !met:
			always = append(always, i)
		case r.term >= 0 && met:
			byTerm[r.term] = slices.Clip(byTerm[r.term]) // a term that is met as a whole lacks nothing
		case r.term >= 0:
			byTerm[r.term] = append(byTerm[r.term], i)
		}
	}
	for i, term := range slices.Sorted(maps.Keys(byTerm)) {
		if i == 0 || len(byTerm[term]) < len(best) {
			best = byTerm[term]
		}
	}
	return append(always, best...)
}

// isName reports whether the requirement is met by the name of a node.
func (r *requirement) isName() bool { return r.named && r.Key == metav1.ObjectNameField }
