package collect

import (
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views"
)

// recentNodes is how many of the nodes that changed last the overview shows at most.
const recentNodes = 32

func (c *Collector) snapshot(e *engine.Engine, query Query) *views.Snapshot {
	m := &c.believed
	v := &views.Snapshot{Generation: e.Snapshot().Generation(), Nodes: len(m.known), Changed: len(e.Snapshot().Changed())}
	if query.Open == views.SnapshotPane {
		v.Reuse = reuseOf(e)
	}
	v.Taken = snapshotTime(e)
	v.Behind = c.behind.of(&c.nodes, m, e)
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
	v.Capacity = c.capacity.of(&c.nodes)
	if query.Open == views.Overview {
		for _, name := range c.troubled.worst {
			if at, ok := c.nodes.positions[name]; ok {
				v.Troubled = append(v.Troubled, c.nodes.row(at))
			}
		}
		recent := c.nodes.newest(e, min(recentNodes, max(query.Rows/2-5, 8)))
		v.Recent = make([]views.NodeRow, len(recent))
		for i, at := range recent {
			v.Recent[i] = c.nodes.row(at)
		}
	}
	return v
}

// snapshotTime is when the snapshot was refreshed last: by the latest decision that had one.
func snapshotTime(e *engine.Engine) time.Time {
	seen := 0
	for d := range e.Decisions() {
		if d.Generation == e.Snapshot().Generation() {
			return d.At
		}
		if seen++; seen > maxWalked {
			break
		}
	}
	return time.Time{}
}

// behindCache keeps by how many nodes the snapshot is behind, until one of the two changes.
type behindCache struct {
	present, believed int64 // their generations
	nodes             int
}

// of counts the nodes that changed, came or left since the snapshot.
func (b *behindCache) of(present, believed *nodeTable, e *engine.Engine) int {
	is, was := present.from.generation(), believed.from.generation()
	if b.present == is && b.believed == was {
		return b.nodes
	}
	*b = behindCache{present: is, believed: was}
	for info := range e.Cache().RecentlyChanged() {
		if info.GetGeneration() <= was {
			break
		}
		if info.Node() != nil {
			b.nodes++
		}
	}
	if present.version != believed.version {
		for i := range believed.known {
			if _, still := present.positions[believed.known[i].node.Name]; !still {
				b.nodes++
			}
		}
	}
	return b.nodes
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
func (m *nodeTable) row(at int) views.NodeRow {
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
