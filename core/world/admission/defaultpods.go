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

// defaultPodResources completes the resources of a pod itself, if it has any, since 1.37 once its containers are complete. What requests lack is
// the sum of the containers' requests or else the limit, and what limits lack the sum of the containers' limits if all have one. Huge pages
// cannot be overcommitted, so for them the limit is used.
func defaultPodResources(pod *v1.Pod) {
	whole := pod.Spec.Resources
	if whole == nil || len(whole.Limits)+len(whole.Requests) == 0 {
		return
	}
	sum := podresource.AggregateContainerLimits(pod, podresource.PodResourcesOptions{})
	defaultHugePages(whole, sum)
	defaultPodRequests(pod)
	defaultPodLimits(pod, sum)
}

// defaultHugePages limits the huge pages of a pod to those of its containers, unless the pod requests some.
func defaultHugePages(whole *v1.ResourceRequirements, sum v1.ResourceList) {
	for name, limit := range sum {
		_, requested := whole.Requests[name]
		if isHugePages(name) && !requested {
			whole.Limits = withAmounts(whole.Limits, v1.ResourceList{name: limit})
		}
	}
}

func defaultPodRequests(pod *v1.Pod) {
	whole, missing := pod.Spec.Resources, v1.ResourceList{}
	for name, limit := range whole.Limits {
		if podresource.IsSupportedPodLevelResource(name) {
			missing[name] = limit
		}
	}
	for name, sum := range podresource.AggregateContainerRequests(pod, podresource.PodResourcesOptions{}) {
		if podresource.IsSupportedPodLevelResource(name) && mayOvercommit(name) {
			missing[name] = sum
		}
	}
	if len(missing) > 0 {
		whole.Requests = withAmounts(whole.Requests, missing)
	}
}

// defaultPodLimits limits what a pod requests to the sum of its containers' limits, or to the request if that is more.
func defaultPodLimits(pod *v1.Pod, sum v1.ResourceList) {
	whole, missing := pod.Spec.Resources, v1.ResourceList{}
	for name, request := range whole.Requests {
		limit, limited := sum[name]
		if !limited || !podresource.IsSupportedPodLevelResource(name) || !limitedByAll(pod, name) {
			continue
		}
		if request.Cmp(limit) > 0 {
			limit = request
		}
		missing[name] = limit
	}
	if len(missing) > 0 {
		whole.Limits = withAmounts(whole.Limits, missing)
	}
}

// limitedByAll reports whether each container has a limit of a resource.
func limitedByAll(pod *v1.Pod, name v1.ResourceName) bool {
	for c := range Containers(&pod.Spec) {
		if _, limited := c.Resources.Limits[name]; !limited {
			return false
		}
	}
	return true
}

func isHugePages(name v1.ResourceName) bool {
	return strings.HasPrefix(string(name), v1.ResourceHugePagesPrefix)
}

// mayOvercommit reports whether more of a resource may be limited than is requested: of Kubernetes' own, huge pages aside.
func mayOvercommit(name v1.ResourceName) bool {
	native := !strings.Contains(string(name), "/") || strings.Contains(string(name), v1.ResourceDefaultNamespacePrefix)
	return native && !isHugePages(name)
}
