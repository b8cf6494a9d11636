package cache

import (
	"maps"

	v1 "k8s.io/api/core/v1"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"
	fwk "k8s.io/kube-scheduler/framework"
)

// Every change of a NodeInfo is one of the four below, and every one is given the generation it makes.

func (n *NodeInfo) setNode(node *v1.Node, generation int64) {
	n.node = node
	n.allocatable = *NewResource(node.Status.Allocatable)
	n.features = ndf.FeatureSet{}
	if len(node.Status.DeclaredFeatures) > 0 {
		n.features = ndf.NewFeatureSet(node.Status.DeclaredFeatures...)
	}
	n.generation = generation
}

// clearNode forgets the node object and keeps everything else: the pods may still be there.
func (n *NodeInfo) clearNode(generation int64) {
	n.node = nil
	n.generation = generation
}

func (n *NodeInfo) attach(info fwk.PodInfo, generation int64) {
	n.pods.add(info)
	n.sum(info, 1)
	if d := detailsOfInfo(info); d != nil {
		if d.affine {
			n.affinePods.add(info)
		}
		if d.requiredAnti {
			n.requiredAntiPods.add(info)
		}
		n.takePorts(d.ports)
		n.countClaims(d.claims, 1, generation)
	}
	n.generation = generation
}

// detach takes the i-th pod away.
func (n *NodeInfo) detach(i int, generation int64) {
	info := n.pods.items[i]
	n.pods.removeAt(i)
	n.sum(info, -1)
	if d := detailsOfInfo(info); d != nil {
		if at := n.affinePods.indexOf(info); at >= 0 {
			n.affinePods.removeAt(at)
		}
		if at := n.requiredAntiPods.indexOf(info); at >= 0 {
			n.requiredAntiPods.removeAt(at)
		}
		n.freePorts(d.ports)
		n.countClaims(d.claims, -1, generation)
	}
	n.generation = generation
}

func (n *NodeInfo) sum(info fwk.PodInfo, sign int64) {
	total := info.CalculateResource()
	n.requested.move(total.Resource, sign)
	n.nonZeroRequested.MilliCPU += sign * total.Non0CPU
	n.nonZeroRequested.Memory += sign * total.Non0Mem
}

func (n *NodeInfo) takePorts(ports []hostPort) {
	if len(ports) == 0 {
		return
	}
	n.ownPorts()
	for _, p := range ports {
		n.ports.Add(p.ip, p.protocol, p.port)
	}
}

// freePorts frees a port even if a second pod also claims it, as kube-scheduler does: ports are a set, not a count.
func (n *NodeInfo) freePorts(ports []hostPort) {
	if len(ports) == 0 {
		return
	}
	n.ownPorts()
	for _, p := range ports {
		n.ports.Remove(p.ip, p.protocol, p.port)
	}
}

func (n *NodeInfo) ownPorts() {
	switch {
	case n.ports == nil:
		n.ports = fwk.HostPortInfo{}
	case n.portsShared:
		own := make(fwk.HostPortInfo, len(n.ports))
		for ip, set := range n.ports {
			own[ip] = maps.Clone(set)
		}
		n.ports = own
	}
	n.portsShared = false
}

func (n *NodeInfo) countClaims(claims []string, change int, generation int64) {
	if len(claims) == 0 {
		return
	}
	switch {
	case n.claims == nil:
		n.claims = map[string]int{}
	case n.claimsShared:
		n.claims = maps.Clone(n.claims)
	}
	n.claimsShared = false
	n.claimsGeneration = generation
	for _, claim := range claims {
		if n.claims[claim] += change; n.claims[claim] <= 0 {
			delete(n.claims, claim)
		}
	}
}
