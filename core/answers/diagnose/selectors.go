package diagnose

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// SelectorMismatch is the pod's node selector and required node affinity, requirement by requirement.
type SelectorMismatch struct {
	Requirements []Requirement `json:"requirements"`
	// Nearest is the node that meets the most of one alternative, and Missing are the requirements it does not meet.
	Nearest string   `json:"nearest,omitempty"`
	Missing []string `json:"missing,omitempty"`
	Nodes   int      `json:"nodes"`
}

// Requirement is one label that nodes must have.
type Requirement struct {
	// Field is the path in the pod, Text the requirement: disk=ssd, zone In [a b].
	Field string `json:"field"`
	Text  string `json:"text"`
	// Matching is the number of nodes that meet it.
	Matching int `json:"matching"`
	// Values are the values of the label on all nodes, the most frequent first.
	Key    string       `json:"key"`
	Values []ValueCount `json:"values,omitempty"`

	ofField bool // of the node, and not a label
	term    int  // the alternative; -1 belongs to every one
	match   func(*v1.Node) bool
}

// ValueCount is a label's value and the number of nodes with it.
type ValueCount struct {
	Value string `json:"value"`
	Nodes int    `json:"nodes"`
}

func (p *pendingPod) selectorMismatch() Evidence {
	s := &SelectorMismatch{Requirements: requirementsOf(p.pod), Nodes: len(p.nodes)}
	if len(s.Requirements) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(p.nodes))
	for i := range s.Requirements {
		r := &s.Requirements[i]
		values := map[string]int{}
		for _, name := range names {
			node := p.nodes[name].Node()
			if r.match(node) {
				r.Matching++
			}
			if value, has := node.Labels[r.Key]; has && !r.ofField {
				values[value]++
			}
		}
		for value, nodes := range values {
			r.Values = append(r.Values, ValueCount{value, nodes})
		}
		slices.SortFunc(r.Values, func(a, b ValueCount) int { return cmp.Or(cmp.Compare(b.Nodes, a.Nodes), cmp.Compare(a.Value, b.Value)) })
	}
	for _, name := range names {
		if missing := s.missing(p.nodes[name].Node()); s.Nearest == "" || len(missing) < len(s.Missing) {
			s.Nearest, s.Missing = name, missing
		}
	}
	return s
}

// requirementsOf lists the node selector, and every term of the required node affinity.
func requirementsOf(pod *v1.Pod) []Requirement {
	var list []Requirement
	for _, key := range slices.Sorted(maps.Keys(pod.Spec.NodeSelector)) {
		value := pod.Spec.NodeSelector[key]
		list = append(list, Requirement{
			Field: "spec.nodeSelector", Text: key + "=" + value, Key: key, term: -1,
			match: func(n *v1.Node) bool { got, has := n.Labels[key]; return has && got == value },
		})
	}
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return list
	}
	for i, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		field := "nodeAffinity.required…nodeSelectorTerms[" + strconv.Itoa(i) + "]"
		for _, r := range term.MatchExpressions {
			list = append(list, affinityRequirement(field, i, r, v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{r}}))
		}
		for _, r := range term.MatchFields {
			named := affinityRequirement(field, i, r, v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{r}})
			named.ofField = true
			list = append(list, named)
		}
	}
	return list
}

func affinityRequirement(field string, term int, r v1.NodeSelectorRequirement, alone v1.NodeSelectorTerm) Requirement {
	text := r.Key + " " + string(r.Operator)
	if len(r.Values) > 0 {
		text += " [" + strings.Join(r.Values, " ") + "]"
	}
	selector, err := nodeaffinity.NewNodeSelector(&v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{alone}})
	return Requirement{
		Field: field, Text: text, Key: r.Key, term: term,
		match: func(n *v1.Node) bool { return err == nil && selector.Match(n) },
	}
}

// missing returns what the node does not meet of the alternative that it meets best.
func (s *SelectorMismatch) missing(node *v1.Node) []string {
	var always, best []string
	byTerm := map[int][]string{}
	for i := range s.Requirements {
		r := &s.Requirements[i]
		switch met := r.match(node); {
		case r.term < 0 && !met:
			always = append(always, r.Text)
		case r.term >= 0 && met:
			byTerm[r.term] = slices.Clip(byTerm[r.term]) // a term that is met as a whole lacks nothing
		case r.term >= 0:
			byTerm[r.term] = append(byTerm[r.term], r.Text)
		}
	}
	for i, term := range slices.Sorted(maps.Keys(byTerm)) {
		if i == 0 || len(byTerm[term]) < len(best) {
			best = byTerm[term]
		}
	}
	return append(always, best...)
}

// Facts implements Evidence.
func (s *SelectorMismatch) Facts() []string {
	var facts []string
	for i := range s.Requirements {
		r := &s.Requirements[i]
		if r.Matching == s.Nodes {
			continue
		}
		fact := fmt.Sprintf("%s %s: on %d of %d nodes", r.Field, r.Text, r.Matching, s.Nodes)
		if !r.ofField {
			fact += "; " + r.valuesText(s.Nodes)
		}
		facts = append(facts, fact)
	}
	if len(s.Missing) > 0 && len(s.Requirements) > 1 {
		facts = append(facts, "nearest is "+s.Nearest+", which lacks "+listed(s.Missing))
	}
	return facts
}

func (r *Requirement) valuesText(nodes int) string {
	key := r.Key
	if len(r.Values) == 0 {
		return "no node has the label " + key
	}
	labeled := 0
	values := make([]string, 0, len(r.Values))
	for _, v := range r.Values {
		labeled += v.Nodes
		values = append(values, fmt.Sprintf("%q on %d", v.Value, v.Nodes))
	}
	text := key + " is " + listed(values)
	if labeled < nodes {
		text += fmt.Sprintf(", absent on %d", nodes-labeled)
	}
	return text
}

// Hint implements Evidence.
func (s *SelectorMismatch) Hint() string { return "" }
