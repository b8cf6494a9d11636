package collect

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/requests"
	"orrery/core/world"
	"orrery/views"
)

// nodeDetail is one node and the pods on it; nil if there is no such node.
func (c *Collector) nodeDetail(e *engine.Engine, look Look) *views.NodeDetail {
	info, err := e.Snapshot().Get(look.Node)
	if err != nil {
		return nil
	}
	at := slices.IndexFunc(c.nodes.known, func(k knownNode) bool { return k.node.Name == look.Node })
	row := c.nodeRow(info, at)
	used, most := info.GetRequested(), info.GetAllocatable()
	v := &views.NodeDetail{Row: row}
	v.Resources = []views.Resource{{Name: "cpu", Amount: row.CPU}, {Name: "memory", Amount: row.Memory}, {Name: "pods", Amount: row.Pods}}
	if n := most.GetEphemeralStorage(); n > 0 {
		u := used.GetEphemeralStorage()
		v.Resources = append(v.Resources, views.Resource{Name: "ephemeral-storage", Amount: views.Amount{Fraction: fraction(u, n), Used: binary(u), Most: binary(n)}})
	}
	scalars := most.GetScalarResources()
	names := make([]v1.ResourceName, 0, len(scalars))
	for name := range scalars {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		v.Resources = append(v.Resources, views.Resource{Name: printable.Text(string(name)), Amount: whole(used.GetScalarResources()[name], scalars[name])})
	}
	v.Facts = nodeFacts(info.Node())
	pods := info.GetPods()
	first, end := look.window(len(pods))
	v.Pods = views.List[views.NodePod]{First: first, Total: len(pods)}
	for i := first; i < end; i++ {
		v.Pods.Rows = append(v.Pods.Rows, nodePod(pods[i].GetPod()))
	}
	return v
}

func nodeFacts(node *v1.Node) []views.Fact {
	var facts []views.Fact
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, views.Fact{Name: name, Value: printable.Text(value)})
		}
	}
	add("taints", taintsOf(node))
	add("kubelet", node.Status.NodeInfo.KubeletVersion)
	add("instance", node.Labels[v1.LabelInstanceTypeStable])
	add("architecture", strings.TrimSpace(node.Status.NodeInfo.OperatingSystem+" "+node.Status.NodeInfo.Architecture))
	return facts
}

func nodePod(pod *v1.Pod) views.NodePod {
	asked := requests.Of(pod, resource.PodResourcesOptions{})
	p := views.NodePod{Name: podName(world.RefOf(pod)), State: views.Bound, CPU: cores(asked.Cpu().MilliValue()), Memory: binary(asked.Memory().Value())}
	if pod.DeletionTimestamp != nil {
		p.State = views.Leaving
	}
	if pod.Spec.Priority != nil {
		p.Priority = *pod.Spec.Priority
	}
	return p
}
