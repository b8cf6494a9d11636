package collect

import (
	"time"

	"orrery/core/evict"
	"orrery/core/scheduler/engine"
	"orrery/views"
)

// orrery is the picture of the cluster: of the nodes what the snapshot and the zones show of them, and of the queue, the
// evictions and the leader what their panes count.
func (c *Collector) orrery(e *engine.Engine, query Query) *views.Orrery {
	m := &c.nodes
	v := &views.Orrery{Order: m.order, Start: e.StartIndex(), Nominated: -1, Counts: c.queueCounts(e), Leader: c.leaderOf(e)}
	for _, l := range m.lanes {
		v.Zones = append(v.Zones, l.name)
	}
	search := lastSearch(e)
	m.bodies(e, v, search)
	if list := m.searches(e, 2); len(list) > 0 {
		v.Last = &list[0]
		if v.Since = maxSince; len(list) > 1 {
			v.Since = min(list[0].At.Sub(list[1].At), maxSince)
		}
		if at, ok := m.positions[search.Nominated]; ok {
			v.Nominated = at
		}
		if search.Preemption != nil {
			v.Victims = len(search.Preemption.Victims)
		}
	}
	if evictions := c.evictions(e, query); evictions != nil {
		v.Terminating = evictions.Counts[views.StateTerminating]
		v.RecentEvictions = c.recentEvictions(e.Now())
	}
	return v
}

// maxSince is the longest time between two searches that matters.
const maxSince = time.Second

// bodies fills in every node.
func (m *nodeCache) bodies(e *engine.Engine, v *views.Orrery, search *engine.Decision) {
	v.Bodies = make([]views.OrreryBody, len(m.known))
	_, found := e.LastSearch()
	least, most := m.capacities()
	for i := range m.known {
		k := &m.known[i]
		b := &v.Bodies[i]
		b.Level, b.Flags, b.Size = k.cell.Level, k.cell.Flags, sizeOf(k.capacity, least, most)
		if len(found) == len(m.known) {
			b.Result = searchCells[found[i]]
		} else {
			b.Result = m.resultAt(i, search)
		}
	}
}

// capacities are those of the smallest and the largest node.
func (m *nodeCache) capacities() (least, most capacity) {
	for i := range m.known {
		c := m.known[i].capacity
		if i == 0 {
			least = c
		}
		least = capacity{min(least.milliCPU, c.milliCPU), min(least.memory, c.memory)}
		most = capacity{max(most.milliCPU, c.milliCPU), max(most.memory, c.memory)}
	}
	return least, most
}

// capacity is how much of a node can be allocated.
type capacity struct{ milliCPU, memory int64 }

// sizeOf is a node's size: the mean of its shares of the most cpu and the most memory that a node has.
func sizeOf(c, least, most capacity) views.BodySize {
	if least == most {
		return views.Medium
	}
	switch share := (fraction(c.milliCPU, most.milliCPU) + fraction(c.memory, most.memory)) / 2; {
	case share <= 3./8:
		return views.Small
	case share <= 3./4:
		return views.Medium
	}
	return views.Large
}

// maxRecentEvictions bounds the evictions that are shown at once.
//
//orrery:limit screen; recent evictions that are drawn at once; the others are not
const maxRecentEvictions = 64

// recentEvictions are those that began lately, of those that the evictions pane lists.
func (c *Collector) recentEvictions(now time.Time) []views.RecentEviction {
	m := &c.evictionList
	var list []views.RecentEviction
	add := func(d *evict.Eviction) {
		at := departedAt(d)
		node, ok := c.nodes.positions[d.Node]
		if age := now.Sub(at); ok && age >= 0 && age < views.RecentEvictionTime && len(list) < maxRecentEvictions {
			list = append(list, views.RecentEviction{Node: node, At: at})
		}
	}
	for i := range m.open {
		if m.open[i].Phase == evict.Terminating {
			add(&m.open[i])
		}
	}
	for i := len(m.ended) - 1; i >= 0 && now.Sub(m.ended[i].Ended) < views.RecentEvictionTime; i-- {
		if m.ended[i].Phase == evict.Evicted {
			add(&m.ended[i])
		}
	}
	return list
}

// departedAt is when an eviction began: the decision that preempts the pod, or when the eviction was first seen.
func departedAt(d *evict.Eviction) time.Time {
	switch {
	case d.Cause == evict.Preemption && !d.FirstSeen.IsZero():
		return d.FirstSeen
	case !d.Prediction.ObservedAt.IsZero():
		return d.Prediction.ObservedAt
	}
	return d.Ended
}
