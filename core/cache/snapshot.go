package cache

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// Snapshot is the cluster as one scheduling cycle sees it. It stands still between two refreshes and is then brought
// up to date in place: a NodeInfo obtained from it shows the new content after the refresh, at the same address, and
// lists obtained from it are valid until then.
type Snapshot struct {
	slots map[string]*slot // by node name; exactly the nodes of the list
	list  []fwk.NodeInfo   // in the order of the tree

	affine       sublist        // nodes with pods that have pod affinity or anti-affinity
	requiredAnti sublist        // nodes with pods that have required anti-affinity
	claims       map[string]int // "namespace/name" → on how many nodes pods use the claim

	generation  int64  // every change up to this stamp is in here
	treeVersion uint64 // the tree that the list follows

	changes []Change
}

// slot is a node's place in the snapshot. Its address outlives refreshes.
type slot struct {
	info     NodeInfo
	position int // in the list
}

// Change is one node that the last refresh brought up to date.
type Change struct {
	Node string
	Kind ChangeKind
}

// ChangeKind says what happened to a node.
type ChangeKind uint8

// What can happen to a node between two refreshes.
const (
	Updated ChangeKind = iota // the node, its pods or its zone changed
	Added
	Removed
)

func (k ChangeKind) String() string { return [...]string{"updated", "added", "removed"}[k] }

var (
	_ fwk.SharedLister      = (*Snapshot)(nil)
	_ fwk.NodeInfoLister    = (*Snapshot)(nil)
	_ fwk.StorageInfoLister = (*Snapshot)(nil)
)

// NewSnapshot is an empty snapshot; Cache.UpdateSnapshot fills it.
func NewSnapshot() *Snapshot {
	return &Snapshot{slots: map[string]*slot{}, claims: map[string]int{}}
}

// SnapshotOf is the snapshot of a cluster that has these nodes, in this order of arrival, and these pods. Pods without
// a node, and pods on a node that is not given, are left out.
func SnapshotOf(pods []*v1.Pod, nodes []*v1.Node) *Snapshot {
	c := New()
	for _, node := range nodes {
		c.AddNode(node)
	}
	for _, pod := range pods {
		if e := c.entries[pod.Spec.NodeName]; e != nil {
			info, _ := NewPodInfo(pod)
			e.info.attach(info, c.nextGeneration())
			c.moveToFront(e)
		}
	}
	s := NewSnapshot()
	c.refresh(s)
	return s
}

// NodeInfos is the snapshot itself.
func (s *Snapshot) NodeInfos() fwk.NodeInfoLister { return s }

// StorageInfos is the snapshot itself.
func (s *Snapshot) StorageInfos() fwk.StorageInfoLister { return s }

// NumNodes is how many nodes there are.
func (s *Snapshot) NumNodes() int { return len(s.list) }

// Generation is the stamp of the latest change that the snapshot contains.
func (s *Snapshot) Generation() int64 { return s.generation }

// Changed are the nodes that the last refresh touched: added and updated ones from the most to the least recently
// changed, then removed ones in the order they had in the list. The slice is reused by the next refresh.
func (s *Snapshot) Changed() []Change { return s.changes }

// List is every node, in the round robin over the zones. The error is always nil.
func (s *Snapshot) List() ([]fwk.NodeInfo, error) { return s.list, nil }

// HavePodsWithAffinityList is the nodes of List with a pod that has pod affinity or anti-affinity. The error is always nil.
func (s *Snapshot) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) { return s.affine.nodes, nil }

// HavePodsWithRequiredAntiAffinityList is the nodes of List with a pod that has required anti-affinity terms.
// The error is always nil.
func (s *Snapshot) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return s.requiredAnti.nodes, nil
}

// Get is one node by name.
func (s *Snapshot) Get(name string) (fwk.NodeInfo, error) {
	if at := s.slots[name]; at != nil {
		return &at.info, nil
	}
	return nil, fmt.Errorf("nodeinfo not found for node name %q", name)
}

// IsPVCUsedByPods tells whether a pod on any node uses the claim "namespace/name".
func (s *Snapshot) IsPVCUsedByPods(key string) bool { return s.claims[key] > 0 }
