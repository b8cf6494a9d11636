package admission

import (
	"cmp"
	"strings"

	v1 "k8s.io/api/core/v1"
	podresource "k8s.io/component-helpers/resource"
)

func defaultPod(pod *v1.Pod) {
	s := &pod.Spec
	s.SchedulerName = cmp.Or(s.SchedulerName, v1.DefaultSchedulerName)
	s.RestartPolicy = cmp.Or(s.RestartPolicy, v1.RestartPolicyAlways)
	s.DNSPolicy = cmp.Or(s.DNSPolicy, v1.DNSClusterFirst)
	s.TerminationGracePeriodSeconds = gracePeriod(s.TerminationGracePeriodSeconds)
	for c := range Containers(s) {
		RequestLimits(&c.Resources)
		defaultPorts(c.Ports, s.HostNetwork)
	}
	defaultPodResources(pod)
}

// defaultPorts gives a container in the host's network the ports of the host.
func defaultPorts(ports []v1.ContainerPort, hostNetwork bool) {
	for i := range ports {
		p := &ports[i]
		p.Protocol = cmp.Or(p.Protocol, v1.ProtocolTCP)
		if hostNetwork {
			p.HostPort = cmp.Or(p.HostPort, p.ContainerPort)
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

// RequestLimits sets missing requests to the limits.
func RequestLimits(r *v1.ResourceRequirements) {
	if len(r.Limits) > 0 {
		r.Requests = withAmounts(r.Requests, r.Limits)
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
	completed := v1.ResourceList{}
	for name, limit := range whole.Limits {
		if podresource.IsSupportedPodLevelResource(name) {
			completed[name] = limit.DeepCopy()
		}
	}
	for name, sum := range podresource.AggregateContainerRequests(pod, podresource.PodResourcesOptions{}) {
		if podresource.IsSupportedPodLevelResource(name) && mayOvercommit(name) {
			completed[name] = sum
		}
	}
	for name, own := range whole.Requests {
		completed[name] = own
	}
	if len(completed) > 0 {
		whole.Requests = completed
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

func isHugePages(name v1.ResourceName) bool {
	return strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix)
}

// mayOvercommit reports whether more of a resource may be limited than is requested: of Kubernetes' own, huge pages aside.
func mayOvercommit(name v1.ResourceName) bool {
	native := !strings.Contains(string(name), "/") || strings.Contains(string(name), v1.ResourceDefaultNamespacePrefix)
	return native && !isHugePages(name)
}
