package memory

import (
	schedulingv1alpha1 "k8s.io/api/scheduling/v1alpha1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/validation"
	segment "k8s.io/apimachinery/pkg/api/validation/path"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world"
	"orrery/core/world/podapi"
)

// admitWorkload rejects a workload that the API server would reject. Pods refer to its groups, which therefore never change.
func admitWorkload(o, old *schedulingv1alpha1.Workload) error {
	wrong := podapi.Meta(&o.ObjectMeta, true, validation.NameIsDNSSubdomain)
	wrong = append(wrong, checkPodGroups(o.Spec.PodGroups, field.NewPath("spec", "podGroups"))...)
	if ref := o.Spec.ControllerRef; ref != nil {
		wrong = append(wrong, checkControllerRef(ref, field.NewPath("spec", "controllerRef"))...)
	}
	if old != nil && !equality.Semantic.DeepEqual(o.Spec.PodGroups, old.Spec.PodGroups) {
		wrong = append(wrong, field.Invalid(field.NewPath("podGroups"), o.Spec.PodGroups, "field is immutable"))
	}
	if old != nil && old.Spec.ControllerRef != nil && !equality.Semantic.DeepEqual(o.Spec.ControllerRef, old.Spec.ControllerRef) {
		wrong = append(wrong, field.Invalid(field.NewPath("controllerRef"), o.Spec.ControllerRef, "field is immutable"))
	}
	return invalidUnless(world.Workload, o, wrong)
}

func checkPodGroups(groups []schedulingv1alpha1.PodGroup, path *field.Path) field.ErrorList {
	switch n := len(groups); {
	case n == 0:
		return field.ErrorList{field.Required(path, "must have at least one item")}
	case n > schedulingv1alpha1.WorkloadMaxPodGroups:
		return field.ErrorList{field.TooMany(path, n, schedulingv1alpha1.WorkloadMaxPodGroups)}
	}
	var wrong field.ErrorList
	seen := map[string]bool{}
	for i := range groups {
		g, at := &groups[i], path.Index(i)
		wrong = append(wrong, checkLabel(g.Name, at.Child("name"))...)
		if seen[g.Name] {
			wrong = append(wrong, field.Duplicate(at.Child("name"), g.Name))
		}
		seen[g.Name] = true
		wrong = append(wrong, checkPolicy(&g.Policy, at.Child("policy"))...)
	}
	return wrong
}

func checkPolicy(p *schedulingv1alpha1.PodGroupPolicy, path *field.Path) field.ErrorList {
	switch {
	case p.Basic == nil && p.Gang == nil:
		return field.ErrorList{field.Required(path, "exactly one of `basic`, `gang` is required")}
	case p.Basic != nil && p.Gang != nil:
		return field.ErrorList{field.Invalid(path, "{`basic`, `gang`}", "exactly one of `basic`, `gang` is required, but multiple fields are set")}
	case p.Gang != nil && p.Gang.MinCount <= 0:
		return field.ErrorList{field.Invalid(path.Child("gang", "minCount"), int64(p.Gang.MinCount), "must be greater than zero")}
	}
	return nil
}

func checkControllerRef(ref *schedulingv1alpha1.TypedLocalObjectReference, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if ref.APIGroup != "" {
		for _, why := range utilvalidation.IsDNS1123Subdomain(ref.APIGroup) {
			wrong = append(wrong, field.Invalid(path.Child("apiGroup"), ref.APIGroup, why))
		}
	}
	for _, part := range []struct{ name, value string }{{"kind", ref.Kind}, {"name", ref.Name}} {
		if part.value == "" {
			wrong = append(wrong, field.Required(path.Child(part.name), ""))
		}
		for _, why := range segment.IsValidPathSegmentName(part.value) {
			wrong = append(wrong, field.Invalid(path.Child(part.name), part.value, why))
		}
	}
	return wrong
}

func checkLabel(name string, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for _, why := range utilvalidation.IsDNS1123Label(name) {
		wrong = append(wrong, field.Invalid(path, name, why))
	}
	return wrong
}
