package noderesources

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/framework"
)

// partsOf returns the parts that add up to a pod's request: those of its containers and sidecars or, if that is
// more, of an init container and the sidecars before it; and the overhead. It is nil if one container makes all of it, or
// if the pod requests resources as a whole.
func partsOf(pod *v1.Pod, name v1.ResourceName) []framework.Part {
	if pod.Spec.Resources != nil && len(pod.Spec.Resources.Requests) > 0 {
		return nil
	}
	var sidecars, initial []framework.Part
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		part := framework.Part{Name: c.Name, Amount: requests.AmountOf(c.Resources.Requests, name)}
		if c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			sidecars = append(sidecars, part)
			continue
		}
		part.Init = true
		if parts := append(slices.Clone(sidecars), part); totalOf(parts) > totalOf(initial) {
			initial = parts
		}
	}
	parts := sidecars
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		parts = append(parts, framework.Part{Name: c.Name, Amount: requests.AmountOf(c.Resources.Requests, name)})
	}
	if totalOf(initial) > totalOf(parts) {
		parts = initial
	}
	parts = append(parts, framework.Part{Name: "overhead", Amount: requests.AmountOf(pod.Spec.Overhead, name)})
	parts = slices.DeleteFunc(parts, func(c framework.Part) bool { return c.Amount == 0 })
	if len(parts) == 1 && !parts[0].Init {
		return nil
	}
	return parts
}

func totalOf(parts []framework.Part) int64 {
	var sum int64
	for _, c := range parts {
		sum = saturating.Add(sum, c.Amount)
	}
	return sum
}
