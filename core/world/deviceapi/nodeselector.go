package deviceapi

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// NodeSelector checks a selector of nodes: that of a slice, or the required affinity of a pod.
func NodeSelector(s *v1.NodeSelector, path *field.Path) field.ErrorList {
	path = path.Child("nodeSelectorTerms")
	if len(s.NodeSelectorTerms) == 0 {
		return field.ErrorList{field.Required(path, "must have at least one node selector term")}
	}
	return each(s.NodeSelectorTerms, unlimited, path, func(t *v1.NodeSelectorTerm, at *field.Path) field.ErrorList {
		return term(t, byLabel, at)
	})
}

// PreferredTerm checks a term of a pod's preferred affinity, which may name values that no label has.
func PreferredTerm(t *v1.NodeSelectorTerm, path *field.Path) field.ErrorList {
	return term(t, byAnyLabel, path)
}

func term(
	t *v1.NodeSelectorTerm, byLabel func(*v1.NodeSelectorRequirement, *field.Path) field.ErrorList, path *field.Path,
) field.ErrorList {
	return append(each(t.MatchExpressions, unlimited, path.Child("matchExpressions"), byLabel),
		each(t.MatchFields, unlimited, path.Child("matchFields"), byField)...)
}

func byLabel(r *v1.NodeSelectorRequirement, path *field.Path) field.ErrorList {
	return append(byAnyLabel(r, path), each(r.Values, unlimited, path.Child("values"),
		func(s *string, at *field.Path) field.ErrorList { return labelValue(*s, at) })...)
}

// byAnyLabel checks a requirement except for the values of the label.
func byAnyLabel(r *v1.NodeSelectorRequirement, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	values := path.Child("values")
	switch r.Operator {
	case v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn:
		if len(r.Values) == 0 {
			wrong = append(wrong, field.Required(values, "must be specified when `operator` is 'In' or 'NotIn'"))
		}
	case v1.NodeSelectorOpExists, v1.NodeSelectorOpDoesNotExist:
		if len(r.Values) > 0 {
			wrong = append(wrong, field.Forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
		}
	case v1.NodeSelectorOpGt, v1.NodeSelectorOpLt:
		if len(r.Values) != 1 {
			wrong = append(wrong, field.Required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'"))
		}
	default:
		wrong = append(wrong, field.Invalid(path.Child("operator"), r.Operator, "not a valid selector operator"))
	}
	return append(wrong, labelKey(r.Key, path.Child("key"))...)
}

// byField checks a requirement of a node's field, of which there is one: its name.
func byField(r *v1.NodeSelectorRequirement, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	switch r.Operator {
	case v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn:
		if len(r.Values) != 1 {
			wrong = append(wrong, field.Required(path.Child("values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"))
		}
	default:
		wrong = append(wrong, field.Invalid(path.Child("operator"), r.Operator, "not a valid selector operator"))
	}
	if r.Key != metav1.ObjectNameField {
		return append(wrong, field.Invalid(path.Child("key"), r.Key, "not a valid field selector key"))
	}
	return append(wrong, each(r.Values, unlimited, path.Child("values"), func(s *string, at *field.Path) field.ErrorList {
		return Invalid(at, *s, validation.IsDNS1123Subdomain(*s))
	})...)
}
