package cache

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// ordered is a node of the list: its slot, and its arrival in the tree, which tells whether another node is to be there.
type ordered struct {
	arrival uint64
	slot    *slot
}

// reorder puts the nodes in the order of the tree and drops those that it no longer has. A node that comes or leaves moves the
// later ones of its zone; the others stay in their positions, and are not looked at.
func (s *Snapshot) reorder(t *nodeTree) {
	// Invariant: the first n positions are final. An arrival is given out once, so that an equal one is the same node in its place.
	n := 0
	s.moved = s.moved[:0]
	var displaced []*slot
	for node := range t.all() {
		if n < len(s.order) && s.order[n].arrival == node.arrival {
			n++
			continue
		}
		at := s.slots[node.name]
		if at == nil {
			continue // shows in the length of the list
		}
		if n < len(s.order) {
			displaced = append(displaced, s.order[n].slot)
		}
		s.place(n, node.arrival, at)
		s.moved = append(s.moved, int32(n))
		n++
	}
	for at, o := range s.order[n:] {
		displaced = append(displaced, o.slot)
		s.moved = append(s.moved, int32(n+at))
	}
	s.cut(n)
	s.dropMissing(displaced)
	s.logMoved()
	if len(s.moved) > 0 {
		n = int(s.moved[0])
		s.names = nil
	}
	s.refillSublists(n)
}

// place puts a slot at a position of the list, or at its end.
func (s *Snapshot) place(position int, arrival uint64, at *slot) {
	at.position = position
	place := reuse.Place{Number: at.number, Position: int32(position), Generation: at.info.generation}
	// Invariant: order, list, places and objects have one entry for each position, all of one node.
	if position < len(s.order) {
		s.order[position], s.list[position], s.places[position] = ordered{arrival, at}, &at.info, place
		s.objects[position] = at.info.node
		return
	}
	s.order = append(s.order, ordered{arrival, at})
	s.list = append(s.list, &at.info)
	s.places = append(s.places, place)
	s.objects = append(s.objects, at.info.node)
}

// cut ends the list after n nodes.
func (s *Snapshot) cut(n int) {
	s.order = slices.Delete(s.order, n, len(s.order))
	s.list = slices.Delete(s.list, n, len(s.list))
	s.places = s.places[:n]
	s.objects = slices.Delete(s.objects, n, len(s.objects))
}

// dropMissing removes the nodes that are in no position any more, of those that had to leave theirs.
func (s *Snapshot) dropMissing(displaced []*slot) {
	for _, at := range displaced {
		// One that was placed again has a later position by now.
		if at.position < len(s.order) && s.order[at.position].slot == at {
			continue
		}
		name := at.info.node.Name
		s.countPVCNodes(at.info.pvcRefCounts, -1)
		s.free = append(s.free, at.number)
		delete(s.slots, name)
		s.changed = append(s.changed, Change{name, Removed})
	}
}

// logMoved logs the positions that have another node, or none. If most moved, readers rescan.
func (s *Snapshot) logMoved() {
	if len(s.moved) > len(s.list)/2 {
		s.log.Reset()
		return
	}
	for _, position := range s.moved {
		s.log.Add(position, 2*len(s.list))
	}
}

// refillSublists fills the sublists anew from a position on.
func (s *Snapshot) refillSublists(from int) {
	s.havePodsWithAffinity.cut(from)
	s.havePodsWithRequiredAntiAffinity.cut(from)
	for _, o := range s.order[from:] {
		if o.slot.info.hasPodsWithAffinity() {
			s.havePodsWithAffinity.put(o.slot, true)
		}
		if o.slot.info.hasPodsWithRequiredAntiAffinity() {
			s.havePodsWithRequiredAntiAffinity.put(o.slot, true)
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

// cut removes the nodes from a position of the list on.
func (l *sublist) cut(from int) {
	i, _ := slices.BinarySearch(l.positions, from)
	l.positions = l.positions[:i]
	l.nodes = slices.Delete(l.nodes, i, len(l.nodes))
}
