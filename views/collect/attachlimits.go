package collect

import (
	"cmp"
	"slices"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/plugins/nodevolumelimits"
	"orrery/core/scheduler/queue"
	"orrery/views"
)

// limitCache keeps how many volumes of each driver the nodes have, until a node or one of its volumes changes.
type limitCache struct {
	nodes map[string]measuredNode
	// dirty are the nodes whose volumes have changed.
	dirty map[string]struct{}
	// rows are the fullest of total limits.
	rows  []views.AttachLimit
	total int
}

type measuredNode struct {
	generation int64
	limits     []views.AttachLimit
}

func (c *limitCache) changed(node string) {
	if c.dirty == nil {
		c.dirty = map[string]struct{}{}
	}
	c.dirty[node] = struct{}{}
}

// measureNodes measures the nodes that have changed, but no more than one frame has time for, and reports whether these were
// all.
func (x *storageIndex) measureNodes(nodes *nodeTable, meter *nodevolumelimits.Meter) (all bool) {
	c := &x.limits
	if c.nodes == nil {
		c.nodes = map[string]measuredNode{}
	}
	changed, left := false, maxRead
	for i := range nodes.known {
		k := &nodes.known[i]
		was, known := c.nodes[k.node.Name]
		if _, again := c.dirty[k.node.Name]; known && was.generation == k.generation && !again {
			continue
		}
		if left <= 0 {
			break
		}
		left -= 1 + len(k.info.GetPods())
		delete(c.dirty, k.node.Name)
		is := measuredNode{generation: k.generation}
		for _, n := range meter.On(k.info, x.onNode[k.node.Name]) {
			is.limits = append(is.limits, views.AttachLimit{Node: k.node.Name, Driver: n.Driver, Attached: n.Attached, Limit: n.Limit})
		}
		if !slices.Equal(was.limits, is.limits) {
			changed = true
		}
		c.nodes[k.node.Name] = is
	}
	if changed || len(c.nodes) > len(nodes.known) { // then some are gone
		c.sort(nodes)
	}
	return left > 0
}

// sort makes the rows of the fullest nodes, and forgets nodes that are gone.
func (c *limitCache) sort(nodes *nodeTable) {
	var all []views.AttachLimit
	for i := range nodes.known {
		all = append(all, c.nodes[nodes.known[i].node.Name].limits...)
	}
	for name := range c.nodes {
		if _, known := nodes.positions[name]; !known {
			delete(c.nodes, name)
			delete(c.dirty, name)
		}
	}
	left := func(l *views.AttachLimit) float64 { return 1 - fraction(l.Attached, l.Limit) }
	queue.SortWindow(all, 0, maxBars, func(a, b views.AttachLimit) int {
		return cmp.Or(cmp.Compare(left(&a), left(&b)), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Driver, b.Driver))
	})
	c.total, c.rows = len(all), slices.Clone(all[:min(len(all), maxBars)])
	for i := range c.rows {
		c.rows[i].Node, c.rows[i].Driver = printable.Text(c.rows[i].Node), printable.Text(c.rows[i].Driver)
	}
}
