package admission

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// RefusedPodChange returns why a change of a pod is not stored. Images may change, tolerations be added and gates removed. While a
// pod is gated, its node selector may get more keys, and its node affinity terms more requirements.
func (g Gates) RefusedPodChange(changed, old *v1.Pod) field.ErrorList {
	spec, errs := field.NewPath("spec"), g.refusedPodSpec(changed)
	for _, part := range []struct {
		name         string
		changed, old []v1.Container
	}{
		{"containers", changed.Spec.Containers, old.Spec.Containers},
		{"initContainers", changed.Spec.InitContainers, old.Spec.InitContainers},
	} {
		if len(part.changed) != len(part.old) {
			return append(errs, field.Forbidden(spec.Child(part.name), "pod updates may not add or remove containers"))
		}
	}
	errs = append(errs, keptTolerations(changed.Spec.Tolerations, old.Spec.Tolerations, spec.Child("tolerations"))...)
	errs = append(errs, fewerGates(changed.Spec.SchedulingGates, old.Spec.SchedulingGates, spec.Child("schedulingGates"))...)
	if len(old.Spec.SchedulingGates) > 0 {
		errs = append(errs, moreSelected(changed.Spec.NodeSelector, old.Spec.NodeSelector, spec.Child("nodeSelector"))...)
		errs = append(errs, narrower(requiredTerms(&changed.Spec), requiredTerms(&old.Spec),
			spec.Child("affinity", "nodeAffinity", requiredField, "nodeSelectorTerms"))...)
	}
	if !equality.Semantic.DeepEqual(*withoutChangeable(&changed.Spec, &old.Spec), old.Spec) {
		errs = append(errs, field.Forbidden(spec, "pod updates may not change fields other than "+
			"`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"+
			"`spec.tolerations` (only additions to existing tolerations),"+
			"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"))
	}
	return errs
}

// keptTolerations checks that tolerations are only added.
func keptTolerations(list, old []v1.Toleration, path *field.Path) field.ErrorList {
	for _, had := range old {
		kept := slices.ContainsFunc(list, func(has v1.Toleration) bool {
			has.TolerationSeconds = had.TolerationSeconds
			return has == had
		})
		if !kept {
			return field.ErrorList{field.Forbidden(path, "existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return nil
}

// fewerGates checks that no gate is new. Of several of one name, the last one is wrong.
func fewerGates(list, old []v1.PodSchedulingGate, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, gate := range list {
		if slices.Contains(old, gate) || slices.Contains(list[i+1:], gate) {
			continue
		}
		errs = append(errs, field.Forbidden(path.Index(i).Child("name"), "only deletion is allowed, but found new scheduling gate '"+gate.Name+"'"))
	}
	return errs
}

func moreSelected(selector, old map[string]string, path *field.Path) field.ErrorList {
	for key, value := range old {
		if now, ok := selector[key]; !ok || now != value {
			return field.ErrorList{field.Invalid(path, maps.Clone(selector), "only additions to spec.nodeSelector are allowed (no mutations or deletions)")}
		}
	}
	return nil
}

func requiredTerms(s *v1.PodSpec) []v1.NodeSelectorTerm {
	a := nodeAffinityOf(s)
	if a == nil || a.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
}

// narrower checks that terms allow no more nodes: one more term would, one more requirement in a term allows fewer.
func narrower(list, old []v1.NodeSelectorTerm, path *field.Path) field.ErrorList {
	if len(old) == 0 {
		return nil
	}
	if len(old) != len(list) {
		return field.ErrorList{field.Invalid(path, list, "no additions/deletions to non-empty NodeSelectorTerms list are allowed")}
	}
	var errs field.ErrorList
	for i := range old {
		empty := len(old[i].MatchExpressions)+len(old[i].MatchFields) == 0
		filled := len(list[i].MatchExpressions)+len(list[i].MatchFields) > 0
		if empty && filled || !startsWith(list[i].MatchExpressions, old[i].MatchExpressions) || !startsWith(list[i].MatchFields, old[i].MatchFields) {
			errs = append(errs, field.Invalid(path.Index(i), list[i], "only additions are allowed (no mutations or deletions)"))
		}
	}
	return errs
}

func startsWith(list, prefix []v1.NodeSelectorRequirement) bool {
	return len(list) >= len(prefix) && (len(prefix) == 0 || equality.Semantic.DeepEqual(list[:len(prefix)], prefix))
}

// withoutChangeable returns a changed spec with the old values of what may change or is checked otherwise.
func withoutChangeable(changed, old *v1.PodSpec) *v1.PodSpec {
	rest := changed.DeepCopy()
	rest.Tolerations, rest.SchedulingGates = old.Tolerations, old.SchedulingGates
	rest.ActiveDeadlineSeconds = old.ActiveDeadlineSeconds
	for i := range rest.Containers {
		rest.Containers[i].Image = old.Containers[i].Image
	}
	for i := range rest.InitContainers {
		rest.InitContainers[i].Image = old.InitContainers[i].Image
	}
	if len(old.SchedulingGates) > 0 {
		rest.NodeSelector = old.NodeSelector
		if !equality.Semantic.DeepEqual(nodeAffinityOf(rest), nodeAffinityOf(old)) {
			rest.Affinity = withNodeAffinityOf(rest.Affinity, old.Affinity)
		}
	}
	return rest
}

func nodeAffinityOf(s *v1.PodSpec) *v1.NodeAffinity {
	if s.Affinity == nil {
		return nil
	}
	return s.Affinity.NodeAffinity
}

// withNodeAffinityOf returns an affinity with the node affinity of another.
func withNodeAffinityOf(affinity, other *v1.Affinity) *v1.Affinity {
	var whole v1.Affinity
	if affinity != nil {
		whole = *affinity
	}
	whole.NodeAffinity = nil
	if other != nil {
		whole.NodeAffinity = other.NodeAffinity
	}
	if other == nil && whole == (v1.Affinity{}) {
		return nil
	}
	return &whole
}
