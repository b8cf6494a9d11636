package collect

import (
	"time"

	"orrery/core/evict"
	"orrery/core/scheduler/engine"
	"orrery/views"
)

// orrery is the picture of the cluster: the nodes as they are now with the last search's results, and of the queue, the evictions
// and the leader what their panes count.
func (c *Collector) orrery(e *engine.Engine, query Query) *views.Orrery {
	m := &c.nodes
	v := &views.Orrery{Order: m.order, Start: c.presentStart(e), Nominated: -1, Counts: c.queueCounts(e), Leader: c.leaderOf(e)}
	for _, l := range m.lanes {
		v.Zones = append(v.Zones, l.name)
	}
	search := lastSearch(e)
	m.bodies(v)
	resultOf := c.believed.results(e, search)
	for at := range c.believed.known {
		if i, ok := m.positions[c.believed.known[at].node.Name]; ok {
			v.Bodies[i].Result = resultOf(at)
		}
	}
	if list := m.searches(e, 2); len(list) > 0 {
		v.Last = &list[0]
		if v.Since = maxSince; len(list) > 1 {
			v.Since = min(list[0].At.Sub(list[1].At), maxSince)
		}
		if m.version != c.believed.version {
			v.Since = 0 // the search went over other nodes, so the picture shows only its end
		}
		if at, ok := m.positions[search.Nominated]; ok {
			v.Nominated = at
		}
		if search.Preemption != nil {
			v.Victims = len(search.Preemption.Victims)
		}
	}
	if feed := c.feed.of(e, query.Namespace); len(feed) > 0 {
		v.Decided = &feed[0]
	}
	v.Named = m.named(v)
	v.Returning = c.returning(e)
	if evictions := c.evictions(e, query); evictions != nil {
		v.Terminating = evictions.Counts[views.StateTerminating]
		v.RecentEvictions = c.recentEvictions(e.Now())
		v.Leaving = c.leaving(e, query.Namespace)
		c.countLeaving(v)
	}
	if m.areBodies(query) {
		v.ByZone = m.zoneBodies(v)
		v.Named = nil // the zones say how many are in trouble
	}
	if query.WhatIf != nil && !query.WhatIf.Moments {
		v.WhatIf, v.Flights = query.WhatIf, m.flights(query.WhatIf)
	}
	return v
}

// maxSince is the longest time between two searches that matters.
const maxSince = time.Second

// presentStart is the position of the node at which the next search begins. If that node is gone, it is that of the first one
// after it that is still there.
func (c *Collector) presentStart(e *engine.Engine) int {
	was := c.believed.known
	if len(was) == 0 || c.nodes.version == c.believed.version {
		return e.StartIndex()
	}
	for i := range was {
		if at, ok := c.nodes.positions[was[(e.StartIndex()+i)%len(was)].node.Name]; ok {
			return at
		}
	}
	return 0
}

// bodies fills in every node, without results.
func (m *nodeTable) bodies(v *views.Orrery) {
	v.Bodies = make([]views.OrreryBody, len(m.known))
	least, most := m.capacities()
	for i := range m.known {
		k := &m.known[i]
		b := &v.Bodies[i]
		b.Level, b.Flags, b.Size, b.Result = k.cell.Level, k.cell.Flags, sizeOf(k.capacity, least, most), views.NotVisited
		b.Pods = len(k.info.GetPods())
	}
}

// capacities are those of the smallest and the largest node.
func (m *nodeTable) capacities() (least, most nodeCapacity) {
	for i := range m.known {
		c := m.known[i].capacity
		if i == 0 {
			least = c
		}
		least = nodeCapacity{min(least.milliCPU, c.milliCPU), min(least.memory, c.memory)}
		most = nodeCapacity{max(most.milliCPU, c.milliCPU), max(most.memory, c.memory)}
	}
	return least, most
}

// nodeCapacity is how much of a node can be allocated.
type nodeCapacity struct{ milliCPU, memory int64 }

// sizeOf is a node's size: the mean of its shares of the most cpu and the most memory that a node has.
func sizeOf(c, least, most nodeCapacity) views.BodySize {
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
