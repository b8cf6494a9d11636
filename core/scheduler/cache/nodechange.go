package cache

import (
	"maps"
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/saturating"
)

// noFeatures is what a node declares that declares nothing.
var noFeatures = ndf.DefaultFramework.TryMap(nil)

// A NodeInfo changes only by setNode, clearNode, attach and detach, each with the new generation.

func (n *NodeInfo) setNode(node *v1.Node, generation int64) {
	n.node = node
	n.allocatable = *NewResource(node.Status.Allocatable)
	n.features = noFeatures
	if len(node.Status.DeclaredFeatures) > 0 {
		n.features = ndf.DefaultFramework.TryMap(slices.Sorted(slices.Values(node.Status.DeclaredFeatures)))
	}
	n.generation = generation
}

// clearNode removes the node object and keeps the rest, as pods may still be there.
func (n *NodeInfo) clearNode(generation int64) {
	n.node = nil
	n.generation = generation
}

func (n *NodeInfo) attach(info fwk.PodInfo, generation int64) {
	n.pods.add(info)
	n.addRequests(info)
	if d := detailsOf(info); d != nil {
		if d.hasAffinity {
			n.podsWithAffinity.add(info)
		}
		if d.hasRequiredAntiAffinity {
			n.podsWithRequiredAntiAffinity.add(info)
		}
		n.takePorts(d.ports)
		n.countPVCRefs(d.claims, 1, generation)
	}
	n.generation = generation
}

// detach removes the i-th pod.
func (n *NodeInfo) detach(i int, generation int64) {
	info := n.pods.items[i]
	n.pods.removeAt(i)
	n.removeRequests(info)
	if d := detailsOf(info); d != nil {
		if at := n.podsWithAffinity.indexOf(info); at >= 0 {
			n.podsWithAffinity.removeAt(at)
		}
		if at := n.podsWithRequiredAntiAffinity.indexOf(info); at >= 0 {
			n.podsWithRequiredAntiAffinity.removeAt(at)
		}
		n.freePorts(d.ports)
		n.countPVCRefs(d.claims, -1, generation)
	}
	n.generation = generation
}

func (n *NodeInfo) addRequests(info fwk.PodInfo) {
	total := info.CalculateResource()
	n.requested.add(total.Resource)
	n.nonZeroRequested.MilliCPU = saturating.Add(n.nonZeroRequested.MilliCPU, total.Non0CPU)
	n.nonZeroRequested.Memory = saturating.Add(n.nonZeroRequested.Memory, total.Non0Mem)
}

// removeRequests subtracts the requests of a pod that is no longer in the list. Saturated sums are made again from those
// that are.
func (n *NodeInfo) removeRequests(info fwk.PodInfo) {
	total := info.CalculateResource()
	exact := n.nonZeroRequested.MilliCPU < math.MaxInt64 && n.nonZeroRequested.Memory < math.MaxInt64
	n.nonZeroRequested.MilliCPU -= total.Non0CPU
	n.nonZeroRequested.Memory -= total.Non0Mem
	if n.requested.subtract(total.Resource) && exact {
		return
	}
	listed := n.requested.ScalarResources
	n.requested, n.nonZeroRequested = Resource{}, Resource{}
	for name := range listed {
		n.requested.SetScalar(name, 0)
	}
	for _, other := range n.pods.items {
		n.addRequests(other)
	}
}

func (n *NodeInfo) takePorts(ports []hostPort) {
	if len(ports) == 0 {
		return
	}
	n.writablePorts()
	for _, p := range ports {
		n.usedPorts.Add(p.ip, p.protocol, p.port)
	}
}

// freePorts frees a port even if a second pod also uses it, as kube-scheduler does: ports are a set, not a count.
func (n *NodeInfo) freePorts(ports []hostPort) {
	if len(ports) == 0 {
		return
	}
	n.writablePorts()
	for _, p := range ports {
		n.usedPorts.Remove(p.ip, p.protocol, p.port)
	}
}

func (n *NodeInfo) writablePorts() {
	switch {
	case n.usedPorts == nil:
		n.usedPorts = fwk.HostPortInfo{}
	case n.usedPortsShared:
		own := make(fwk.HostPortInfo, len(n.usedPorts))
		for ip, set := range n.usedPorts {
			own[ip] = maps.Clone(set)
		}
		n.usedPorts = own
	}
	n.usedPortsShared = false
}

func (n *NodeInfo) countPVCRefs(claims []string, change int, generation int64) {
	if len(claims) == 0 {
		return
	}
	switch {
	case n.pvcRefCounts == nil:
		n.pvcRefCounts = map[string]int{}
	case n.pvcRefCountsShared:
		n.pvcRefCounts = maps.Clone(n.pvcRefCounts)
	}
	n.pvcRefCountsShared = false
	n.pvcRefCountsGeneration = generation
	for _, claim := range claims {
		if n.pvcRefCounts[claim] += change; n.pvcRefCounts[claim] <= 0 {
			delete(n.pvcRefCounts, claim)
		}
	}
}
