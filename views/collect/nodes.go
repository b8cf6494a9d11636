package collect

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views"
	"orrery/views/orbit"
)

// nodeCache keeps a node's cell and row until its generation changes, and its position in the snapshot's order.
type nodeCache struct {
	engine    *engine.Engine
	list      []fwk.NodeInfo // the snapshot's at the last refresh: a new order is a new list
	known     []cachedNode   // in the order of the list
	positions map[string]int // by name
	lanes     []lane
	order     orbit.Zones // the lane of each node
	// last are the generations of the last snapshots, the newest last: a node after the last but one has just changed,
	// one after the first changed recently.
	last [4]int64
}

type cachedNode struct {
	info       fwk.NodeInfo
	node       *v1.Node
	generation int64
	cell       views.HeatCell
	capacity   capacity
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

// refresh updates the cache to the engine's snapshot. It costs only the changes: the engine lists its nodes from the most
// recently changed on.
func (m *nodeCache) refresh(e *engine.Engine) {
	list, _ := e.Snapshot().NodeInfos().List()
	g := e.Snapshot().Generation()
	if m.engine != e { // with a new engine no node has just changed
		*m = nodeCache{engine: e, last: [4]int64{g, g, g, g}}
	}
	seen := m.last[len(m.last)-1]
	if g != seen {
		copy(m.last[:], m.last[1:])
		m.last[len(m.last)-1] = g
	}
	if !sameList(list, m.list) {
		m.reorder(list)
		return
	}
	if g == seen {
		return
	}
	for info := range e.Cache().RecentlyChanged() {
		if info.GetGeneration() <= seen {
			return
		}
		if node := info.Node(); node != nil {
			if at, ok := m.positions[node.Name]; ok {
				m.known[at].update(list[at])
			}
		}
	}
}

// sameList reports whether two lists are the same slice.
func sameList(a, b []fwk.NodeInfo) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// update reads a node's current state.
func (k *cachedNode) update(info fwk.NodeInfo) {
	if k.info == info && k.generation == info.GetGeneration() && k.node == info.Node() {
		return
	}
	k.info, k.node, k.generation, k.rowBuilt = info, info.Node(), info.GetGeneration(), false
	k.cell = views.HeatCell{Level: uint8(min(fullness(info), 1) * 255), Flags: flagsOf(k.node)}
	k.capacity = capacity{info.GetAllocatable().GetMilliCPU(), info.GetAllocatable().GetMemory()}
}

// reorder rebuilds positions, lanes and passes after nodes were added, removed or moved to another zone.
func (m *nodeCache) reorder(list []fwk.NodeInfo) {
	before, positions := m.known, m.positions
	m.list, m.known, m.positions = list, make([]cachedNode, len(list)), make(map[string]int, len(list))
	m.lanes, m.order = nil, orbit.Zones{Of: make([]int32, len(list))}
	byKey := map[string]int{}
	for i, info := range list {
		name := info.Node().Name
		k := &m.known[i]
		if at, ok := positions[name]; ok {
			*k = before[at]
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
		k.lane, k.pass, m.order.Of[i] = at, len(l.at), int32(at)
		l.at = append(l.at, i)
	}
	m.order.Count = len(m.lanes)
}

// flags are a node's flags, including whether it changed recently.
func (m *nodeCache) flags(k *cachedNode) views.NodeFlags {
	switch {
	case k.generation > m.last[len(m.last)-2]:
		return k.cell.Flags | views.Changed
	case k.generation > m.last[0]:
		return k.cell.Flags | views.Fading
	}
	return k.cell.Flags
}

// newest are the positions of the n nodes that changed last, the latest first.
func (m *nodeCache) newest(n int) []int {
	best := make([]int, 0, n)
	for info := range m.engine.Cache().RecentlyChanged() {
		if node := info.Node(); node != nil {
			if at, ok := m.positions[node.Name]; ok {
				best = append(best, at)
			}
		}
		if len(best) == n {
			break
		}
	}
	slices.SortStableFunc(best, func(a, b int) int { return int(m.known[b].generation - m.known[a].generation) })
	return best
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
