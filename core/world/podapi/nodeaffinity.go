package podapi

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"orrery/core/world/deviceapi"
)

func affinity(a *v1.Affinity, path *field.Path) field.ErrorList {
	if a == nil {
		return nil
	}
	var wrong field.ErrorList
	if a.NodeAffinity != nil {
		wrong = append(wrong, nodeAffinity(a.NodeAffinity, path.Child("nodeAffinity"))...)
	}
	if p := a.PodAffinity; p != nil {
		wrong = append(wrong, podAffinity(p.RequiredDuringSchedulingIgnoredDuringExecution,
			p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAffinity"))...)
	}
	if p := a.PodAntiAffinity; p != nil {
		wrong = append(wrong, podAffinity(p.RequiredDuringSchedulingIgnoredDuringExecution,
			p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAntiAffinity"))...)
	}
	return wrong
}

// nodeAffinity checks the affinity to nodes. A preference may name values that no label can have.
func nodeAffinity(a *v1.NodeAffinity, path *field.Path) field.ErrorList {
	var wrong field.ErrorList
	if required := a.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
		wrong = append(wrong, deviceapi.NodeSelector(required, path.Child(requiredField))...)
	}
	for i := range a.PreferredDuringSchedulingIgnoredDuringExecution {
		term, at := &a.PreferredDuringSchedulingIgnoredDuringExecution[i], path.Child(preferredField).Index(i)
		wrong = append(wrong, weight(term.Weight, at.Child("weight"))...)
		wrong = append(wrong, deviceapi.PreferredTerm(&term.Preference, at.Child("preference"))...)
	}
	return wrong
}

func weight(n int32, path *field.Path) field.ErrorList {
	if n < 1 || n > 100 {
		return field.ErrorList{field.Invalid(path, n, "must be in the range 1-100")}
	}
	return nil
}
