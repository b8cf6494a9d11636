package cache

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/nodenames"
	"orrery/core/scheduler/changelog"
	"orrery/core/scheduler/reuse"
)

// Snapshot is the cluster as one scheduling cycle sees it. It is constant between two refreshes and is refreshed in
// place: a NodeInfo obtained from it has the new content after the refresh, at the same address, and lists obtained
// from it are valid until then.
type Snapshot struct {
	slots   map[string]*slot // by node name; exactly the nodes of the list
	order   []ordered        // in the order of the tree
	list    []fwk.NodeInfo   // the same nodes
	places  []reuse.Place    // of the nodes of the list
	objects []*v1.Node       // of the nodes of the list
	names   *nodenames.List  // of the nodes of the list; nil until it is asked for
	free    []int32          // numbers of nodes that left
	amounts []reuse.Amounts  // of the nodes by number; a number is free or a node's

	havePodsWithAffinity             sublist        // nodes with pods that have pod affinity or anti-affinity
	havePodsWithRequiredAntiAffinity sublist        // nodes with pods that have required anti-affinity
	pvcNodeCounts                    map[string]int // "namespace/name" → on how many nodes pods use the claim

	generation  int64  // the snapshot has every change up to this generation
	treeVersion uint64 // the version of the tree that the list follows

	frozen []imagesOfNode // in place of the nodes, if the snapshot is frozen

	changed []Change
	log     changelog.Log[int32] // positions in the list that changed, or have another node
	moved   []int32              // positions that have another node, or none, since the list was ordered last
}

// slot is a node in the snapshot. Its address is stable across refreshes.
type slot struct {
	info     NodeInfo
	position int   // in the list
	number   int32 // of its place
}

// Change is one node that the last refresh changed.
type Change struct {
	Node string
	Kind ChangeKind
}

// ChangeKind is the kind of a Change.
type ChangeKind uint8

// The changes of a node between two refreshes.
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

// NewSnapshot returns an empty snapshot; Cache.UpdateSnapshot fills it.
func NewSnapshot() *Snapshot {
	return &Snapshot{slots: map[string]*slot{}, pvcNodeCounts: map[string]int{}}
}

// SnapshotOf returns a snapshot of these nodes, in this order of arrival, and these pods. Pods without a node, and pods
// on other nodes, are left out.
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

// NodeInfos returns the snapshot itself.
func (s *Snapshot) NodeInfos() fwk.NodeInfoLister { return s }

// StorageInfos returns the snapshot itself.
func (s *Snapshot) StorageInfos() fwk.StorageInfoLister { return s }

// PodGroups is nil, and so is what else tells of groups: those of the releases whose plugins ask are refused by their gate.
func (s *Snapshot) PodGroups() fwk.PodGroupLister { return nil }

// PodGroupStates is nil.
func (s *Snapshot) PodGroupStates() fwk.PodGroupStateLister { return nil }

// CompositePodGroups is nil.
func (s *Snapshot) CompositePodGroups() fwk.CompositePodGroupLister { return nil }

// CompositePodGroupStates is nil.
func (s *Snapshot) CompositePodGroupStates() fwk.CompositePodGroupStateLister { return nil }

// NumNodes is the number of nodes.
func (s *Snapshot) NumNodes() int { return len(s.list) }

// Generation is the generation of the latest change in the snapshot.
func (s *Snapshot) Generation() int64 { return s.generation }

// OrderVersion is the cache's OrderVersion that the list follows.
func (s *Snapshot) OrderVersion() uint64 { return s.treeVersion }

// Changed lists the nodes that the last refresh changed: added and updated ones from the most to the least recently
// changed, then removed ones in list order. The next refresh reuses the slice.
func (s *Snapshot) Changed() []Change { return s.changed }

// List returns every node, round robin over the zones. The error is always nil.
func (s *Snapshot) List() ([]fwk.NodeInfo, error) { return s.list, nil }

// HavePodsWithAffinityList returns the nodes of List with a pod that has pod affinity or anti-affinity. The error is
// always nil.
func (s *Snapshot) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) {
	return s.havePodsWithAffinity.nodes, nil
}

// HavePodsWithRequiredAntiAffinityList returns the nodes of List with a pod that has required anti-affinity terms. The
// error is always nil.
func (s *Snapshot) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return s.havePodsWithRequiredAntiAffinity.nodes, nil
}

// HavePodsWithRequiredNonHostScopedAntiAffinityList is empty, as in kube-scheduler with the gate InterPodAffinityHostnameFastPath off.
func (s *Snapshot) HavePodsWithRequiredNonHostScopedAntiAffinityList() ([]fwk.NodeInfo, error) {
	return nil, nil
}

// Places returns the places of the nodes of List, in its order. They are valid until the next refresh.
func (s *Snapshot) Places() []reuse.Place { return s.places }

// NodeObjects returns the objects of the nodes of List, in its order. They are valid until the next refresh.
func (s *Snapshot) NodeObjects() []*v1.Node { return s.objects }

// NodeNames returns the names of the nodes of List, in its order.
func (s *Snapshot) NodeNames() *nodenames.List {
	if s.names == nil {
		names := make([]string, len(s.objects))
		for i, node := range s.objects {
			names[i] = node.Name
		}
		s.names = nodenames.New(names)
	}
	return s.names
}

// Amounts are the amounts of the nodes, by number. They are valid until the next refresh.
func (s *Snapshot) Amounts() []reuse.Amounts { return s.amounts }

// PlaceOf returns the place of a node.
func (s *Snapshot) PlaceOf(name string) (place reuse.Place, found bool) {
	at := s.slots[name]
	if at == nil {
		return reuse.Place{}, false
	}
	return s.places[at.position], true
}

// Get returns a node by name.
func (s *Snapshot) Get(name string) (fwk.NodeInfo, error) {
	if at := s.slots[name]; at != nil {
		return &at.info, nil
	}
	return nil, fmt.Errorf("nodeinfo not found for node name %q", name)
}

// IsPVCUsedByPods reports whether a pod on any node uses the claim "namespace/name".
func (s *Snapshot) IsPVCUsedByPods(key string) bool { return s.pvcNodeCounts[key] > 0 }

// ChangesSince returns the positions in List whose node changed, was replaced or left since an earlier call returned since,
// and what to pass to the next call. A position may be beyond the end by now. If known is false, as at the first call, with 0, or when
// most nodes have moved, any node may have changed.
func (s *Snapshot) ChangesSince(since uint64) (positions []int32, now uint64, known bool) {
	return s.log.Since(since)
}
