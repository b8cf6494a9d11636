package diagnose

import (
	"slices"

	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/saturating"
)

// ContainerRequest is the part of a request that one container makes, or the overhead.
type ContainerRequest struct {
	Name   string `json:"name"`
	Amount int64  `json:"amount"`
	// Init says that the container runs before the others, which request less.
	Init bool `json:"init,omitempty"`
}

// containerRequests returns the parts that add up to a pod's request: those of its containers and sidecars or, if that is
// more, of an init container and the sidecars before it; and the overhead. It is nil if one container makes all of it, or
// if the pod requests resources as a whole.
func containerRequests(pod *v1.Pod, name v1.ResourceName) []ContainerRequest {
	if pod.Spec.Resources != nil && len(pod.Spec.Resources.Requests) > 0 {
		return nil
	}
	var sidecars, initial []ContainerRequest
	for i := range pod.Spec.InitContainers {
		c := &pod.Spec.InitContainers[i]
		part := ContainerRequest{Name: c.Name, Amount: amountOf(c.Resources.Requests, name)}
		if c.RestartPolicy != nil && *c.RestartPolicy == v1.ContainerRestartPolicyAlways {
			sidecars = append(sidecars, part)
			continue
		}
		part.Init = true
		if parts := append(slices.Clone(sidecars), part); total(parts) > total(initial) {
			initial = parts
		}
	}
	parts := sidecars
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		parts = append(parts, ContainerRequest{Name: c.Name, Amount: amountOf(c.Resources.Requests, name)})
	}
	if total(initial) > total(parts) {
		parts = initial
	}
	parts = append(parts, ContainerRequest{Name: "overhead", Amount: amountOf(pod.Spec.Overhead, name)})
	parts = slices.DeleteFunc(parts, func(c ContainerRequest) bool { return c.Amount == 0 })
	if len(parts) == 1 && !parts[0].Init {
		return nil
	}
	return parts
}

func total(parts []ContainerRequest) int64 {
	var sum int64
	for _, c := range parts {
		sum = saturating.Add(sum, c.Amount)
	}
	return sum
}

func (c *ContainerRequest) text(name v1.ResourceName) string {
	text := c.Name + " " + formatAmount(name, c.Amount)
	if c.Init {
		text = "init container " + text
	}
	return text
}
