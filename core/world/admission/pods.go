package admission

import v1 "k8s.io/api/core/v1"

// Containers yields the containers and the init containers.
func Containers(s *v1.PodSpec) func(yield func(*v1.Container) bool) {
	return func(yield func(*v1.Container) bool) {
		for _, list := range [][]v1.Container{s.Containers, s.InitContainers} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// affinityTerms yields the terms of the affinity to pods.
func affinityTerms(a *v1.Affinity) func(yield func(*v1.PodAffinityTerm) bool) {
	return func(yield func(*v1.PodAffinityTerm) bool) {
		visit := func(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) bool {
			for i := range required {
				if !yield(&required[i]) {
					return false
				}
			}
			for i := range preferred {
				if !yield(&preferred[i].PodAffinityTerm) {
					return false
				}
			}
			return true
		}
		if a == nil {
			return
		}
		if p := a.PodAffinity; p != nil && !visit(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution) {
			return
		}
		if p := a.PodAntiAffinity; p != nil {
			visit(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution)
		}
	}
}

// qosClass returns the class of a pod: the one it has, or that a new one will have.
func qosClass(pod *v1.Pod) v1.PodQOSClass {
	if had := pod.Status.QOSClass; had != "" {
		return had
	}
	return QOS(pod)
}

// QOS returns the pod's QoS class: by cpu and memory only, and by pod-level resources if there are any.
func QOS(pod *v1.Pod) v1.PodQOSClass {
	var parts []v1.ResourceRequirements
	if pod.Spec.Resources != nil {
		parts = append(parts, *pod.Spec.Resources)
	} else {
		for c := range Containers(&pod.Spec) {
			parts = append(parts, c.Resources)
		}
	}
	anything, guaranteed := false, true
	for _, part := range parts {
		for _, name := range []v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory} {
			request, limit := part.Requests[name], part.Limits[name]
			anything = anything || request.Sign() > 0 || limit.Sign() > 0
			guaranteed = guaranteed && limit.Sign() > 0 && request.Cmp(limit) == 0
		}
	}
	switch {
	case !anything:
		return v1.PodQOSBestEffort
	case guaranteed:
		return v1.PodQOSGuaranteed
	}
	return v1.PodQOSBurstable
}
