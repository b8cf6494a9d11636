package collect

import (
	"cmp"
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/views"
	"orrery/views/filter"
)

// recentNodes is how many of the nodes that changed last the overview shows at most.
const recentNodes = 32

func (c *Collector) snapshot(e *engine.Engine, look Look) *views.Snapshot {
	m := &c.nodes
	v := &views.Snapshot{Generation: e.Snapshot().Generation(), Nodes: len(m.known), Changed: len(e.Snapshot().Changed())}
	for d := range e.Decisions() {
		v.Taken = d.At
		break
	}
	v.Drift, v.Compared = c.drift.of(e), true
	cells := make([]views.HeatCell, 0, len(m.known))
	v.Heat = make([]views.HeatZone, len(m.lanes))
	for z, l := range m.lanes {
		from := len(cells)
		for _, i := range l.at {
			k := &m.known[i]
			cells = append(cells, views.HeatCell{Level: k.cell.Level, Flags: m.flags(k)})
		}
		v.Heat[z] = views.HeatZone{Name: l.name, Cells: cells[from:len(cells):len(cells)]}
	}
	if look.Open == views.Overview {
		recent := m.newest(min(recentNodes, max(look.Rows/2-5, 8)))
		v.Recent = make([]views.NodeRow, len(recent))
		for i, at := range recent {
			v.Recent[i] = m.row(at)
		}
		return v
	}
	v.List = c.nodeList(look)
	return v
}

// nodeList is the rows of the nodes that are on the screen.
func (c *Collector) nodeList(look Look) views.List[views.NodeRow] {
	m := &c.nodes
	if look.plain() {
		first, end := look.window(len(m.known))
		rows := make([]views.NodeRow, end-first)
		for i := range rows {
			rows[i] = m.row(first + i)
		}
		return views.List[views.NodeRow]{First: first, Total: len(m.known), Rows: rows}
	}
	places, first, left := c.nodesLeft.rows(look, list[int]{
		stamp: uint64(m.last[len(m.last)-1]),
		all: func(into []int) []int {
			for i := range m.known {
				into = append(into, i)
			}
			return into
		},
		subject: func(s *filter.Subject, i *int) {
			k := &m.known[*i]
			s.Name, s.Labels = k.node.Name, k.node.Labels
			s.Words = [4]string{zoneOf(k.node), flagWords(k.cell.Flags)}
		},
		compare: m.order(look.Sort),
	})
	c.narrowed = left
	rows := make([]views.NodeRow, len(places))
	for i, at := range places {
		rows[i] = m.row(at)
	}
	return views.List[views.NodeRow]{First: first, Total: left.Matches, Rows: rows}
}

// order compares nodes by their places in the list.
func (m *nodeMemory) order(by string) func(a, b int) int {
	number := func(of func(info fwk.NodeInfo) float64) func(a, b int) int {
		return func(a, b int) int { return cmp.Or(cmp.Compare(of(m.known[b].info), of(m.known[a].info)), a-b) }
	}
	switch by {
	case "name":
		return func(a, b int) int { return cmp.Or(cmp.Compare(m.known[a].node.Name, m.known[b].node.Name), a-b) }
	case "zone":
		return func(a, b int) int { return cmp.Or(m.known[a].lane-m.known[b].lane, a-b) }
	case "generation":
		return func(a, b int) int { return cmp.Or(cmp.Compare(m.known[b].generation, m.known[a].generation), a-b) }
	case "cpu":
		return number(func(i fwk.NodeInfo) float64 {
			return fraction(i.GetRequested().GetMilliCPU(), i.GetAllocatable().GetMilliCPU())
		})
	case "memory":
		return number(func(i fwk.NodeInfo) float64 {
			return fraction(i.GetRequested().GetMemory(), i.GetAllocatable().GetMemory())
		})
	case "pods":
		return number(func(i fwk.NodeInfo) float64 { return float64(len(i.GetPods())) })
	}
	return func(a, b int) int { return a - b }
}

// flagWords are a node's flags as people look for them.
func flagWords(f views.NodeFlags) string {
	var words []string
	for _, w := range [...]struct {
		flag views.NodeFlags
		word string
	}{{views.Cordoned, "cordoned"}, {views.NotReady, "not ready"}, {views.Pressed, "pressure"}} {
		if f&w.flag != 0 {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, " ")
}

// row is what a node's row says; only its flags change while the node does not.
func (m *nodeMemory) row(at int) views.NodeRow {
	k := &m.known[at]
	if !k.written {
		k.row, k.written = nodeRow(k.info), true
	}
	row := k.row
	row.Flags = m.flags(k)
	return row
}

func nodeRow(info fwk.NodeInfo) views.NodeRow {
	node, used, most := info.Node(), info.GetRequested(), info.GetAllocatable()
	row := views.NodeRow{
		Name: printable.Text(node.Name), Key: node.Name, Zone: printable.Text(zoneOf(node)), Generation: info.GetGeneration(),
		CPU:    views.Amount{Fraction: fraction(used.GetMilliCPU(), most.GetMilliCPU()), Used: cores(used.GetMilliCPU()), Most: cores(most.GetMilliCPU())},
		Memory: views.Amount{Fraction: fraction(used.GetMemory(), most.GetMemory()), Used: binary(used.GetMemory()), Most: binary(most.GetMemory())},
		Pods:   whole(int64(len(info.GetPods())), int64(most.GetAllowedPodNumber())),
		Taints: printable.Text(withoutDomain(taintsOf(node))),
		Affine: len(info.GetPodsWithAffinity()), Repelling: len(info.GetPodsWithRequiredAntiAffinity()),
		Claims: len(info.GetPVCRefCounts()), Images: len(node.Status.Images),
	}
	for _, ports := range info.GetUsedPorts() {
		row.Ports += len(ports)
	}
	return row
}

func taintsOf(node *v1.Node) string {
	words := make([]string, len(node.Spec.Taints))
	for i := range node.Spec.Taints {
		words[i] = node.Spec.Taints[i].ToString()
	}
	return strings.Join(words, ", ")
}

// withoutDomain is a text in which Kubernetes' own taints are called by the rest of their names.
func withoutDomain(text string) string { return strings.ReplaceAll(text, "node.kubernetes.io/", "") }
