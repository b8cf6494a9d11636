package memory

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// checkPodUpdate rejects changes of a pod's spec as the API server does. Labels, annotations, owners, finalizers and
// images may change, tolerations be added and gates removed. While a pod is gated, its node selector may get more keys,
// and its node affinity terms more requirements.
func checkPodUpdate(changed, old *v1.Pod) error {
	spec := field.NewPath("spec")
	keepPriority(changed, old)
	var wrong field.ErrorList
	wrong = append(wrong, checkTolerations(spec.Child("tolerations"), changed.Spec.Tolerations, old.Spec.Tolerations)...)
	wrong = append(wrong, checkGates(spec.Child("schedulingGates"), changed.Spec.SchedulingGates, old.Spec.SchedulingGates)...)

	rest := changed.DeepCopy()
	rest.Spec.Tolerations, rest.Spec.SchedulingGates = old.Spec.Tolerations, old.Spec.SchedulingGates
	sameImages(rest.Spec.Containers, old.Spec.Containers)
	sameImages(rest.Spec.InitContainers, old.Spec.InitContainers)
	if before, after := old.Spec.ActiveDeadlineSeconds, changed.Spec.ActiveDeadlineSeconds; after != nil {
		if before != nil && *after > *before {
			wrong = append(wrong, field.Invalid(spec.Child("activeDeadlineSeconds"), *after,
				"must be less than or equal to previous value"))
		}
		rest.Spec.ActiveDeadlineSeconds = before
	}
	if len(old.Spec.SchedulingGates) > 0 {
		wrong = append(wrong, checkSelectorNarrowed(spec.Child("nodeSelector"), changed.Spec.NodeSelector, old.Spec.NodeSelector)...)
		wrong = append(wrong, checkAffinityNarrowed(spec.Child("affinity", "nodeAffinity"), nodeAffinity(changed), nodeAffinity(old))...)
		rest.Spec.NodeSelector = old.Spec.NodeSelector
		rest.Spec.Affinity = withNodeAffinityOf(rest.Spec.Affinity, old.Spec.Affinity)
	}
	if !equality.Semantic.DeepEqual(rest.Spec, old.Spec) {
		wrong = append(wrong, field.Forbidden(spec, "pod updates may not change fields other than "+
			"`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"+
			"`spec.tolerations` (only additions to existing tolerations),"+
			"`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"))
	}
	if len(wrong) > 0 {
		return invalidPod(old, wrong...)
	}
	return nil
}

// keepPriority restores the values of admission if the writer omits them.
func keepPriority(changed, old *v1.Pod) {
	if changed.Spec.Priority == nil {
		changed.Spec.Priority = old.Spec.Priority
	}
	if changed.Spec.PreemptionPolicy == nil {
		changed.Spec.PreemptionPolicy = old.Spec.PreemptionPolicy
	}
}

func sameImages(list, old []v1.Container) {
	for i := range min(len(list), len(old)) {
		list[i].Image = old[i].Image
	}
}

func checkTolerations(path *field.Path, list, old []v1.Toleration) field.ErrorList {
	for _, had := range old {
		kept := false
		for _, has := range list {
			had.TolerationSeconds = has.TolerationSeconds
			kept = kept || equality.Semantic.DeepEqual(had, has)
		}
		if !kept {
			return field.ErrorList{field.Forbidden(path,
				"existing toleration can not be modified except its tolerationSeconds")}
		}
	}
	return nil
}

func checkGates(path *field.Path, list, old []v1.PodSchedulingGate) field.ErrorList {
	had := make(map[string]bool, len(old))
	for _, gate := range old {
		had[gate.Name] = true
	}
	var wrong field.ErrorList
	for i, gate := range list {
		if !had[gate.Name] {
			wrong = append(wrong, field.Forbidden(path.Index(i).Child("name"),
				"only deletion is allowed, but found new scheduling gate '"+gate.Name+"'"))
		}
	}
	return wrong
}

func checkSelectorNarrowed(path *field.Path, selector, old map[string]string) field.ErrorList {
	for key, value := range old {
		if now, ok := selector[key]; !ok || now != value {
			return field.ErrorList{field.Invalid(path, maps.Clone(selector),
				"only additions to spec.nodeSelector are allowed (no mutations or deletions)")}
		}
	}
	return nil
}

func nodeAffinity(pod *v1.Pod) *v1.NodeAffinity {
	if pod.Spec.Affinity == nil {
		return nil
	}
	return pod.Spec.Affinity.NodeAffinity
}

func requiredTerms(a *v1.NodeAffinity) []v1.NodeSelectorTerm {
	if a == nil || a.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return nil
	}
	return a.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
}

// checkAffinityNarrowed rejects changed terms: one more term would allow more nodes, one more requirement in a term
// allows fewer.
func checkAffinityNarrowed(path *field.Path, affinity, old *v1.NodeAffinity) field.ErrorList {
	before, after := requiredTerms(old), requiredTerms(affinity)
	if len(before) == 0 {
		return nil
	}
	path = path.Child("requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
	if len(before) != len(after) {
		return field.ErrorList{field.Invalid(path, after,
			"no additions/deletions to non-empty NodeSelectorTerms list are allowed")}
	}
	var wrong field.ErrorList
	for i := range before {
		empty := len(before[i].MatchExpressions)+len(before[i].MatchFields) == 0
		filled := len(after[i].MatchExpressions)+len(after[i].MatchFields) > 0
		if empty && filled || !startsWith(after[i].MatchExpressions, before[i].MatchExpressions) ||
			!startsWith(after[i].MatchFields, before[i].MatchFields) {
			wrong = append(wrong, field.Invalid(path.Index(i), after[i],
				"only additions are allowed (no mutations or deletions)"))
		}
	}
	return wrong
}

func startsWith(list, prefix []v1.NodeSelectorRequirement) bool {
	return len(list) >= len(prefix) && equality.Semantic.DeepEqual(list[:len(prefix)], prefix)
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

// checkPodResize rejects what the resize subresource rejects: changes other than cpu and memory of containers, and a
// change of the QoS class.
func checkPodResize(changed, old *v1.Pod) error {
	spec := field.NewPath("spec")
	keepPriority(changed, old)
	for container := range containersOf(changed) {
		requestLimits(&container.Resources)
	}
	var wrong field.ErrorList
	if qosOf(changed) != old.Status.QOSClass {
		wrong = append(wrong, field.Invalid(spec, old.Status.QOSClass, "Pod QOS Class may not change as a result of resizing"))
	}
	if old.Spec.Resources != nil || changed.Spec.Resources != nil {
		wrong = append(wrong, field.Forbidden(field.NewPath(""), "resize of pods with pod-level resources is forbidden "+
			"when InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled"))
	}
	rest := changed.DeepCopy()
	sameCPUAndMemory(rest.Spec.Containers, old.Spec.Containers, false)
	sameCPUAndMemory(rest.Spec.InitContainers, old.Spec.InitContainers, true)
	if !equality.Semantic.DeepEqual(rest.Spec, old.Spec) {
		wrong = append(wrong, field.Forbidden(spec, "only cpu and memory resources are mutable"))
	}
	if len(wrong) > 0 {
		return invalidPod(old, wrong...)
	}
	return nil
}

// sameCPUAndMemory reverts a resize. A request or limit may change but not be added or removed; of the init containers
// only the sidecars may be resized.
func sameCPUAndMemory(list, old []v1.Container, sidecarsOnly bool) {
	for i := range min(len(list), len(old)) {
		sidecar := old[i].RestartPolicy != nil && *old[i].RestartPolicy == v1.ContainerRestartPolicyAlways
		if list[i].Name != old[i].Name || sidecarsOnly && !sidecar {
			continue
		}
		for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			keepResource(list[i].Resources.Requests, old[i].Resources.Requests, name)
			keepResource(list[i].Resources.Limits, old[i].Resources.Limits, name)
		}
	}
}

func keepResource(list, old v1.ResourceList, name v1.ResourceName) {
	_, has := list[name]
	if before, had := old[name]; has && had {
		list[name] = before
	}
}
