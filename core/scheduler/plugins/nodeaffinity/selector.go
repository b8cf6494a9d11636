package nodeaffinity

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// required are the nodeSelector and the required node affinity of a pod.
type required struct {
	labels   map[string]string // nodeSelector
	hasTerms bool              // there is a required node affinity, with or without terms
	terms    []term            // the terms that could be parsed
	source   *v1.NodeSelector  // for the error, when not all of them could
	broken   bool
}

func requiredOf(pod *v1.Pod) required {
	r := required{labels: pod.Spec.NodeSelector}
	if selector := requiredAffinity(pod); selector != nil {
		r.hasTerms, r.source = true, selector
		r.terms, r.broken = parseTerms(selector.NodeSelectorTerms)
	}
	return r
}

func requiredAffinity(pod *v1.Pod) *v1.NodeSelector {
	if pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil {
		return nil
	}
	return pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
}

func (r *required) match(node *v1.Node) bool {
	for key, value := range r.labels {
		if has, ok := node.Labels[key]; !ok || has != value {
			return false
		}
	}
	return !r.hasTerms || anyMatches(r.terms, node)
}

// matchOrError is match, with the error of the unparsed terms if no other term matches.
func (r *required) matchOrError(node *v1.Node) (bool, error) {
	if matches := r.match(node); matches || !r.broken {
		return matches, nil
	}
	byLabels := required{labels: r.labels}
	if !byLabels.match(node) {
		return false, nil
	}
	return nodeaffinity.NewLazyErrorNodeSelector(r.source).Match(node)
}

func anyMatches(terms []term, node *v1.Node) bool {
	for i := range terms {
		if terms[i].match(node) {
			return true
		}
	}
	return false
}

// preferred are the preferred terms of a pod or a profile, with their weights.
type preferred struct {
	terms   []term
	weights []int64
}

// preferredOf parses preferred terms. It leaves out empty ones and those without weight.
func preferredOf(prefer []v1.PreferredSchedulingTerm) (*preferred, error) {
	p := &preferred{}
	for i := range prefer {
		source := &prefer[i].Preference
		if prefer[i].Weight == 0 || isEmpty(source) {
			continue
		}
		parsed, ok := parseTerm(source)
		if !ok {
			_, err := nodeaffinity.NewPreferredSchedulingTerms(prefer)
			return nil, err
		}
		p.terms = append(p.terms, parsed)
		p.weights = append(p.weights, int64(prefer[i].Weight))
	}
	return p, nil
}

// score sums the weights of the matching terms.
func (p *preferred) score(node *v1.Node) int64 {
	var sum int64
	for i := range p.terms {
		if p.terms[i].match(node) {
			sum += p.weights[i]
		}
	}
	return sum
}

// term is a node selector term, ready to match.
type term struct {
	expressions labels.Requirements
	fields      []field
}

// field is a requirement on a field of the node. The only field is the name; any other is empty.
type field struct {
	key, value string
	equal      bool
}

func isEmpty(t *v1.NodeSelectorTerm) bool {
	return len(t.MatchExpressions) == 0 && len(t.MatchFields) == 0
}

// parseTerms leaves out empty terms, which match no node, and those that cannot be parsed.
func parseTerms(sources []v1.NodeSelectorTerm) (terms []term, broken bool) {
	for i := range sources {
		if isEmpty(&sources[i]) {
			continue
		}
		if parsed, ok := parseTerm(&sources[i]); ok {
			terms = append(terms, parsed)
		} else {
			broken = true
		}
	}
	return terms, broken
}

var operators = map[v1.NodeSelectorOperator]selection.Operator{
	v1.NodeSelectorOpIn:           selection.In,
	v1.NodeSelectorOpNotIn:        selection.NotIn,
	v1.NodeSelectorOpExists:       selection.Exists,
	v1.NodeSelectorOpDoesNotExist: selection.DoesNotExist,
	v1.NodeSelectorOpGt:           selection.GreaterThan,
	v1.NodeSelectorOpLt:           selection.LessThan,
}

func parseTerm(source *v1.NodeSelectorTerm) (term, bool) {
	var t term
	for _, e := range source.MatchExpressions {
		operator, known := operators[e.Operator]
		if !known {
			return t, false
		}
		requirement, err := labels.NewRequirement(e.Key, operator, e.Values)
		if err != nil {
			return t, false
		}
		t.expressions = append(t.expressions, *requirement)
	}
	for _, f := range source.MatchFields {
		equal := f.Operator == v1.NodeSelectorOpIn
		if (!equal && f.Operator != v1.NodeSelectorOpNotIn) || len(f.Values) != 1 {
			return t, false
		}
		t.fields = append(t.fields, field{key: f.Key, value: f.Values[0], equal: equal})
	}
	return t, true
}

func (t *term) match(node *v1.Node) bool {
	for i := range t.expressions {
		if !t.expressions[i].Matches(labels.Set(node.Labels)) {
			return false
		}
	}
	if node.Name == "" {
		return true // a node template has no fields
	}
	for _, f := range t.fields {
		var has string
		if f.key == metav1.ObjectNameField {
			has = node.Name
		}
		if (has == f.value) != f.equal {
			return false
		}
	}
	return true
}
