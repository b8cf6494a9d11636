package podapi

import (
	v1 "k8s.io/api/core/v1"
	podresource "k8s.io/component-helpers/resource"
)

// Default sets a pod's defaults.
func Default(pod *v1.Pod) {
	s := &pod.Spec
	defaultSpec(s)
	for c := range Containers(s) {
		RequestLimits(&c.Resources)
		if s.HostNetwork {
			useHostPorts(c)
		}
	}
	defaultPodResources(pod)
}

// defaultSpec sets the defaults that pods and templates of pods have in common.
func defaultSpec(s *v1.PodSpec) {
	if s.SchedulerName == "" {
		s.SchedulerName = v1.DefaultSchedulerName
	}
	if s.RestartPolicy == "" {
		s.RestartPolicy = v1.RestartPolicyAlways
	}
	if s.DNSPolicy == "" {
		s.DNSPolicy = v1.DNSClusterFirst
	}
	s.TerminationGracePeriodSeconds = gracePeriod(s.TerminationGracePeriodSeconds)
	for c := range Containers(s) {
		for i := range c.Ports {
			p := &c.Ports[i]
			if p.Protocol == "" {
				p.Protocol = v1.ProtocolTCP
			}
		}
	}
}

// useHostPorts gives a container in the host's network the ports of the host.
func useHostPorts(c *v1.Container) {
	for i := range c.Ports {
		if p := &c.Ports[i]; p.HostPort == 0 {
			p.HostPort = p.ContainerPort
		}
	}
}

// gracePeriod is the one that is stored: a negative one is one second.
func gracePeriod(given *int64) *int64 {
	seconds := int64(v1.DefaultTerminationGracePeriodSeconds)
	switch {
	case given == nil:
	case *given < 0:
		seconds = 1
	default:
		return given
	}
	return &seconds
}

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

// RequestLimits sets missing requests to the limits.
func RequestLimits(r *v1.ResourceRequirements) {
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
	defaultHugePages(pod)
	if len(whole.Limits) == 0 {
		return
	}
	requests := v1.ResourceList{}
	for name, limit := range whole.Limits {
		if podresource.IsSupportedPodLevelResource(name) {
			requests[name] = limit.DeepCopy()
		}
	}
	for name, sum := range podresource.AggregateContainerRequests(pod, podresource.PodResourcesOptions{}) {
		if podresource.IsSupportedPodLevelResource(name) && MayOvercommit(name) {
			requests[name] = sum
		}
	}
	for name, own := range whole.Requests {
		requests[name] = own
	}
	if len(requests) > 0 {
		whole.Requests = requests
	}
}

// defaultHugePages limits the huge pages of a pod to those of its containers, unless the pod requests some.
func defaultHugePages(pod *v1.Pod) {
	whole := pod.Spec.Resources
	for name, limit := range podresource.AggregateContainerLimits(pod, podresource.PodResourcesOptions{}) {
		_, limited := whole.Limits[name]
		_, requested := whole.Requests[name]
		if !isHugePages(name) || limited || requested {
			continue
		}
		if whole.Limits == nil {
			whole.Limits = v1.ResourceList{}
		}
		whole.Limits[name] = limit
	}
}
