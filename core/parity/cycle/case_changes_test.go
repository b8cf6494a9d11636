package cycle

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
)

// addChanges draws changes that happen after every pod's first attempt.
func (g *generator) addChanges() {
	if g.oneIn(3) || len(g.c.Nodes) >= samplingSize {
		return
	}
	for range 1 + g.IntN(9) {
		change := g.change()
		change.Wait = pick(g, 0, 10, 1100, 3000, 11000, 400000)
		g.c.Changes = append(g.c.Changes, change)
	}
}

func (g *generator) change() clusterChange {
	if g.about[claims] && g.oneIn(2) {
		return g.storageChange()
	}
	if len(g.c.Devices.Claims) > 0 && g.oneIn(3) {
		return g.deviceChange()
	}
	switch g.IntN(8) {
	case 0:
		return clusterChange{AddNode: g.node(fmt.Sprintf("node-%d", len(g.c.Nodes)+g.IntN(1000)+10), false)}
	case 1, 2:
		if len(g.c.Nodes) > 0 {
			return clusterChange{Node: g.nodeChange()}
		}
	case 3:
		if len(g.c.Nodes) > 0 && g.oneIn(3) {
			return clusterChange{DeleteNode: pick(g, g.c.Nodes...).Name}
		}
	case 4, 5:
		if len(g.c.Bound) > 0 {
			pod := pick(g, g.c.Bound...)
			return clusterChange{DeletePod: &podName{pod.Namespace, pod.Name}}
		}
	case 6:
		return clusterChange{Pod: g.podChange()}
	}
	if g.oneIn(2) && len(g.c.Nodes) > 0 {
		return clusterChange{AddPod: g.bound()}
	}
	return clusterChange{AddPod: g.waiting()}
}

// nodeChange never changes a zone: the order of nodes then differs, which is intended.
func (g *generator) nodeChange() *nodeChange {
	change := &nodeChange{Name: pick(g, g.c.Nodes...).Name}
	fresh := g.node(change.Name, false)
	switch g.IntN(6) {
	case 0:
		change.Label = map[string]string{pick(g, append(nodeKeys, "rack")...): pick(g, nodeValues...)}
	case 1:
		list := []v1.Taint{}
		if g.oneIn(2) {
			list = g.taints()
		}
		change.Taints = &list
	case 2:
		on := g.oneIn(2)
		change.Unschedulable = &on
	case 3:
		list := append([]string{}, some(g, 2, declared...)...)
		change.Features = &list
	default:
		g.size(fresh)
		change.Allocatable = fresh.Status.Allocatable
	}
	return change
}

func (g *generator) podChange() *podChange {
	all := append(append([]*v1.Pod{}, g.c.Bound...), g.c.Waiting...)
	pod := pick(g, all...)
	change := &podChange{podName: podName{pod.Namespace, pod.Name}}
	switch g.IntN(5) {
	case 0:
		labels := map[string]string{}
		for _, key := range some(g, 2, podKeys...) {
			labels[key] = pick(g, podValues...)
		}
		change.Labels = &labels
	case 1:
		requests := v1.ResourceList{"cpu": g.amount("cpu")}
		change.Requests = &requests
	case 2:
		list := append(pod.DeepCopy().Spec.Tolerations, g.toleration())
		change.Tolerations = &list
	case 3:
		change.Ungate = true
	case 4:
		change.Terminate = true
	}
	return change
}
