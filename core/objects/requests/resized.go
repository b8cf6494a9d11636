package requests

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
)

// Sum is the rule by which the requests of a pod that is resized in place are summed, where the options use its status. The spec says what is
// desired, the status what is allocated and what is in effect.
type Sum uint8

const (
	// PerContainer adds up the most of the three of each container, as Kubernetes does up to 1.36.
	PerContainer Sum = iota
	// PerPod takes the most of the three sums, as Kubernetes does from 1.37 on: a cpu that moves from one container to another is counted once.
	PerPod
)

// Of is what a pod requests.
func (s Sum) Of(pod *v1.Pod, options resource.PodResourcesOptions) v1.ResourceList {
	if s == PerContainer && options.UseStatusResources {
		pod, options.UseStatusResources = asPerContainer(pod, options), false
	}
	return resource.PodRequests(countable(pod, options), options)
}

// ReadsStatus reports whether the status of a pod may add to what its containers request in its spec.
func (s Sum) ReadsStatus(pod *v1.Pod) bool {
	for i := range pod.Status.ContainerStatuses {
		status := &pod.Status.ContainerStatuses[i]
		if status.Resources != nil || s == PerPod && status.AllocatedResources != nil {
			return true
		}
	}
	return s == PerPod && (pod.Status.Resources != nil || pod.Status.AllocatedResources != nil || resource.IsPodResizeInfeasible(pod))
}

// asPerContainer returns a copy of a pod whose spec requests what the status adds to, container by container. That of an init container
// which ends says nothing.
func asPerContainer(pod *v1.Pod, options resource.PodResourcesOptions) *v1.Pod {
	infeasible := resource.IsPodResizeInfeasible(pod)
	desired := func(list v1.ResourceList) v1.ResourceList {
		if infeasible { // what cannot be will not be
			return nil
		}
		return list
	}
	own := *pod
	replace := func(c *v1.Container) {
		if status := statusOf(pod, c.Name); status != nil && status.Resources != nil {
			c.Resources.Requests = most(desired(c.Resources.Requests), status.Resources.Requests, status.AllocatedResources)
		}
	}
	own.Spec.Containers, own.Spec.InitContainers = slices.Clone(pod.Spec.Containers), slices.Clone(pod.Spec.InitContainers)
	for i := range own.Spec.Containers {
		replace(&own.Spec.Containers[i])
	}
	for i := range own.Spec.InitContainers {
		if c := &own.Spec.InitContainers[i]; c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			replace(c)
		}
	}
	if options.InPlacePodLevelResourcesVerticalScalingEnabled && pod.Spec.Resources != nil && pod.Status.Resources != nil {
		own.Spec.Resources = pod.Spec.Resources.DeepCopy()
		effective := most(desired(pod.Spec.Resources.Requests), pod.Status.Resources.Requests, pod.Status.AllocatedResources)
		for name := range own.Spec.Resources.Requests {
			own.Spec.Resources.Requests[name] = effective[name]
		}
	}
	return &own
}

func statusOf(pod *v1.Pod, container string) *v1.ContainerStatus {
	for _, statuses := range [...][]v1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for i := range statuses {
			if statuses[i].Name == container {
				return &statuses[i]
			}
		}
	}
	return nil
}

// most has the greatest quantity of each resource, in quantities of its own.
func most(lists ...v1.ResourceList) v1.ResourceList {
	all := v1.ResourceList{}
	for _, list := range lists {
		for name, quantity := range list {
			if known, has := all[name]; !has || quantity.Cmp(known) > 0 {
				all[name] = quantity.DeepCopy()
			}
		}
	}
	return all
}
