package requests

import (
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
	if s == PerContainer || !options.UseStatusResources {
		return Of(pod, options)
	}
	return perPod(countable(pod, options), options)
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

func perPod(pod *v1.Pod, options resource.PodResourcesOptions) v1.ResourceList {
	containers := options
	containers.UseStatusResources, containers.SkipPodLevelResources, containers.ExcludeOverhead = false, true, true
	infeasible := resource.IsPodResizeInfeasible(pod)
	var sums []v1.ResourceList
	if status := &pod.Status; options.InPlacePodLevelResourcesVerticalScalingEnabled && status.AllocatedResources != nil &&
		status.Resources != nil && status.Resources.Requests != nil {
		sums = append(sums, status.AllocatedResources, status.Resources.Requests)
	} else {
		sums = append(sums, Of(inStatus(pod, infeasible, allocated), containers), Of(inStatus(pod, infeasible, inEffect), containers))
	}
	if !infeasible { // what cannot be will not be
		sums = append(sums, Of(pod, containers))
	}
	total := most(sums...)
	if !options.SkipPodLevelResources && resource.IsPodLevelRequestsSet(pod) {
		for name, quantity := range podLevel(pod, infeasible, options) {
			if resource.IsSupportedPodLevelResource(name) {
				total[name] = quantity
			}
		}
	}
	if !options.ExcludeOverhead {
		for name, quantity := range pod.Spec.Overhead {
			with := total[name]
			with.Add(quantity)
			total[name] = with
		}
	}
	return total
}

// podLevel is what the pod requests as a whole.
func podLevel(pod *v1.Pod, infeasible bool, options resource.PodResourcesOptions) v1.ResourceList {
	desired := pod.Spec.Resources.Requests
	if !options.InPlacePodLevelResourcesVerticalScalingEnabled || pod.Status.Resources == nil {
		return most(desired)
	}
	if infeasible {
		desired = nil
	}
	return most(desired, pod.Status.Resources.Requests, pod.Status.AllocatedResources)
}

// inStatus returns a copy of a pod whose containers request what their statuses say. Those without such a status request what the spec
// says, unless that is infeasible.
func inStatus(pod *v1.Pod, infeasible bool, of func(*v1.ContainerStatus) v1.ResourceList) *v1.Pod {
	replaced := func(all []v1.Container) []v1.Container {
		copies := append([]v1.Container(nil), all...)
		for i := range copies {
			c := &copies[i]
			var requests v1.ResourceList
			if status := statusOf(pod, c.Name); status != nil {
				requests = of(status)
			}
			if requests == nil && !infeasible {
				requests = c.Resources.Requests
			}
			c.Resources = v1.ResourceRequirements{Requests: requests}
		}
		return copies
	}
	own := *pod
	own.Spec.Containers, own.Spec.InitContainers = replaced(pod.Spec.Containers), replaced(pod.Spec.InitContainers)
	return &own
}

func allocated(status *v1.ContainerStatus) v1.ResourceList { return status.AllocatedResources }

func inEffect(status *v1.ContainerStatus) v1.ResourceList {
	if status.Resources != nil && status.Resources.Requests != nil {
		return status.Resources.Requests
	}
	return status.AllocatedResources
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
