package collect

import (
	"strings"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views"
)

// recentNodes is how many of the nodes that changed last the overview shows at most.
const recentNodes = 32

func (c *Collector) snapshot(e *engine.Engine, query Query) *views.Snapshot {
	m := &c.nodes
	v := &views.Snapshot{Generation: e.Snapshot().Generation(), Nodes: len(m.known), Changed: len(e.Snapshot().Changed())}
	if query.Open == views.SnapshotPane {
		v.Reuse = reuseOf(e)
	}
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
	if query.Open == views.Overview {
		for _, name := range c.troubled.worst {
			if at, ok := m.positions[name]; ok {
				v.Troubled = append(v.Troubled, m.row(at))
			}
		}
		recent := m.newest(min(recentNodes, max(query.Rows/2-5, 8)))
		v.Recent = make([]views.NodeRow, len(recent))
		for i, at := range recent {
			v.Recent[i] = m.row(at)
		}
	}
	return v
}

func reuseOf(e *engine.Engine) *views.Reuse {
	stats := e.ReuseStats()
	if stats.Tables == 0 {
		return nil
	}
	return &views.Reuse{
		Share: fraction(int64(stats.Reused), int64(stats.Reused+stats.Computed)),
		Kinds: stats.Tables, Bytes: bytesText(int64(stats.Bytes)), Evicted: int(stats.Evicted),
	}
}

// row returns a node's row. Only its flags change while the node does not.
func (m *nodeCache) row(at int) views.NodeRow {
	k := &m.known[at]
	if !k.rowBuilt {
		k.row, k.rowBuilt = nodeRow(k.info), true
	}
	row := k.row
	row.Flags = m.flags(k)
	return row
}

func nodeRow(info fwk.NodeInfo) views.NodeRow {
	node, used, most := info.Node(), info.GetRequested(), info.GetAllocatable()
	row := views.NodeRow{
		Name: printable.Text(node.Name), Key: node.Name, Zone: printable.Text(zoneOf(node)), Generation: info.GetGeneration(),
		CPU:    views.Amount{Fraction: fraction(used.GetMilliCPU(), most.GetMilliCPU()), Used: cpuText(used.GetMilliCPU()), Most: cpuText(most.GetMilliCPU())},
		Memory: views.Amount{Fraction: fraction(used.GetMemory(), most.GetMemory()), Used: bytesText(used.GetMemory()), Most: bytesText(most.GetMemory())},
		Pods:   countAmount(int64(len(info.GetPods())), int64(most.GetAllowedPodNumber())),
		Taints: printable.Text(withoutDomain(taintsOf(node))),
		Affine: len(info.GetPodsWithAffinity()), Repelling: len(info.GetPodsWithRequiredAntiAffinity()),
		Claims: len(info.GetPVCRefCounts()), Images: len(node.Status.Images), PodCount: len(info.GetPods()), Labels: node.Labels,
	}
	for _, ports := range info.GetUsedPorts() {
		row.Ports += len(ports)
	}
	return row
}

func taintsOf(node *v1.Node) string {
	taints := make([]string, len(node.Spec.Taints))
	for i := range node.Spec.Taints {
		taints[i] = node.Spec.Taints[i].ToString()
	}
	return strings.Join(taints, ", ")
}

// withoutDomain removes the domain of Kubernetes' own taints from a text.
func withoutDomain(text string) string { return strings.ReplaceAll(text, "node.kubernetes.io/", "") }
