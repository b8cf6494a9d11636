package cache

import (
	"fmt"

	"orrery/core/scheduler/reuse"
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
	s.amounts, s.log = amounts, log
	s.log.Reset() // what knows the nodes of before knows nothing of these
	c.refresh(s)
	return err
}

func (c *Cache) refresh(s *Snapshot) {
	s.changed = s.changed[:0]
	// Entries are in the order of their generations, so the first one that the snapshot has seen ends the walk.
	for e := c.newest; e != nil && e.info.generation > s.generation; e = e.older {
		if e.info.node != nil {
			s.copyNode(c.withImageStates(e))
		}
	}
	s.generation = c.generation
	if s.treeVersion != c.nodeTree.version {
		s.reorder(c.nodeTree) // a count mismatch shows in the length of the list
		s.treeVersion = c.nodeTree.version
	}
}

// copyNode copies one node's state into its slot. A new node gets its position when the list is put in order.
func (s *Snapshot) copyNode(info *NodeInfo) {
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
	if kind == Updated {
		s.places[at.position].Generation = info.generation
		s.objects[at.position] = info.node
		s.log.Add(int32(at.position), 2*len(s.list)) // if more changed, readers rescan
	}
	if kind == Updated && affine != info.hasPodsWithAffinity() {
		s.havePodsWithAffinity.put(at, !affine)
	}
	if kind == Updated && requiredAnti != info.hasPodsWithRequiredAntiAffinity() {
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

func (s *Snapshot) newNumber() int32 {
	// A number may be given out again: what was kept for its last node names a generation, and no two nodes ever share one.
	if last := len(s.free) - 1; last >= 0 {
		number := s.free[last]
		s.free = s.free[:last]
		return number
	}
	s.amounts = append(s.amounts, reuse.Amounts{})
	return int32(len(s.amounts) - 1)
}
