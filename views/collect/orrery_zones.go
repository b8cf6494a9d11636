package collect

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/objects/saturating"
	"orrery/views"
	"orrery/views/orbit"
)

// cellsPerNode is how many cells of the screen a node needs to have a body of its own in the orrery.
const cellsPerNode = 16

// areBodies reports whether the zones are the orrery's bodies: there are more nodes than the screen has room for, in several zones.
func (m *nodeTable) areBodies(query Query) bool {
	zones := len(m.lanes)
	return zones > 1 && zones <= orbit.MostZones && query.Lines > 0 && len(m.known)*cellsPerNode > query.Columns*query.Lines
}

// zoneBodies are the zones, with what their nodes have together.
func (m *nodeTable) zoneBodies(v *views.Orrery) views.List[views.ZoneBody] {
	list := views.List[views.ZoneBody]{Total: len(m.lanes), Rows: make([]views.ZoneBody, len(m.lanes))}
	for i := range m.lanes {
		l, z := &m.lanes[i], &list.Rows[i]
		z.Key, z.Name, z.Nodes, z.Scope = l.key, l.name, len(l.at), m.scopeOf(l)
		if z.Name == "" {
			z.Name = "no zone"
		}
		var used, most nodeCapacity
		for _, at := range l.at {
			k, b := &m.known[at], &v.Bodies[at]
			requested, allocatable := k.info.GetRequested(), k.info.GetAllocatable()
			used.milliCPU, used.memory = saturating.Add(used.milliCPU, requested.GetMilliCPU()), saturating.Add(used.memory, requested.GetMemory())
			most.milliCPU, most.memory = saturating.Add(most.milliCPU, allocatable.GetMilliCPU()), saturating.Add(most.memory, allocatable.GetMemory())
			z.Pods, z.Leaving = z.Pods+b.Pods, z.Leaving+b.Leaving
			switch {
			case b.Flags&views.NotReady != 0:
				z.NotReady++
			case b.Flags&(views.Cordoned|views.Pressed) != 0:
				z.Cordoned++
			}
		}
		z.Level = uint8(min(max(fraction(used.milliCPU, most.milliCPU), fraction(used.memory, most.memory)), 1) * 255)
	}
	return list
}

// scopeOf is the filter for a zone's nodes, by the labels that the scheduler reads: that of the zone, and that of the region where another
// region has a zone of the same name.
func (m *nodeTable) scopeOf(l *lane) string {
	zone := func(l *lane) string {
		return labelOf(m.known[l.at[0]].node, v1.LabelFailureDomainBetaZone, v1.LabelTopologyZone)
	}
	scope := "-l " + zone(l)
	for i := range m.lanes {
		if other := &m.lanes[i]; other.key != l.key && zone(other) == zone(l) {
			return scope + "," + labelOf(m.known[l.at[0]].node, v1.LabelFailureDomainBetaRegion, v1.LabelTopologyRegion)
		}
	}
	return scope
}

// labelOf is the condition that a node has its value of a label, or of the one that had its meaning before.
func labelOf(node *v1.Node, before, label string) string {
	if _, has := node.Labels[before]; has {
		label = before
	}
	if value := node.Labels[label]; value != "" {
		return label + "=" + value
	}
	return "!" + label
}
