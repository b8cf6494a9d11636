package collect

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/views"
)

// nodeMemory keeps what a node looks like until its generation moves, and where it stands in the order.
type nodeMemory struct {
	engine *engine.Engine
	list   []fwk.NodeInfo // the snapshot's, as it was seen last: a new order is a new list
	known  []knownNode    // in the order of the list
	places map[string]int // by name
	lanes  []lane
	// last are the generations of the snapshots seen last, the newest last: a node beyond the last but one has just
	// changed, one beyond the first has changed not long ago.
	last [4]int64
}

type knownNode struct {
	info       fwk.NodeInfo
	node       *v1.Node
	generation int64
	cell       views.HeatCell
	lane       int
	round      int
	// row is what its row says, made when it is first shown.
	row     views.NodeRow
	written bool
}

// lane is a zone and the places of its nodes in the order.
type lane struct {
	key, name string
	at        []int
}

// refresh brings the memory up to the engine's snapshot. It costs what has changed since: the cache lists its nodes from
// the most recently changed on.
func (m *nodeMemory) refresh(e *engine.Engine) {
	list, _ := e.Snapshot().NodeInfos().List()
	g := e.Snapshot().Generation()
	if m.engine != e { // at first sight nothing has changed
		*m = nodeMemory{engine: e, last: [4]int64{g, g, g, g}}
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
	for info := range e.Cache().Recent() {
		if info.GetGeneration() <= seen {
			return
		}
		if node := info.Node(); node != nil {
			if at, ok := m.places[node.Name]; ok {
				m.known[at].see(list[at])
			}
		}
	}
}

// sameList tells whether two lists are one.
func sameList(a, b []fwk.NodeInfo) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// see takes a node's present state.
func (k *knownNode) see(info fwk.NodeInfo) {
	if k.info == info && k.generation == info.GetGeneration() && k.node == info.Node() {
		return
	}
	k.info, k.node, k.generation, k.written = info, info.Node(), info.GetGeneration(), false
	k.cell = views.HeatCell{Level: uint8(min(fullness(info), 1) * 255), Flags: flagsOf(k.node)}
}

// reorder follows nodes that came or went, or moved to another zone, and finds the lanes and the rounds anew.
func (m *nodeMemory) reorder(list []fwk.NodeInfo) {
	before, places := m.known, m.places
	m.list, m.known, m.places = list, make([]knownNode, len(list)), make(map[string]int, len(list))
	m.lanes = nil
	byKey := map[string]int{}
	for i, info := range list {
		name := info.Node().Name
		k := &m.known[i]
		if at, ok := places[name]; ok {
			*k = before[at]
		}
		k.see(info)
		m.places[name] = i
		key := topology.GetZoneKey(k.node)
		at, ok := byKey[key]
		if !ok {
			at = len(m.lanes)
			byKey[key] = at
			m.lanes = append(m.lanes, lane{key: key, name: printable.Text(zoneOf(k.node))})
		}
		l := &m.lanes[at]
		k.lane, k.round = at, len(l.at)
		l.at = append(l.at, i)
	}
}

// flags are a node's flags with those that tell how long ago it changed.
func (m *nodeMemory) flags(k *knownNode) views.NodeFlags {
	switch {
	case k.generation > m.last[len(m.last)-2]:
		return k.cell.Flags | views.Changed
	case k.generation > m.last[0]:
		return k.cell.Flags | views.Fading
	}
	return k.cell.Flags
}

// newest are the places of the n nodes that changed last, the latest first.
func (m *nodeMemory) newest(n int) []int {
	best := make([]int, 0, n)
	for info := range m.engine.Cache().Recent() {
		if node := info.Node(); node != nil {
			if at, ok := m.places[node.Name]; ok {
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

// zoneOf is a node's zone as people call it: the region goes without saying unless it is all there is.
func zoneOf(node *v1.Node) string {
	if zone := node.Labels[v1.LabelTopologyZone]; zone != "" {
		return zone
	}
	return node.Labels[v1.LabelTopologyRegion]
}

// fullness is the larger share of cpu and memory that is allocated.
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
