package cache

import (
	"fmt"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"
)

// UpdateSnapshot brings the snapshot up to date, at the cost of what changed since its last refresh. The snapshot must
// be new, or one that this cache (or the one it was forked from) has filled.
//
// An error means that the snapshot had lost nodes. It has been rebuilt from nothing, so the next cycle can go on.
func (c *Cache) UpdateSnapshot(s *Snapshot) error {
	c.refresh(s)
	if len(s.list) == c.tree.len() {
		return nil
	}
	err := fmt.Errorf("snapshot state is not consistent, length of NodeInfoList=%d not equal to length of nodes in tree=%d "+
		", length of NodeInfoMap=%d, length of nodes in cache=%d, trying to recover",
		len(s.list), c.tree.len(), len(s.slots), len(c.entries))
	*s = *NewSnapshot()
	c.refresh(s)
	return err
}

func (c *Cache) refresh(s *Snapshot) {
	s.changes = s.changes[:0]
	reorder := s.treeVersion != c.tree.version
	for e := c.newest; e != nil && e.info.generation > s.generation; e = e.older {
		if e.info.node != nil {
			s.take(c.current(e), !reorder)
		}
	}
	s.generation = c.generation
	if !reorder {
		return
	}
	s.dropAllBut(c.tree)
	names, _ := c.tree.list() // the tree counts its nodes itself; a loss shows in the length of the list
	s.order(names)
	s.treeVersion = c.tree.version
}

// take copies one node's state into its slot. With file, the slot's place in the list stands and the lists beside it
// are kept up to date; otherwise they are about to be made anew.
func (s *Snapshot) take(info *NodeInfo, file bool) {
	at, kind := s.slots[info.node.Name], Updated
	if at == nil {
		at, kind = &slot{}, Added
		s.slots[info.node.Name] = at
	}
	s.changes = append(s.changes, Change{info.node.Name, kind})
	if at.info.claimsGeneration != info.claimsGeneration {
		s.countClaims(at.info.claims, -1)
		s.countClaims(info.claims, 1)
	}
	affine, requiredAnti := at.info.hasAffine(), at.info.hasRequiredAnti()
	info.copyTo(&at.info)
	if file && affine != info.hasAffine() {
		s.affine.put(at, !affine)
	}
	if file && requiredAnti != info.hasRequiredAnti() {
		s.requiredAnti.put(at, !requiredAnti)
	}
}

func (n *NodeInfo) hasAffine() bool       { return len(n.affinePods.items) > 0 }
func (n *NodeInfo) hasRequiredAnti() bool { return len(n.requiredAntiPods.items) > 0 }

func (s *Snapshot) countClaims(claims map[string]int, change int) {
	for claim := range claims {
		if s.claims[claim] += change; s.claims[claim] == 0 {
			delete(s.claims, claim)
		}
	}
}

// dropAllBut forgets the nodes that the tree no longer has.
func (s *Snapshot) dropAllBut(t *tree) {
	if len(s.slots) <= t.len() {
		return
	}
	for _, info := range s.list {
		name := info.Node().Name
		if _, stays := t.where[name]; stays {
			continue
		}
		s.countClaims(s.slots[name].info.claims, -1)
		delete(s.slots, name)
		s.changes = append(s.changes, Change{name, Removed})
	}
}

// order makes the list and the lists beside it anew, with the nodes in the order of the names.
func (s *Snapshot) order(names []string) {
	s.list = make([]fwk.NodeInfo, 0, len(names))
	s.affine, s.requiredAnti = sublist{}, sublist{}
	for _, name := range names {
		at := s.slots[name]
		if at == nil {
			continue
		}
		at.position = len(s.list)
		s.list = append(s.list, &at.info)
		if at.info.hasAffine() {
			s.affine.put(at, true)
		}
		if at.info.hasRequiredAnti() {
			s.requiredAnti.put(at, true)
		}
	}
}

// sublist is some of the nodes of the list, in its order. The positions stand beside the nodes so that a place is found
// without looking into any node.
type sublist struct {
	nodes     []fwk.NodeInfo
	positions []int
}

// put files the slot in or takes it out.
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
