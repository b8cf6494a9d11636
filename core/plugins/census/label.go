package census

import (
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// Label is one label of a pod.
type Label struct{ Key, Value string }

// note makes a new class of looks known under its labels.
func (r *Roster) note(look int32, worn map[string]string) {
	for key, value := range worn {
		at := Label{key, value}
		r.wearing[at] = append(r.wearing[at], look)
	}
}

// AnyOf adds to a list the labels of which every pod that the selector matches wears at least one. It is not ok if the
// selector matches pods by what they do not wear, or by a key whatever its value.
func AnyOf(list []Label, selector labels.Selector) (longer []Label, ok bool) {
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

// Expect tells the tally that looks without any of these labels weigh nothing, which spares it asking about each. It is
// called before the first Refresh.
func (t *Tally) Expect(list []Label) { t.expected, t.expecting = list, true }

// presume enters that no look weighs anything, and leaves open those with expected labels.
func (t *Tally) presume() {
	if !t.expecting || t.mindsOnly {
		return
	}
	t.looks.of = make([]uint32, len(t.roster.looks.all))
	for i := range t.looks.of {
		t.looks.of[i] = 1
	}
	for _, label := range t.expected {
		for _, look := range t.roster.wearing[label] {
			t.looks.of[look] = 0
		}
	}
}
