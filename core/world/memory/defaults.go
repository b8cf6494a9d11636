package memory

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/podapi"
	"orrery/core/world"
)

func defaultSpreads(pod *v1.Pod) {
	for i := range pod.Spec.TopologySpreadConstraints {
		defaultSpread(&pod.Spec.TopologySpreadConstraints[i])
	}
}

// defaultSpread sets the defaults of the node inclusion policies.
func defaultSpread(t *v1.TopologySpreadConstraint) {
	if t.NodeAffinityPolicy == nil {
		honor := v1.NodeInclusionPolicyHonor
		t.NodeAffinityPolicy = &honor
	}
	if t.NodeTaintsPolicy == nil {
		ignore := v1.NodeInclusionPolicyIgnore
		t.NodeTaintsPolicy = &ignore
	}
}

// defaultFromLimitRanges sets containers' default limits and requests from their namespace.
func (c *Cluster) defaultFromLimitRanges(pod *v1.Pod) {
	if len(c.objects[world.LimitRange]) == 0 {
		return
	}
	for _, o := range c.List(world.LimitRange) {
		if o.GetNamespace() != pod.Namespace {
			continue
		}
		for _, item := range o.(*v1.LimitRange).Spec.Limits {
			if item.Type != v1.LimitTypeContainer {
				continue
			}
			for container := range podapi.Containers(&pod.Spec) {
				container.Resources.Limits = withDefaults(container.Resources.Limits, item.Default)
				container.Resources.Requests = withDefaults(container.Resources.Requests, item.DefaultRequest)
				podapi.RequestLimits(&container.Resources)
			}
		}
	}
}

func withDefaults(list, defaults v1.ResourceList) v1.ResourceList {
	for name, q := range defaults {
		if _, said := list[name]; said {
			continue
		}
		if list == nil {
			list = v1.ResourceList{}
		}
		list[name] = q.DeepCopy()
	}
	return list
}
