package admission

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/requests"
)

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
	return requests.QOS(pod)
}
