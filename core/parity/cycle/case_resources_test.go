package cycle

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

var (
	cpuAmounts    = []string{"0", "1m", "100m", "100m", "500m", "1", "1500m", "4"}
	memoryAmounts = []string{"0", "1", "200Mi", "209715200", "200Mi", "1Gi", "1.5Gi", "4Gi"}
	fewAmounts    = []string{"0", "1", "2", "4"}
	extended      = []v1.ResourceName{"example.com/gpu", "other.org/licence", "hugepages-2Mi", "kubernetes.io/batch", "unheard-of"}
)

// quantity parses an amount into its canonical form, as an API server returns it.
func quantity(text string) resource.Quantity {
	q := resource.MustParse(text)
	return resource.MustParse(q.String())
}

// size gives a node random amounts instead of plenty of every resource.
func (g *generator) size(node *v1.Node) {
	a := node.Status.Allocatable
	if g.oneIn(2) {
		a["cpu"] = quantity(pick(g, "0", "1", "2", "4", "8"))
	}
	if g.oneIn(2) {
		a["memory"] = quantity(pick(g, "0", "1Gi", "2Gi", "4Gi"))
	}
	if g.oneIn(3) {
		a["ephemeral-storage"] = quantity(pick(g, "0", "1Gi", "4Gi"))
	}
	if g.oneIn(6) {
		a["pods"] = quantity(pick(g, "0", "1", "2"))
	}
	if g.oneIn(20) {
		delete(a, "pods")
	}
	for _, name := range some(g, 3, extended...) {
		a[name] = g.amount(name)
	}
}

func (g *generator) amount(name v1.ResourceName) resource.Quantity {
	switch name {
	case "cpu":
		return quantity(pick(g, cpuAmounts...))
	case "memory", "ephemeral-storage", "hugepages-2Mi":
		return quantity(pick(g, memoryAmounts...))
	}
	return quantity(pick(g, fewAmounts...))
}

// requests draws requests, mostly of cpu or memory. They may be nil.
func (g *generator) requests() v1.ResourceList {
	if g.oneIn(5) {
		return nil
	}
	list := v1.ResourceList{}
	for _, name := range some(g, 2, v1.ResourceCPU, v1.ResourceMemory) {
		list[name] = g.amount(name)
	}
	if g.often(resources, 10) {
		for _, name := range some(g, 5, append(extended, "ephemeral-storage")...) {
			list[name] = g.amount(name)
		}
	}
	if len(list) == 0 {
		return nil // as it is read from JSON, which an oracle does
	}
	return list
}

// addRequests adds requests to all fields of a pod that can have them.
func (g *generator) addRequests(pod *v1.Pod) {
	for i := range pod.Spec.Containers {
		pod.Spec.Containers[i].Resources.Requests = g.requests()
	}
	if g.often(resources, 8) {
		for i := range g.IntN(3) {
			c := v1.Container{Name: "i" + string(rune('0'+i)), Image: "redis", Resources: v1.ResourceRequirements{Requests: g.requests()}}
			if g.oneIn(2) {
				always := v1.ContainerRestartPolicyAlways
				c.RestartPolicy = &always
			}
			pod.Spec.InitContainers = append(pod.Spec.InitContainers, c)
		}
		if g.oneIn(3) {
			pod.Spec.Overhead = g.requests()
		}
	}
	if g.often(podLevel, 20) {
		pod.Spec.Resources = &v1.ResourceRequirements{Requests: g.requests(), Limits: g.requests()}
	}
}

// resize gives a running pod the status of one that is being resized.
func (g *generator) resize(pod *v1.Pod) {
	status := func(containers []v1.Container) (all []v1.ContainerStatus) {
		for _, c := range containers {
			s := v1.ContainerStatus{Name: c.Name}
			if g.oneIn(2) {
				s.Resources = &v1.ResourceRequirements{Requests: g.requests()}
			}
			if g.oneIn(2) {
				s.AllocatedResources = g.requests()
			}
			all = append(all, s)
		}
		return all
	}
	pod.Status.ContainerStatuses = status(pod.Spec.Containers)
	pod.Status.InitContainerStatuses = status(pod.Spec.InitContainers)
	if g.oneIn(3) {
		pod.Status.Conditions = append(pod.Status.Conditions, v1.PodCondition{
			Type: v1.PodResizePending, Status: v1.ConditionTrue, Reason: pick(g, v1.PodReasonInfeasible, v1.PodReasonDeferred),
		})
	}
	if g.oneIn(3) {
		pod.Status.Resources = &v1.ResourceRequirements{Requests: g.requests()}
		pod.Status.AllocatedResources = g.requests()
	}
}
