package topology

import "orrery/core/scheduler/reuse"

// NodeClasses divide the nodes of a snapshot such that those of a class have equal sums on every axis, whatever pods come to other
// nodes. So what follows from the sums is computed once for a class.
//
// A node is known by its domain on an axis. Where each domain has a single node, as those of host names do, it is known by its own
// sum, since there would be as many classes as nodes otherwise; a change of the sum is then a change of the node.
type NodeClasses struct {
	reuse.Classes
	counts *DomainCounts

	seen  uint64 // of the index' log
	alone []bool // by axis: each domain has a single node
	parts []part // by class and axis
	key   reuse.Signature
}

// part is what the nodes of a class have on an axis: a domain, or a sum of their own.
type part struct {
	domain int32 // noDomain without the key; ownDomain
	sum    int64
}

// ownDomain is the domain of a node that shares it with no other.
const ownDomain int32 = -2

// NodeClasses returns the classes of the nodes of the last Sync, at a revision. There are none if the index or the snapshot has
// changed since, or if the snapshot does not say what changes.
func (t *DomainCounts) NodeClasses(revision uint64) (c *NodeClasses, ok bool) {
	if !t.index.isCurrent(revision) {
		return nil, false
	}
	if t.nodes == nil {
		t.nodes = &NodeClasses{counts: t}
	}
	t.nodes.follow()
	return t.nodes, true
}

// isCurrent reports whether neither the index nor its snapshot has changed since a revision.
func (r *PodIndex) isCurrent(revision uint64) bool {
	if !r.ofSnapshot || revision != r.revision {
		return false
	}
	changes, _, known := r.changes.ChangesSince(r.since)
	return known && len(changes) == 0
}

// follow brings the classes up to the index.
func (c *NodeClasses) follow() {
	r := c.counts.index
	positions, now, known := r.read.Since(c.seen)
	c.seen = now
	if c.axesChanged() || !known {
		c.Reset(len(r.listed))
		for position := range r.listed {
			c.put(int32(position))
		}
		return
	}
	c.Resize(len(r.listed))
	for _, position := range positions {
		if int(position) < len(r.listed) {
			c.put(position)
		}
	}
}

// axesChanged reports whether there are other axes, or another node shares a domain or shares none any more.
func (c *NodeClasses) axesChanged() bool {
	axes := c.counts.axes
	changed := len(axes) != len(c.alone)
	if changed {
		c.alone = make([]bool, len(axes))
	}
	for i, a := range axes {
		alone := a.kind == PerNode || a.key.crowded == 0
		changed = changed || alone != c.alone[i]
		c.alone[i] = alone
	}
	return changed
}

// put puts the node at a position into its class.
func (c *NodeClasses) put(position int32) {
	slot := c.counts.index.listed[position].slot
	c.key = c.key[:0]
	for i := range c.counts.axes {
		p := c.partOf(i, slot)
		c.key = c.key.Number(int64(p.domain)).Number(p.sum)
	}
	class, isNew := c.Put(position, c.key)
	if !isNew {
		return
	}
	axes := len(c.counts.axes)
	if more := (int(class)+1)*axes - len(c.parts); more > 0 {
		c.parts = append(c.parts, make([]part, more)...)
	}
	for i := range axes {
		c.parts[int(class)*axes+i] = c.partOf(i, slot)
	}
}

// partOf is what a slot has on an axis.
func (c *NodeClasses) partOf(axis int, slot int32) part {
	a := c.counts.axes[axis]
	domain := a.key.bySlot[slot]
	switch {
	case domain == noDomain:
		return part{domain: noDomain}
	case !c.alone[axis] || a.kind == PerValueOrEmpty && domain == a.emptyValue:
		return part{domain: domain}
	case a.cells[slot].domain == noDomain:
		return part{domain: ownDomain}
	}
	return part{ownDomain, a.cells[slot].amount}
}

func (c *NodeClasses) part(class int32, axis int) part { return c.parts[int(class)*len(c.alone)+axis] }

// Sum is the sum in the domain of the nodes of a class; has is false if they do not have the key.
func (c *NodeClasses) Sum(class int32, v *AxisView) (sum int64, has bool) {
	switch p := c.part(class, v.axis); p.domain {
	case noDomain:
		return 0, false
	case ownDomain:
		return p.sum, true
	default:
		return v.Sum(p.domain), true
	}
}

// CountingDomain is the domain that the pods of a class' nodes count in. It is not shared if each node of the class has its own.
func (c *NodeClasses) CountingDomain(class int32, v *AxisView) (domain int32, shared bool) {
	switch p := c.part(class, v.axis); {
	case p.domain == noDomain && v.kind == PerValueOrEmpty:
		return v.emptyValue, true
	default:
		return p.domain, p.domain != ownDomain
	}
}
