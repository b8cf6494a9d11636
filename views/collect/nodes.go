package collect

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/node/topology"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/views"
)

// nodeMemory keeps what a node looks like until its generation moves, and where it stands in the order.
type nodeMemory struct {
	known []knownNode // in the order of the snapshot
	lanes []lane
	// last are the generations of the snapshots seen last, the newest last: a node beyond the last but one has just
	// changed, one beyond the first has changed not long ago.
	last [4]int64
}

type knownNode struct {
	node       *v1.Node
	generation int64
	cell       views.HeatCell
	lane       int
	round      int
}

// lane is a zone and the places of its nodes in the order.
type lane struct {
	key, name string
	at        []int
}

// refresh brings the memory up to the engine's snapshot: a comparison for every node, and work for those that changed.
func (m *nodeMemory) refresh(e *engine.Engine) {
	list, _ := e.Snapshot().NodeInfos().List()
	g := e.Snapshot().Generation()
	if m.known == nil { // at first sight nothing has changed
		m.last = [4]int64{g, g, g, g}
	}
	if g != m.last[len(m.last)-1] {
		copy(m.last[:], m.last[1:])
		m.last[len(m.last)-1] = g
	}
	moved := len(list) != len(m.known)
	if moved {
		m.known = make([]knownNode, len(list))
	}
	for i, info := range list {
		k := &m.known[i]
		if k.node == info.Node() && k.generation == info.GetGeneration() {
			continue
		}
		if k.node == nil || zoneOf(k.node) != zoneOf(info.Node()) || k.node.Name != info.Node().Name {
			moved = true
		}
		k.node, k.generation = info.Node(), info.GetGeneration()
		k.cell = views.HeatCell{Level: uint8(min(fullness(info), 1) * 255), Flags: flagsOf(k.node)}
	}
	if moved {
		m.order()
	}
}

// order finds the lanes and the rounds anew.
func (m *nodeMemory) order() {
	m.lanes = nil
	byKey := map[string]int{}
	for i := range m.known {
		key := topology.GetZoneKey(m.known[i].node)
		at, ok := byKey[key]
		if !ok {
			at = len(m.lanes)
			byKey[key] = at
			m.lanes = append(m.lanes, lane{key: key, name: printable.Text(zoneOf(m.known[i].node))})
		}
		l := &m.lanes[at]
		m.known[i].lane, m.known[i].round = at, len(l.at)
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

func (c *Collector) snapshot(e *engine.Engine, look Look) *views.Snapshot {
	list, _ := e.Snapshot().NodeInfos().List()
	m := &c.nodes
	v := &views.Snapshot{Generation: e.Snapshot().Generation(), Nodes: len(list), Changed: len(e.Snapshot().Changed())}
	for d := range e.Decisions() {
		v.Taken = d.At
		break
	}
	for _, l := range m.lanes {
		zone := views.HeatZone{Name: l.name, Cells: make([]views.HeatCell, len(l.at))}
		for j, i := range l.at {
			zone.Cells[j] = views.HeatCell{Level: m.known[i].cell.Level, Flags: m.flags(&m.known[i])}
		}
		v.Heat = append(v.Heat, zone)
	}
	if look.Open == views.Overview {
		for _, i := range m.newest(trail) {
			v.Recent = append(v.Recent, c.nodeRow(list[i], i))
		}
		return v
	}
	first, end := look.window(len(list))
	v.List = views.List[views.NodeRow]{First: first, Total: len(list)}
	for i := first; i < end; i++ {
		v.List.Rows = append(v.List.Rows, c.nodeRow(list[i], i))
	}
	return v
}

// newest are the places of the n nodes that changed last, the latest first.
func (m *nodeMemory) newest(n int) []int {
	var best []int
	for i := range m.known {
		g := m.known[i].generation
		if len(best) == n && g <= m.known[best[n-1]].generation {
			continue
		}
		at := len(best)
		for at > 0 && m.known[best[at-1]].generation < g {
			at--
		}
		best = slices.Insert(best, at, i)
		best = best[:min(len(best), n)]
	}
	return best
}

func (c *Collector) nodeRow(info fwk.NodeInfo, i int) views.NodeRow {
	node, used, most := info.Node(), info.GetRequested(), info.GetAllocatable()
	return views.NodeRow{
		Name: printable.Text(node.Name), Zone: printable.Text(zoneOf(node)), Generation: info.GetGeneration(),
		Flags:  c.nodes.flags(&c.nodes.known[i]),
		CPU:    views.Amount{Fraction: fraction(used.GetMilliCPU(), most.GetMilliCPU()), Used: cores(used.GetMilliCPU()), Most: cores(most.GetMilliCPU())},
		Memory: views.Amount{Fraction: fraction(used.GetMemory(), most.GetMemory()), Used: binary(used.GetMemory()), Most: binary(most.GetMemory())},
		Pods:   whole(int64(len(info.GetPods())), int64(most.GetAllowedPodNumber())),
		Taints: printable.Text(taintsOf(node)),
	}
}

func taintsOf(node *v1.Node) string {
	words := make([]string, len(node.Spec.Taints))
	for i := range node.Spec.Taints {
		words[i] = node.Spec.Taints[i].ToString()
	}
	return strings.Join(words, ", ")
}
