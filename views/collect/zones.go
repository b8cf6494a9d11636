package collect

import (
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views"
)

// tallRows is the height from which the overview shows more than the lanes.
const tallRows = 48

// zones are the nodes in search order as lanes, and the last search.
func (c *Collector) zones(e *engine.Engine, query Query) *views.Zones {
	m := &c.believed
	v := &views.Zones{Nodes: len(m.known), Start: e.StartIndex(), Taken: snapshotTime(e), Behind: c.behind.of(&c.nodes, m, e)}
	if len(m.known) == 0 {
		return v
	}
	start := &m.known[v.Start%len(m.known)]
	v.StartLane, v.StartPass = start.lane, start.pass
	search := lastSearch(e)
	if search != nil {
		v.Pod, v.Chosen, v.ChosenKey = podName(search.Pod), printable.Text(search.Node), search.Node
		v.Examined, v.Feasible, v.Rejected = search.Examined, search.Feasible, search.Examined-search.Feasible
	}
	resultOf := m.results(e, search)
	cells := make([]views.LaneCell, 0, len(m.known))
	for _, l := range m.lanes {
		v.Passes = max(v.Passes, len(l.at))
		from := len(cells)
		for _, at := range l.at {
			cells = append(cells, resultOf(at))
		}
		v.Lanes = append(v.Lanes, views.Lane{Zone: l.name, Nodes: len(l.at), Cells: cells[from:len(cells):len(cells)]})
	}
	v.WindowPass, v.WindowPasses = m.window(search, v)
	if query.Open == views.ZonesPane || query.Rows >= tallRows {
		m.countLanes(v.Lanes)
		v.Searches = m.searches(e, min(query.Rows, maxTransitions))
	}
	return v
}

// window returns the pass in which a search began, and in how many passes it examined nodes. A search that examined one
// node out of order, a nominated one, began there.
func (m *nodeTable) window(d *engine.Decision, v *views.Zones) (first, passes int) {
	if d == nil || d.Nodes != len(m.known) {
		return v.StartPass, 0
	}
	from, to := d.Start%d.Nodes, (d.Start+d.Examined-1)%d.Nodes
	if at, ok := m.positions[d.Node]; ok && d.Examined == 1 {
		from, to = at, at
	}
	first = m.known[from].pass
	if passes = m.known[to].pass - first + 1; to < from || passes <= 0 {
		passes += v.Passes
	}
	return first, min(max(passes, 1), v.Passes)
}

// countLanes counts the last search's results in every zone, and the zone's allocation.
func (m *nodeTable) countLanes(lanes []views.Lane) {
	for i := range lanes {
		level := 0
		for pass, at := range m.lanes[i].at {
			level += int(m.known[at].cell.Level)
			switch lanes[i].Cells[pass] {
			case views.Feasible, views.Chosen:
				lanes[i].Feasible++
			case views.Rejected:
				lanes[i].Rejected++
			}
		}
		lanes[i].Allocated = float64(level) / float64(255*max(len(m.lanes[i].at), 1))
	}
}

// searches are the latest searches, no more than rows.
func (m *nodeTable) searches(e *engine.Engine, rows int) []views.Search {
	list := make([]views.Search, 0, rows)
	seen := 0
	for d := range e.Decisions() {
		if seen++; seen > maxWalked || len(list) == rows {
			break
		}
		if d.Examined == 0 {
			continue
		}
		s := views.Search{At: d.At, Pod: podName(d.Pod), Start: d.Start, Examined: d.Examined, Feasible: d.Feasible, Nodes: d.Nodes, Place: -1}
		if d.Verdict == engine.Placed {
			s.Chosen = printable.Text(d.Node)
			if at, ok := m.positions[d.Node]; ok {
				s.Place = at
			}
		}
		list = append(list, s)
	}
	return list
}

// searchCells are the cells for the last search's result for a node.
var searchCells = [...]views.LaneCell{
	engine.NotVisited: views.NotVisited, engine.Feasible: views.Feasible, engine.Rejected: views.Rejected, engine.Chosen: views.Chosen,
}

// lastSearch is the latest decision that examined nodes.
func lastSearch(e *engine.Engine) *engine.Decision {
	seen := 0
	for d := range e.Decisions() {
		if d.Examined > 0 {
			return d
		}
		if seen++; seen > minTransitions {
			break
		}
	}
	return nil
}

// results returns what is known of the last search's result for the node at a position.
func (m *nodeTable) results(e *engine.Engine, search *engine.Decision) func(at int) views.LaneCell {
	_, found := e.LastSearch()
	return func(at int) views.LaneCell {
		if len(found) == len(m.known) {
			return searchCells[found[at]]
		}
		return m.resultAt(at, search)
	}
}

// resultAt is the result of an earlier search for a node. If it was the same for all examined nodes, each result is
// known; otherwise only that of the chosen node.
func (m *nodeTable) resultAt(i int, d *engine.Decision) views.LaneCell {
	n := len(m.known)
	switch {
	case d == nil || d.Nodes != n || (i-d.Start%n+n)%n >= d.Examined:
		return views.NotVisited
	case d.Verdict == engine.Placed && m.known[i].node.Name == d.Node:
		return views.Chosen
	case d.Feasible == d.Examined:
		return views.Feasible
	case d.Feasible == 0:
		return views.Rejected
	}
	return views.Visited
}
