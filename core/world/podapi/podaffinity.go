package podapi

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The fields of an affinity, to nodes or to pods.
const (
	requiredField  = "requiredDuringSchedulingIgnoredDuringExecution"
	preferredField = "preferredDuringSchedulingIgnoredDuringExecution"
)

func podAffinity(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	for i := range required {
		wrong = append(wrong, podAffinityTerm(&required[i], path.Child(requiredField).Index(i))...)
	}
	for i := range preferred {
		at := path.Child(preferredField).Index(i)
		wrong = append(wrong, weight(preferred[i].Weight, at.Child("weight"))...)
		wrong = append(wrong, podAffinityTerm(&preferred[i].PodAffinityTerm, at.Child("podAffinityTerm"))...)
	}
	return wrong
}

func podAffinityTerm(t *v1.PodAffinityTerm, path *field.Path) field.ErrorList {
	wrong := labelSelector(t.LabelSelector, path.Child("labelSelector"))
	wrong = append(wrong, labelSelector(t.NamespaceSelector, path.Child("namespaceSelector"))...)
	for _, name := range t.Namespaces {
		wrong = append(wrong, label(name, path.Child("namespace"))...)
	}
	wrong = append(wrong, labelKeys(t.MatchLabelKeys, t.MismatchLabelKeys, t.LabelSelector, path)...)
	if t.TopologyKey == "" {
		wrong = append(wrong, field.Required(path.Child("topologyKey"), "can not be empty"))
	}
	return append(wrong, metav1validation.ValidateLabelName(t.TopologyKey, path.Child("topologyKey"))...)
}

func labelSelector(s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	return metav1validation.ValidateLabelSelector(s, metav1validation.LabelSelectorValidationOptions{}, path)
}

// labelKeys checks label keys whose values are merged into a selector. They are merged already, so that a key that the
// selector had before is in it twice.
func labelKeys(match, mismatch []string, s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	wrong := labelNames(match, s, path.Child("matchLabelKeys"))
	wrong = append(wrong, labelNames(mismatch, s, path.Child("mismatchLabelKeys"))...)
	if s != nil {
		wrong = append(wrong, twice(match, s, path)...)
	}
	for i, key := range match {
		if slices.Contains(mismatch, key) {
			wrong = append(wrong, field.Invalid(path.Child("matchLabelKeys").Index(i), key, "exists in both matchLabelKeys and mismatchLabelKeys"))
		}
	}
	return wrong
}

func labelNames(keys []string, s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	if len(keys) > 0 && s == nil {
		return field.ErrorList{field.Forbidden(path, "must not be specified when labelSelector is not set")}
	}
	var wrong field.ErrorList
	for i, key := range keys {
		wrong = append(wrong, metav1validation.ValidateLabelName(key, path.Index(i))...)
	}
	return wrong
}

// twice finds the keys that a selector has more than once.
func twice(keys []string, s *metav1.LabelSelector, path *field.Path) field.ErrorList {
	last := map[string]int{}
	for i, key := range keys {
		last[key] = i
	}
	seen := map[string]bool{}
	for key := range s.MatchLabels {
		seen[key] = true
	}
	var wrong field.ErrorList
	for _, r := range s.MatchExpressions {
		if i, named := last[r.Key]; named && seen[r.Key] {
			wrong = append(wrong, field.Invalid(path.Index(i), r.Key, "exists in both matchLabelKeys and labelSelector"))
		}
		seen[r.Key] = true
	}
	return wrong
}
