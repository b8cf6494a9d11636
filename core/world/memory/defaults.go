package memory

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	podresource "k8s.io/component-helpers/resource"

	"orrery/core/world"
)

// defaultPod sets a pod's defaults.
func defaultPod(pod *v1.Pod) {
	s := &pod.Spec
	if s.SchedulerName == "" {
		s.SchedulerName = v1.DefaultSchedulerName
	}
	if s.RestartPolicy == "" {
		s.RestartPolicy = v1.RestartPolicyAlways
	}
	if s.DNSPolicy == "" {
		s.DNSPolicy = v1.DNSClusterFirst
	}
	if s.TerminationGracePeriodSeconds == nil {
		seconds := int64(v1.DefaultTerminationGracePeriodSeconds)
		s.TerminationGracePeriodSeconds = &seconds
	}
	for container := range containersOf(pod) {
		requestLimits(&container.Resources)
		for i := range container.Ports {
			port := &container.Ports[i]
			if port.Protocol == "" {
				port.Protocol = v1.ProtocolTCP
			}
			if s.HostNetwork && port.HostPort == 0 {
				port.HostPort = port.ContainerPort
			}
		}
	}
	defaultPodResources(pod)
	for i := range s.TopologySpreadConstraints {
		defaultSpread(&s.TopologySpreadConstraints[i])
	}
}

// containersOf yields the containers and the init containers.
func containersOf(pod *v1.Pod) func(yield func(*v1.Container) bool) {
	return func(yield func(*v1.Container) bool) {
		for _, list := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}

// requestLimits sets missing requests to the limits.
func requestLimits(r *v1.ResourceRequirements) {
	for name, limit := range r.Limits {
		if r.Requests == nil {
			r.Requests = v1.ResourceList{}
		}
		if _, said := r.Requests[name]; !said {
			r.Requests[name] = limit.DeepCopy()
		}
	}
}

// defaultPodResources completes pod-level requests if there are pod-level limits: the sum of the containers' requests,
// or else the limit. Huge pages cannot be overcommitted, so for them the limit is used.
func defaultPodResources(pod *v1.Pod) {
	whole := pod.Spec.Resources
	if whole == nil || len(whole.Limits)+len(whole.Requests) == 0 {
		return
	}
	options := podresource.PodResourcesOptions{}
	for name, limit := range podresource.AggregateContainerLimits(pod, options) {
		if _, said := whole.Limits[name]; !said && isHugePages(name) {
			if whole.Limits == nil {
				whole.Limits = v1.ResourceList{}
			}
			whole.Limits[name] = limit
		}
	}
	if len(whole.Limits) == 0 {
		return
	}
	requests := v1.ResourceList{}
	for name, limit := range whole.Limits {
		if podresource.IsSupportedPodLevelResource(name) {
			requests[name] = limit.DeepCopy()
		}
	}
	for name, sum := range podresource.AggregateContainerRequests(pod, options) {
		if podresource.IsSupportedPodLevelResource(name) && !isHugePages(name) {
			requests[name] = sum
		}
	}
	for name, own := range whole.Requests {
		requests[name] = own
	}
	whole.Requests = requests
}

func isHugePages(name v1.ResourceName) bool {
	return strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix)
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
			for container := range containersOf(pod) {
				container.Resources.Limits = withDefaults(container.Resources.Limits, item.Default)
				container.Resources.Requests = withDefaults(container.Resources.Requests, item.DefaultRequest)
				requestLimits(&container.Resources)
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

// qosOf returns the pod's QoS class: by cpu and memory only, and by pod-level resources if there are any.
func qosOf(pod *v1.Pod) v1.PodQOSClass {
	var parts []v1.ResourceRequirements
	if pod.Spec.Resources != nil {
		parts = append(parts, *pod.Spec.Resources)
	} else {
		for container := range containersOf(pod) {
			parts = append(parts, container.Resources)
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
