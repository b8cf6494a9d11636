package cache

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
	ndf "k8s.io/component-helpers/nodedeclaredfeatures"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// NodeInfo is the scheduling state of one node: the node, its bound and assumed pods, and the sums over them.
//
// Copies share their maps and arrays until one side writes. So the maps and slices of the getters are read-only;
// AddPodInfo, RemovePod and SetNode change a NodeInfo.
type NodeInfo struct {
	node *v1.Node

	pods                         podList
	podsWithAffinity             podList
	podsWithRequiredAntiAffinity podList

	requested        Resource
	nonZeroRequested Resource
	allocatable      Resource

	usedPorts          fwk.HostPortInfo
	pvcRefCounts       map[string]int
	imageStates        map[string]*fwk.ImageStateSummary // immutable
	features           ndf.FeatureSet                    // immutable
	usedPortsShared    bool
	pvcRefCountsShared bool

	generation             int64
	pvcRefCountsGeneration int64 // the generation that last changed claims
}

var _ fwk.NodeInfo = (*NodeInfo)(nil)

// NewNodeInfo returns a NodeInfo without a node that holds the given pods. It belongs to no cache: no cache uses its
// generation.
func NewNodeInfo(pods ...*v1.Pod) *NodeInfo {
	n := &NodeInfo{}
	for _, pod := range pods {
		n.AddPod(pod)
	}
	return n
}

func (n *NodeInfo) amounts() reuse.Amounts {
	return reuse.Amounts{
		Allocatable: n.allocatable.quantities(), Requested: n.requested.quantities(),
		NonZeroMilliCPU: n.nonZeroRequested.MilliCPU, NonZeroMemory: n.nonZeroRequested.Memory,
		Pods: int64(len(n.pods.items)), AllowedPods: int64(n.allocatable.AllowedPodNumber),
	}
}

// Node returns the node, or nil while only its pods are known.
func (n *NodeInfo) Node() *v1.Node {
	if n == nil {
		return nil
	}
	return n.node
}

// GetPods returns the pods on the node. A removal moves the last pod into the gap.
func (n *NodeInfo) GetPods() []fwk.PodInfo { return n.pods.items }

// GetPodsWithAffinity returns the pods with podAffinity or podAntiAffinity, even an empty one.
func (n *NodeInfo) GetPodsWithAffinity() []fwk.PodInfo { return n.podsWithAffinity.items }

// GetPodsWithRequiredAntiAffinity returns the pods with required anti-affinity terms.
func (n *NodeInfo) GetPodsWithRequiredAntiAffinity() []fwk.PodInfo {
	return n.podsWithRequiredAntiAffinity.items
}

// GetPodsWithRequiredNonHostScopedAntiAffinity is empty, as in kube-scheduler with the gate InterPodAffinityHostnameFastPath off: no plugin of
// Orrery reads it.
func (n *NodeInfo) GetPodsWithRequiredNonHostScopedAntiAffinity() []fwk.PodInfo { return nil }

// GetUsedPorts returns the host ports in use.
func (n *NodeInfo) GetUsedPorts() fwk.HostPortInfo { return n.usedPorts }

// GetRequested is the sum of the pods' requests.
func (n *NodeInfo) GetRequested() fwk.Resource { return &n.requested }

// GetNonZeroRequested is the sum of cpu and memory with a default for containers without requests.
func (n *NodeInfo) GetNonZeroRequested() fwk.Resource { return &n.nonZeroRequested }

// GetAllocatable is status.allocatable of the node.
func (n *NodeInfo) GetAllocatable() fwk.Resource { return &n.allocatable }

// GetImageStates returns the images on the node by name, with their size and number of nodes as of the last copy out of
// the cache.
func (n *NodeInfo) GetImageStates() map[string]*fwk.ImageStateSummary { return n.imageStates }

// GetPVCRefCounts returns the number of this node's pods that use a claim, by "namespace/name".
func (n *NodeInfo) GetPVCRefCounts() map[string]int { return n.pvcRefCounts }

// GetGeneration identifies a cached state: equal and positive means equal content. A negative generation is that of a
// copy changed outside the cache and equals nothing, not even another copy with the same number.
func (n *NodeInfo) GetGeneration() int64 { return n.generation }

// GetNodeDeclaredFeatures returns the features that the node's kubelet declares.
func (n *NodeInfo) GetNodeDeclaredFeatures() ndf.FeatureSet { return n.features }

// Snapshot is Copy, under the plugin API's name.
func (n *NodeInfo) Snapshot() fwk.NodeInfo { return n.Copy() }

// Copy returns an independent copy. It allocates only the NodeInfo.
func (n *NodeInfo) Copy() *NodeInfo {
	copied := &NodeInfo{}
	n.copyTo(copied)
	return copied
}

// copyTo makes dst an independent copy, keeping its address.
func (n *NodeInfo) copyTo(dst *NodeInfo) {
	n.markShared()
	*dst = *n
	dst.pods, dst.podsWithAffinity, dst.podsWithRequiredAntiAffinity = n.pods.share(), n.podsWithAffinity.share(), n.podsWithRequiredAntiAffinity.share()
}

// markShared marks the maps and arrays as shared. It does not write to a NodeInfo that is already marked, so several
// readers may copy one at once.
func (n *NodeInfo) markShared() {
	n.requested.share()
	n.nonZeroRequested.share()
	n.allocatable.share()
	if n.usedPorts != nil && !n.usedPortsShared {
		n.usedPortsShared = true
	}
	if n.pvcRefCounts != nil && !n.pvcRefCountsShared {
		n.pvcRefCountsShared = true
	}
	n.pods.share()
	n.podsWithAffinity.share()
	n.podsWithRequiredAntiAffinity.share()
}

// SetNode sets the node or a newer version of it.
func (n *NodeInfo) SetNode(node *v1.Node) { n.setNode(node, n.uncachedGeneration()) }

// AddPod is AddPodInfo for an unparsed pod. Affinity terms that do not parse are left out.
func (n *NodeInfo) AddPod(pod *v1.Pod) {
	info, _ := NewPodInfo(pod)
	n.AddPodInfo(info)
}

// AddPodInfo adds a pod to the node.
func (n *NodeInfo) AddPodInfo(info fwk.PodInfo) { n.attach(info, n.uncachedGeneration()) }

// RemovePod removes the pod with this UID from the node.
func (n *NodeInfo) RemovePod(_ klog.Logger, pod *v1.Pod) error {
	if _, err := podKey(pod); err != nil {
		return err
	}
	for i, info := range n.pods.items {
		if info.GetPod().UID == pod.UID {
			n.detach(i, n.uncachedGeneration())
			return nil
		}
	}
	return fmt.Errorf("no corresponding pod %s in pods of node %s", printableName(pod.Name), printableName(n.name()))
}

func (n *NodeInfo) String() string {
	names := make([]string, len(n.pods.items))
	for i, info := range n.pods.items {
		names[i] = printableName(info.GetPod().Name)
	}
	return fmt.Sprintf("NodeInfo{node %s, pods [%s], requested %s, nonZeroRequested %s, allocatable %s, ports %v}",
		printableName(n.name()), strings.Join(names, " "), n.requested.text(), n.nonZeroRequested.text(), n.allocatable.text(), n.usedPorts)
}

func (n *NodeInfo) name() string {
	if n.node == nil {
		return "<no node>"
	}
	return n.node.Name
}

// uncachedGeneration is the generation after a change outside a cache.
func (n *NodeInfo) uncachedGeneration() int64 { return min(n.generation, 0) - 1 }
