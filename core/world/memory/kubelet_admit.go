package memory

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	"orrery/core/world"
	"orrery/core/world/admission"
)

// rejectReason returns why the kubelet rejects a pod, empty if it admits it. This reveals overcommitted nodes: the
// kubelet repeats the scheduler's checks against the pods that the node runs.
func (c *Cluster) rejectReason(pod *v1.Pod, requests amounts) (reason, message string) {
	if c.pressure != nil {
		if reason, message := c.pressure.Admit(pod); reason != "" {
			return reason, message
		}
	}
	node, n := c.Node(pod.Spec.NodeName), c.nodeState(pod.Spec.NodeName)
	there := amountsOf(node.Status.Allocatable)
	if name, short := insufficient(requests.ofNode(there), n.admitted, there); short {
		return "OutOf" + string(name), fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d",
			name, requests.of(name), n.admitted.of(name), there.of(name))
	}
	if fits, _ := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node); !fits {
		return predicateFailed("NodeAffinity", "node(s) didn't match Pod's node affinity/selector")
	}
	if c.portConflict(pod, n) {
		return predicateFailed("NodePorts", "node(s) didn't have free ports for the requested pod ports")
	}
	if c.hasUntoleratedTaint(pod.Spec.Tolerations, node.Spec.Taints, v1.TaintEffectNoExecute) {
		return predicateFailed("TaintToleration", "node(s) had taints that the pod didn't tolerate")
	}
	return "", ""
}

func predicateFailed(name, why string) (reason, message string) {
	return name, fmt.Sprintf("Predicate %s failed: %s", name, why)
}

// hasUntoleratedTaint reports whether there is an untolerated taint with one of the effects.
func (c *Cluster) hasUntoleratedTaint(tolerations []v1.Toleration, taints []v1.Taint, effects ...v1.TaintEffect) bool {
	_, found := corev1.FindMatchingUntoleratedTaint(klog.Logger{}, taints, tolerations,
		func(t *v1.Taint) bool { return slices.Contains(effects, t.Effect) }, c.options.ComparisonOperators)
	return found
}

type hostPort struct {
	ip       string
	protocol v1.Protocol
	port     int32
}

func hostPorts(pod *v1.Pod) []hostPort {
	var all []hostPort
	for container := range admission.Containers(&pod.Spec) {
		for _, p := range container.Ports {
			if p.HostPort > 0 {
				all = append(all, hostPort{p.HostIP, p.Protocol, p.HostPort})
			}
		}
	}
	return all
}

func (a hostPort) clashes(b hostPort) bool {
	everywhere := func(ip string) bool { return ip == "" || ip == "0.0.0.0" }
	return a.port == b.port && a.protocol == b.protocol && (a.ip == b.ip || everywhere(a.ip) || everywhere(b.ip))
}

func (c *Cluster) portConflict(pod *v1.Pod, n *nodeState) bool {
	wanted := hostPorts(pod)
	if len(wanted) == 0 {
		return false
	}
	for _, key := range n.pods {
		other := c.podAt(key)
		if other.UID == pod.UID || !c.pods[other.UID].admitted || isTerminal(other) {
			continue
		}
		for _, taken := range hostPorts(other) {
			if slices.ContainsFunc(wanted, taken.clashes) {
				return true
			}
		}
	}
	return false
}

// resizeOnNode gives a running pod the resources of its spec, if there is room; otherwise the pod's condition becomes
// Deferred, or Infeasible if the node is too small.
func (c *Cluster) resizeOnNode(pod *v1.Pod) {
	if !wantsResize(pod) {
		return
	}
	node, n := c.Node(pod.Spec.NodeName), c.nodeState(pod.Spec.NodeName)
	there, own := amountsOf(node.Status.Allocatable), c.pods[pod.UID].requests
	wanted := specRequests(pod).ofNode(there)
	resized := *pod
	if name, short := insufficient(wanted, slices.Clone(n.admitted).sub(own), there); short {
		reason := v1.PodReasonDeferred
		if _, never := insufficient(wanted, nil, there); never {
			reason = v1.PodReasonInfeasible
		}
		var changed bool
		resized.Status.Conditions, changed = c.withCondition(pod.Status.Conditions, v1.PodCondition{
			Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: reason,
			Message: fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d",
				name, wanted.of(name), slices.Clone(n.admitted).sub(own).of(name), there.of(name)),
		})
		if changed {
			c.write(world.Pod, pod, &resized)
		}
		return
	}
	resized.Status = *pod.Status.DeepCopy()
	resized.Status.Conditions = slices.DeleteFunc(resized.Status.Conditions,
		func(had v1.PodCondition) bool { return had.Type == v1.PodResizePending })
	giveResources(resized.Status.ContainerStatuses, pod.Spec.Containers)
	giveResources(resized.Status.InitContainerStatuses, pod.Spec.InitContainers)
	c.write(world.Pod, pod, &resized)
}

// specRequests returns the requests of a pod's spec, regardless of its allocated resources.
func specRequests(pod *v1.Pod) amounts {
	bare := *pod
	bare.Status = v1.PodStatus{}
	return requestsOf(&bare)
}

func wantsResize(pod *v1.Pod) bool {
	return differs(pod.Status.ContainerStatuses, pod.Spec.Containers) ||
		differs(pod.Status.InitContainerStatuses, pod.Spec.InitContainers)
}

func differs(given []v1.ContainerStatus, containers []v1.Container) bool {
	for i := range min(len(given), len(containers)) {
		if r := given[i].Resources; r != nil && (!sameAmounts(r.Requests, containers[i].Resources.Requests) ||
			!sameAmounts(r.Limits, containers[i].Resources.Limits)) {
			return true
		}
	}
	return false
}

func sameAmounts(a, b v1.ResourceList) bool { return slices.Equal(amountsOf(a), amountsOf(b)) }

func giveResources(given []v1.ContainerStatus, containers []v1.Container) {
	for i := range min(len(given), len(containers)) {
		if given[i].Resources != nil {
			given[i].Resources = containers[i].Resources.DeepCopy()
			given[i].AllocatedResources = containers[i].Resources.Requests.DeepCopy()
		}
	}
}

// retryResizes makes the kubelet retry the pending resizes after a pod is gone.
func (c *Cluster) retryResizes(node string) {
	n := c.nodes[node]
	if n == nil {
		return
	}
	for _, key := range n.pods {
		pod := c.podAt(key)
		waits := slices.ContainsFunc(pod.Status.Conditions,
			func(had v1.PodCondition) bool { return had.Type == v1.PodResizePending })
		if waits {
			c.schedulePodEvent(pod, podNoticed, c.now.Add(c.latency.delay(c.options.Latency.Kubelet)))
		}
	}
}
