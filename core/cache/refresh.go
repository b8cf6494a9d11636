package cache

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/reuse"
)

// UpdateSnapshot refreshes the snapshot, at the cost of the changes since its last refresh. The snapshot must be new,
// or filled by this cache or the one it was forked from.
//
// An error reports that the snapshot had lost nodes. It has been rebuilt, so the next cycle can continue.
func (c *Cache) UpdateSnapshot(s *Snapshot) error {
	c.refresh(s)
	if len(s.list) == c.nodeTree.len() {
		return nil
	}
	err := fmt.Errorf("snapshot state is not consistent, length of NodeInfoList=%d not equal to length of nodes in tree=%d "+
		", length of NodeInfoMap=%d, length of nodes in cache=%d, trying to recover",
		len(s.list), c.nodeTree.len(), len(s.slots), len(c.entries))
	amounts, log := s.amounts, s.log
	*s = *NewSnapshot()
	s.amounts, s.log = amounts, log // what knows the nodes of before knows nothing of these
	c.refresh(s)
	return err
}

func (c *Cache) refresh(s *Snapshot) {
	s.changed = s.changed[:0]
	reorder := s.treeVersion != c.nodeTree.version
	for e := c.newest; e != nil && e.info.generation > s.generation; e = e.older {
		if e.info.node != nil {
			s.copyNode(c.withImageStates(e), !reorder)
		}
	}
	s.generation = c.generation
	if !reorder {
		return
	}
	s.dropMissing(c.nodeTree)
	names, _ := c.nodeTree.list() // a count mismatch shows in the length of the list
	s.rebuildLists(names)
	s.treeVersion = c.nodeTree.version
}

// copyNode copies one node's state into its slot. file keeps the slot's position and updates the sublists; otherwise
// the caller rebuilds all lists.
func (s *Snapshot) copyNode(info *NodeInfo, file bool) {
	at, kind := s.slots[info.node.Name], Updated
	if at == nil {
		at, kind = &slot{number: s.newNumber()}, Added
		s.slots[info.node.Name] = at
	}
	s.changed = append(s.changed, Change{info.node.Name, kind})
	if at.info.pvcRefCountsGeneration != info.pvcRefCountsGeneration {
		s.countPVCNodes(at.info.pvcRefCounts, -1)
		s.countPVCNodes(info.pvcRefCounts, 1)
	}
	affine, requiredAnti := at.info.hasPodsWithAffinity(), at.info.hasPodsWithRequiredAntiAffinity()
	info.copyTo(&at.info)
	s.amounts[at.number] = info.amounts()
	if file && kind == Updated {
		s.places[at.position].Generation = info.generation
		s.objects[at.position] = info.node
		s.log.Add(int32(at.position), 2*len(s.list)) // longer, a reader may as well look at all
	}
	if file && affine != info.hasPodsWithAffinity() {
		s.havePodsWithAffinity.put(at, !affine)
	}
	if file && requiredAnti != info.hasPodsWithRequiredAntiAffinity() {
		s.havePodsWithRequiredAntiAffinity.put(at, !requiredAnti)
	}
}

func (n *NodeInfo) hasPodsWithAffinity() bool { return len(n.podsWithAffinity.items) > 0 }
func (n *NodeInfo) hasPodsWithRequiredAntiAffinity() bool {
	return len(n.podsWithRequiredAntiAffinity.items) > 0
}

func (s *Snapshot) countPVCNodes(claims map[string]int, change int) {
	for claim := range claims {
		if s.pvcNodeCounts[claim] += change; s.pvcNodeCounts[claim] == 0 {
			delete(s.pvcNodeCounts, claim)
		}
	}
}

// dropMissing removes the nodes that the tree no longer has.
func (s *Snapshot) dropMissing(t *nodeTree) {
	if len(s.slots) <= t.len() {
		return
	}
	for _, info := range s.list {
		name := info.Node().Name
		if _, stays := t.positions[name]; stays {
			continue
		}
		s.countPVCNodes(s.slots[name].info.pvcRefCounts, -1)
		s.free = append(s.free, s.slots[name].number)
		delete(s.slots, name)
		s.changed = append(s.changed, Change{name, Removed})
	}
}

func (s *Snapshot) newNumber() int32 {
	if last := len(s.free) - 1; last >= 0 {
		number := s.free[last]
		s.free = s.free[:last]
		return number
	}
	s.amounts = append(s.amounts, reuse.Amounts{})
	return int32(len(s.amounts) - 1)
}

// rebuildLists rebuilds the list and the sublists in the order of the names.
func (s *Snapshot) rebuildLists(names []string) {
	s.log.Reset() // positions are others from now on
	s.list, s.places = make([]fwk.NodeInfo, 0, len(names)), make([]reuse.Place, 0, len(names))
	s.objects, s.names = make([]*v1.Node, 0, len(names)), nil
	s.havePodsWithAffinity, s.havePodsWithRequiredAntiAffinity = sublist{}, sublist{}
	for _, name := range names {
		at := s.slots[name]
		if at == nil {
			continue
		}
		at.position = len(s.list)
		s.list = append(s.list, &at.info)
		s.places = append(s.places, reuse.Place{Number: at.number, Position: int32(at.position), Generation: at.info.generation})
		s.objects = append(s.objects, at.info.node)
		if at.info.hasPodsWithAffinity() {
			s.havePodsWithAffinity.put(at, true)
		}
		if at.info.hasPodsWithRequiredAntiAffinity() {
			s.havePodsWithRequiredAntiAffinity.put(at, true)
		}
	}
}

// sublist is a subset of the list, in its order. It keeps the positions beside the nodes so that a search reads no
// node.
type sublist struct {
	nodes     []fwk.NodeInfo
	positions []int
}

// put adds or removes the slot.
func (l *sublist) put(at *slot, in bool) {
	i, found := slices.BinarySearch(l.positions, at.position)
	switch {
	case in && !found:
		l.positions = slices.Insert(l.positions, i, at.position)
		l.nodes = slices.Insert(l.nodes, i, fwk.NodeInfo(&at.info))
	case !in && found:
		l.positions = slices.Delete(l.positions, i, i+1)
		l.nodes = slices.Delete(l.nodes, i, i+1)
	}
}
