package memory

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// matchLabelKeys and mismatchLabelKeys are merged into the selectors when the pod is created. Later changes of the
// pod's labels have no effect on them.

// eachAffinityTerm yields every pod affinity and anti-affinity term with its path.
func eachAffinityTerm(pod *v1.Pod) func(yield func(*field.Path, *v1.PodAffinityTerm) bool) {
	return func(yield func(*field.Path, *v1.PodAffinityTerm) bool) {
		if pod.Spec.Affinity == nil {
			return
		}
		visit := func(path *field.Path, required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) bool {
			for i := range required {
				if !yield(path.Child("requiredDuringSchedulingIgnoredDuringExecution").Index(i), &required[i]) {
					return false
				}
			}
			for i := range preferred {
				at := path.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i).Child("podAffinityTerm")
				if !yield(at, &preferred[i].PodAffinityTerm) {
					return false
				}
			}
			return true
		}
		at := field.NewPath("spec", "affinity")
		if a := pod.Spec.Affinity.PodAffinity; a != nil && !visit(at.Child("podAffinity"),
			a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution) {
			return
		}
		if a := pod.Spec.Affinity.PodAntiAffinity; a != nil {
			visit(at.Child("podAntiAffinity"),
				a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
		}
	}
}

func mergeLabelKeys(pod *v1.Pod) {
	for _, term := range eachAffinityTerm(pod) {
		addLabelRequirement(term.LabelSelector, term.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
		addLabelRequirement(term.LabelSelector, term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, pod.Labels)
	}
	for i := range pod.Spec.TopologySpreadConstraints {
		t := &pod.Spec.TopologySpreadConstraints[i]
		addLabelRequirement(t.LabelSelector, t.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
}

// addLabelRequirement requires the selected pods to have this pod's values of the given labels, or other values. A
// label that the pod lacks adds no requirement, and a nil selector stays nil.
func addLabelRequirement(s *metav1.LabelSelector, keys []string, op metav1.LabelSelectorOperator, labels map[string]string) {
	if s == nil {
		return
	}
	for _, key := range keys {
		if value, ok := labels[key]; ok {
			s.MatchExpressions = append(s.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
}

// checkSelectors rejects label keys without a selector, or that the selector also has.
func checkSelectors(pod *v1.Pod) error {
	var wrong field.ErrorList
	for path, term := range eachAffinityTerm(pod) {
		wrong = append(wrong, checkKeys(path, term.MatchLabelKeys, "matchLabelKeys", term.LabelSelector, true)...)
		wrong = append(wrong, checkKeys(path, term.MismatchLabelKeys, "mismatchLabelKeys", term.LabelSelector, false)...)
		for i, key := range term.MatchLabelKeys {
			if slices.Contains(term.MismatchLabelKeys, key) {
				wrong = append(wrong, field.Invalid(path.Child("matchLabelKeys").Index(i), key,
					"exists in both matchLabelKeys and mismatchLabelKeys"))
			}
		}
	}
	for i, t := range pod.Spec.TopologySpreadConstraints {
		path := field.NewPath("spec", "topologySpreadConstraints").Index(i)
		wrong = append(wrong, checkKeys(path, t.MatchLabelKeys, "matchLabelKeys", t.LabelSelector, true)...)
	}
	if len(wrong) > 0 {
		return invalidPod(pod, wrong...)
	}
	return nil
}

func checkKeys(path *field.Path, keys []string, name string, s *metav1.LabelSelector, alone bool) field.ErrorList {
	if len(keys) == 0 {
		return nil
	}
	if s == nil {
		return field.ErrorList{field.Forbidden(path.Child(name), "must not be specified when labelSelector is not set")}
	}
	var wrong field.ErrorList
	for i, key := range keys {
		_, named := s.MatchLabels[key]
		named = named || slices.ContainsFunc(s.MatchExpressions,
			func(r metav1.LabelSelectorRequirement) bool { return r.Key == key })
		if named && alone {
			wrong = append(wrong, field.Invalid(path.Child(name).Index(i), key,
				"exists in both matchLabelKeys and labelSelector"))
		}
	}
	return wrong
}
