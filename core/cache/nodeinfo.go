package cache

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

// NodeInfo is what scheduling knows of one node: the node, the pods on it (bound and assumed), and the sums over them.
//
// Copies share their maps and arrays until one side writes. So the maps and slices that the getters hand out are for
// reading; AddPodInfo, RemovePod and SetNode are how a NodeInfo changes.
type NodeInfo struct {
	node *v1.Node

	pods             podList
	affinePods       podList
	requiredAntiPods podList

	requested        Resource
	nonZeroRequested Resource
	allocatable      Resource

	ports        fwk.HostPortInfo
	claims       map[string]int
	images       map[string]*fwk.ImageStateSummary // never written once made
	features     ndf.FeatureSet                    // never written once made
	portsShared  bool
	claimsShared bool

	generation       int64
	claimsGeneration int64 // the generation that last changed claims
}

var _ fwk.NodeInfo = (*NodeInfo)(nil)

// NewNodeInfo is a NodeInfo without a node that holds the given pods. It belongs to no cache: its generation is never
// one that a cache gives out.
func NewNodeInfo(pods ...*v1.Pod) *NodeInfo {
	n := &NodeInfo{}
	for _, pod := range pods {
		n.AddPod(pod)
	}
	return n
}

// Node is the node, nil while only its pods are known.
func (n *NodeInfo) Node() *v1.Node {
	if n == nil {
		return nil
	}
	return n.node
}

// GetPods are the pods on the node. A removal moves the last pod into the gap.
func (n *NodeInfo) GetPods() []fwk.PodInfo { return n.pods.items }

// GetPodsWithAffinity are the pods that have podAffinity or podAntiAffinity, even an empty one.
func (n *NodeInfo) GetPodsWithAffinity() []fwk.PodInfo { return n.affinePods.items }

// GetPodsWithRequiredAntiAffinity are the pods that have required anti-affinity terms.
func (n *NodeInfo) GetPodsWithRequiredAntiAffinity() []fwk.PodInfo { return n.requiredAntiPods.items }

// GetUsedPorts are the host ports in use.
func (n *NodeInfo) GetUsedPorts() fwk.HostPortInfo { return n.ports }

// GetRequested is the sum of the pods' requests.
func (n *NodeInfo) GetRequested() fwk.Resource { return &n.requested }

// GetNonZeroRequested is the sum of cpu and memory with a minimum for containers that request none.
func (n *NodeInfo) GetNonZeroRequested() fwk.Resource { return &n.nonZeroRequested }

// GetAllocatable is status.allocatable of the node.
func (n *NodeInfo) GetAllocatable() fwk.Resource { return &n.allocatable }

// GetImageStates are the images on the node by name: size, and on how many nodes the image was when this NodeInfo was
// last copied out of the cache.
func (n *NodeInfo) GetImageStates() map[string]*fwk.ImageStateSummary { return n.images }

// GetPVCRefCounts says how many pods here use a claim, by "namespace/name".
func (n *NodeInfo) GetPVCRefCounts() map[string]int { return n.claims }

// GetGeneration names the cached state this is: equal and positive means equal content. Negative means that this copy
// was changed outside the cache and equals nothing, not even another copy with the same number.
func (n *NodeInfo) GetGeneration() int64 { return n.generation }

// GetNodeDeclaredFeatures are the features the node says its kubelet has.
func (n *NodeInfo) GetNodeDeclaredFeatures() ndf.FeatureSet { return n.features }

// Snapshot is Copy, as the plugin API calls it.
func (n *NodeInfo) Snapshot() fwk.NodeInfo { return n.Copy() }

// Copy is an independent copy. It allocates the NodeInfo and nothing else.
func (n *NodeInfo) Copy() *NodeInfo {
	copied := &NodeInfo{}
	n.copyTo(copied)
	return copied
}

// copyTo makes dst an independent copy, keeping its address.
func (n *NodeInfo) copyTo(dst *NodeInfo) {
	n.freeze()
	*dst = *n
	dst.pods, dst.affinePods, dst.requiredAntiPods = n.pods.share(), n.affinePods.share(), n.requiredAntiPods.share()
}

// freeze notes that others look at the maps and arrays. A NodeInfo that is frozen or itself a copy is only read, so
// several readers may copy it at once.
func (n *NodeInfo) freeze() {
	n.requested.share()
	n.nonZeroRequested.share()
	n.allocatable.share()
	if n.ports != nil && !n.portsShared {
		n.portsShared = true
	}
	if n.claims != nil && !n.claimsShared {
		n.claimsShared = true
	}
	n.pods.share()
	n.affinePods.share()
	n.requiredAntiPods.share()
}

// SetNode puts a node, or a newer version of it, in place.
func (n *NodeInfo) SetNode(node *v1.Node) { n.setNode(node, n.changedOutside()) }

// AddPod is AddPodInfo for a pod that is not parsed yet. Affinity terms that do not parse are left out.
func (n *NodeInfo) AddPod(pod *v1.Pod) {
	info, _ := NewPodInfo(pod)
	n.AddPodInfo(info)
}

// AddPodInfo puts a pod on the node.
func (n *NodeInfo) AddPodInfo(info fwk.PodInfo) { n.attach(info, n.changedOutside()) }

// RemovePod takes the pod with this UID off the node.
func (n *NodeInfo) RemovePod(_ klog.Logger, pod *v1.Pod) error {
	if _, err := podKey(pod); err != nil {
		return err
	}
	for i, info := range n.pods.items {
		if info.GetPod().UID == pod.UID {
			n.detach(i, n.changedOutside())
			return nil
		}
	}
	return fmt.Errorf("no corresponding pod %s in pods of node %s", shown(pod.Name), shown(n.name()))
}

// String lists the pods and the sums.
func (n *NodeInfo) String() string {
	names := make([]string, len(n.pods.items))
	for i, info := range n.pods.items {
		names[i] = shown(info.GetPod().Name)
	}
	return fmt.Sprintf("NodeInfo{node %s, pods [%s], requested %s, nonZeroRequested %s, allocatable %s, ports %v}",
		shown(n.name()), strings.Join(names, " "), n.requested.text(), n.nonZeroRequested.text(), n.allocatable.text(), n.ports)
}

func (n *NodeInfo) name() string {
	if n.node == nil {
		return "<no node>"
	}
	return n.node.Name
}

// changedOutside is the generation after a change that no cache made.
func (n *NodeInfo) changedOutside() int64 { return min(n.generation, 0) - 1 }
