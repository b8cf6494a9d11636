package collect

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views"
	"orrery/views/orbit"
)

// nodeTable keeps a node's cell and row until its generation changes, and its position in the order of the nodes. A collector has
// one of what the cluster is now, and one of what the scheduler believed in its last cycle.
type nodeTable struct {
	from      nodeSource
	version   uint64       // of the order
	known     []cachedNode // in the order
	positions map[string]int
	lanes     []lane
	order     orbit.Zones // the lane of each node
	stamp     uint64      // increments with every change of a row
	// last are the generations of the last refreshes that found a change, the newest last: a node after the last but one has
	// just changed, one after the first changed recently. After fadeAfter without a change, the marks of a change fade, too.
	last    [4]int64
	changed time.Time
}

// fadeAfter is how much of the engine's time the marks of a change take to fade by one step while nothing changes.
const fadeAfter = time.Second

type cachedNode struct {
	info       fwk.NodeInfo
	node       *v1.Node
	generation int64
	cell       views.HeatCell
	capacity   nodeCapacity
	lane       int
	pass       int
	// row is built when the node is first shown.
	row      views.NodeRow
	rowBuilt bool
}

// lane is a zone and the positions of its nodes.
type lane struct {
	key, name string
	at        []int
}

// refresh updates the table. It costs only the changes: the cache lists its nodes from the most recently changed on.
func (m *nodeTable) refresh(e *engine.Engine, from nodeSource) {
	g := from.generation()
	if m.from != from { // with a new engine no node has just changed
		*m = nodeTable{from: from, last: [4]int64{g, g, g, g}, changed: e.Now()}
		m.reorder()
		return
	}
	seen := m.last[len(m.last)-1]
	if g != seen || m.last[0] != seen && e.Now().Sub(m.changed) >= fadeAfter {
		copy(m.last[:], m.last[1:])
		m.last[len(m.last)-1], m.changed = g, e.Now()
		m.stamp++
	}
	switch {
	case m.version != from.orderVersion():
		m.reorder()
	case g != seen:
		for info := range e.Cache().RecentlyChanged() {
			if info.GetGeneration() <= seen {
				return
			}
			if node := info.Node(); node != nil {
				if at, ok := m.positions[node.Name]; ok {
					m.known[at].update(from.node(node.Name))
				}
			}
		}
	}
}

// update reads a node's current state.
func (k *cachedNode) update(info fwk.NodeInfo) {
	if k.info == info && k.generation == info.GetGeneration() && k.node == info.Node() {
		return
	}
	k.info, k.node, k.generation, k.rowBuilt = info, info.Node(), info.GetGeneration(), false
	k.cell = views.HeatCell{Level: uint8(min(fullness(info), 1) * 255), Flags: flagsOf(k.node)}
	k.capacity = nodeCapacity{info.GetAllocatable().GetMilliCPU(), info.GetAllocatable().GetMemory()}
}

// reorder rebuilds positions, lanes and passes after nodes were added, removed or moved to another zone.
func (m *nodeTable) reorder() {
	before, positions := m.known, m.positions
	m.version, m.known, m.positions = m.from.orderVersion(), make([]cachedNode, 0, len(before)), make(map[string]int, len(before))
	m.lanes, m.order = nil, orbit.Zones{}
	m.stamp++
	byKey := map[string]int{}
	for info := range m.from.nodes() {
		i, name := len(m.known), info.Node().Name
		k := cachedNode{}
		if at, ok := positions[name]; ok {
			k = before[at]
		}
		k.update(info)
		m.positions[name] = i
		key := topology.GetZoneKey(k.node)
		at, ok := byKey[key]
		if !ok {
			at = len(m.lanes)
			byKey[key] = at
			m.lanes = append(m.lanes, lane{key: key, name: printable.Text(zoneOf(k.node))})
		}
		l := &m.lanes[at]
		k.lane, k.pass = at, len(l.at)
		l.at = append(l.at, i)
		m.known, m.order.Of = append(m.known, k), append(m.order.Of, int32(at))
	}
	m.order.Count = len(m.lanes)
}

// flags are a node's flags, including whether it changed recently.
func (m *nodeTable) flags(k *cachedNode) views.NodeFlags {
	switch {
	case k.generation > m.last[len(m.last)-2]:
		return k.cell.Flags | views.Changed
	case k.generation > m.last[0]:
		return k.cell.Flags | views.Fading
	}
	return k.cell.Flags
}

// newest are the positions of the n nodes that changed last, the latest first.
func (m *nodeTable) newest(e *engine.Engine, n int) []int {
	list := make([]int, 0, n)
	for info := range e.Cache().RecentlyChanged() {
		if len(list) == n {
			break
		}
		if node := info.Node(); node != nil {
			list = append(list, m.positions[node.Name])
		}
	}
	return list
}

// zoneOf is a node's zone, or its region if it has none.
func zoneOf(node *v1.Node) string {
	if zone := node.Labels[v1.LabelTopologyZone]; zone != "" {
		return zone
	}
	return node.Labels[v1.LabelTopologyRegion]
}

// fullness is the larger of the allocated shares of cpu and memory.
func fullness(info fwk.NodeInfo) float64 {
	used, most := info.GetRequested(), info.GetAllocatable()
	return max(fraction(used.GetMilliCPU(), most.GetMilliCPU()), fraction(used.GetMemory(), most.GetMemory()))
}

func fraction(used, most int64) float64 {
	if most <= 0 {
		return 0
	}
	return float64(used) / float64(most)
}

func flagsOf(node *v1.Node) views.NodeFlags {
	var flags views.NodeFlags
	if node.Spec.Unschedulable {
		flags |= views.Cordoned
	}
	for i := range node.Status.Conditions {
		switch c := &node.Status.Conditions[i]; c.Type {
		case v1.NodeReady:
			if c.Status != v1.ConditionTrue {
				flags |= views.NotReady
			}
		case v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure:
			if c.Status == v1.ConditionTrue {
				flags |= views.Pressed
			}
		}
	}
	return flags
}
