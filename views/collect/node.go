package collect

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/resource"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"

	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
)

// nodeDetail is one node and the pods on it; nil if there is no such node.
func (c *Collector) nodeDetail(e *engine.Engine, query Query) *views.NodeDetail {
	at, ok := c.nodes.positions[query.Node]
	if !ok {
		return nil
	}
	info := e.Cache().Node(query.Node)
	v := &views.NodeDetail{Row: c.nodes.row(at), Facts: nodeFacts(info), Images: imagesOn(info), Owners: ownersOn(info)}
	v.Resources = resourcesOf(info, v.Row)
	if text := c.assumedOn(e, info); text != "" {
		v.Facts = append(v.Facts, views.Fact{Name: "not bound", Value: text})
	}
	return v
}

func resourcesOf(info fwk.NodeInfo, row views.NodeRow) []views.Resource {
	used, most := info.GetRequested(), info.GetAllocatable()
	list := []views.Resource{{Name: "cpu", Amount: row.CPU}, {Name: "memory", Amount: row.Memory}, {Name: "pods", Amount: row.Pods}}
	if n := most.GetEphemeralStorage(); n > 0 {
		u := used.GetEphemeralStorage()
		list = append(list, views.Resource{Name: "ephemeral-storage", Amount: views.Amount{Fraction: fraction(u, n), Used: bytesText(u), Most: bytesText(n)}})
	}
	scalars := most.GetScalarResources()
	names := make([]v1.ResourceName, 0, len(scalars))
	for name := range scalars {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		list = append(list, views.Resource{Name: printable.Text(string(name)), Amount: countAmount(used.GetScalarResources()[name], scalars[name])})
	}
	return list
}

func nodeFacts(info fwk.NodeInfo) []views.Fact {
	node := info.Node()
	var facts []views.Fact
	add := func(name, value string) {
		if value != "" {
			facts = append(facts, views.Fact{Name: name, Value: printable.Text(value)})
		}
	}
	add("taints", taintsOf(node))
	add("ports", portsOf(info.GetUsedPorts()))
	add("claims", claimsOf(info.GetPVCRefCounts()))
	if n := len(info.GetPodsWithAffinity()); n > 0 {
		add("affinity", plural.Count(n, "pod")+", "+strconv.Itoa(len(info.GetPodsWithRequiredAntiAffinity()))+" of them required anti-affinity")
	}
	add("conditions", conditionsOf(node))
	add("kubelet", node.Status.NodeInfo.KubeletVersion)
	add("instance", node.Labels[v1.LabelInstanceTypeStable])
	add("architecture", strings.TrimSpace(node.Status.NodeInfo.OperatingSystem+" "+node.Status.NodeInfo.Architecture))
	return facts
}

// conditionsOf says which conditions of a node are bad, with their reasons.
func conditionsOf(node *v1.Node) string {
	var bad []string
	for i := range node.Status.Conditions {
		c := &node.Status.Conditions[i]
		if isReady := c.Type == v1.NodeReady; isReady == (c.Status == v1.ConditionTrue) {
			continue
		}
		bad = append(bad, strings.TrimSpace(string(c.Type)+" is "+strings.ToLower(string(c.Status))+" "+c.Reason))
	}
	return strings.Join(bad, ", ")
}

// portsOf lists the host ports in use, with their address unless that is 0.0.0.0.
func portsOf(used fwk.HostPortInfo) string {
	var list []string
	for address, ports := range used {
		for port := range ports {
			text := strconv.Itoa(int(port.Port)) + "/" + port.Protocol
			if address != "0.0.0.0" {
				text = address + ":" + text
			}
			list = append(list, text)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	return strings.Join(list, ", ")
}

// claimsOf lists the volume claims in use, with the number of pods if there are several.
func claimsOf(used map[string]int) string {
	list := make([]string, 0, len(used))
	for claim, pods := range used {
		if pods > 1 {
			claim += " (" + strconv.Itoa(pods) + ")"
		}
		list = append(list, claim)
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// imagesOn are the images on a node, the largest first, each under the last of its names, which has its tag.
func imagesOn(info fwk.NodeInfo) []views.NodeImage {
	images := slices.Clone(info.Node().Status.Images)
	slices.SortStableFunc(images, func(a, b v1.ContainerImage) int { return cmp.Compare(b.SizeBytes, a.SizeBytes) })
	states := info.GetImageStates()
	list := make([]views.NodeImage, 0, len(images))
	for i := range images {
		names := images[i].Names
		if len(names) == 0 {
			continue
		}
		image := views.NodeImage{Name: printable.Text(names[len(names)-1]), Size: bytesText(images[i].SizeBytes)}
		for _, name := range names {
			if state := states[name]; state != nil {
				image.Nodes = max(image.Nodes, state.NumNodes)
			}
		}
		list = append(list, image)
	}
	return list
}

func (c *Collector) nodePod(e *engine.Engine, info fwk.PodInfo) views.NodePod {
	pod := info.GetPod()
	requested := requestsOf(pod)
	cpu, memory := requests.Amount(v1.ResourceCPU, *requested.Cpu()), requests.Amount(v1.ResourceMemory, *requested.Memory())
	name, key := podNames(world.PodRefOf(pod))
	p := views.NodePod{
		Name: name, Key: key, State: views.Bound, Priority: priorityOf(pod), Labels: pod.Labels,
		MilliCPU: cpu, MemoryBytes: memory, CPU: cpuText(cpu), Memory: bytesText(memory),
	}
	switch {
	case pod.DeletionTimestamp != nil:
		p.State = views.Terminating
	case isAssumed(e, pod):
		p.State = c.placedState(false)
	}
	if a := pod.Spec.Affinity; a != nil {
		p.Affine = a.PodAffinity != nil || a.PodAntiAffinity != nil
	}
	for i := range pod.Spec.Volumes {
		if v := &pod.Spec.Volumes[i]; v.PersistentVolumeClaim != nil || v.Ephemeral != nil {
			p.Claims++
		}
	}
	return p
}

// isAssumed reports whether a pod counts on its node by this scheduler's decision alone: it is not bound.
func isAssumed(e *engine.Engine, pod *v1.Pod) bool {
	return e.PodState(pod.Namespace, pod.Name) == engine.StateBinding
}

// assumedOn says how much of what is requested on a node is of pods that a shadow placed there and no scheduler has bound. They count
// beside those that the cluster's scheduler placed, so that a node may have more than it can hold. It is empty for a scheduler that binds.
func (c *Collector) assumedOn(e *engine.Engine, info fwk.NodeInfo) string {
	if !c.options.Shadows {
		return ""
	}
	pods, cpu := 0, int64(0)
	for _, p := range info.GetPods() {
		if pod := p.GetPod(); isAssumed(e, pod) {
			pods++
			cpu = saturating.Add(cpu, requests.Amount(v1.ResourceCPU, *requestsOf(pod).Cpu()))
		}
	}
	if pods == 0 {
		return ""
	}
	return plural.Count(pods, "pod") + " with " + cpuText(cpu) + " cpu, placed by Orrery only: the cluster's own pods count beside"
}

func requestsOf(pod *v1.Pod) *v1.ResourceList {
	list := requests.Of(pod, resource.PodResourcesOptions{})
	return &list
}

func priorityOf(pod *v1.Pod) int32 { return ptr.Deref(pod.Spec.Priority, 0) }
