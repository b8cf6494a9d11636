package topology

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// Label is one label of a pod.
type Label struct{ Key, Value string }

// indexLabels lists a new label class under each of its labels.
func (r *PodIndex) indexLabels(class int32, all map[string]string) {
	for key, value := range all {
		label := Label{key, value}
		r.byLabel[label] = append(r.byLabel[label], class)
	}
}

// CoveringLabels adds labels to a list such that every pod that the selector matches has at least one of them. It is not ok
// if the selector matches pods by labels they lack, or by a key with any value.
func CoveringLabels(list []Label, selector labels.Selector) (longer []Label, ok bool) {
	requirements, selectable := selector.Requirements()
	if !selectable {
		return list, true
	}
	for i := range requirements {
		switch requirements[i].Operator() {
		case selection.In, selection.Equals, selection.DoubleEquals:
			for _, value := range requirements[i].ValuesUnsorted() {
				list = append(list, Label{requirements[i].Key(), value})
			}
			return list, true
		}
	}
	return list, false
}

// assumeZero gives every label class the empty pattern, except those with one of the labels in the options.
func (t *DomainCounts) assumeZero() {
	if t.options.Labels == nil || t.options.TermsOnly {
		return
	}
	t.labelWeights.of = make([]uint32, len(t.index.labelClasses.all))
	for i := range t.labelWeights.of {
		t.labelWeights.of[i] = 1
	}
	for _, label := range t.options.Labels {
		for _, class := range t.index.byLabel[label] {
			t.labelWeights.of[class] = 0
		}
	}
}
