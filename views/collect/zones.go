package collect

import (
	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/views"
)

// tall is from how many rows on the overview has room for more than the lanes.
const tall = 48

// zones is the order of the nodes as lanes, and the last search on it.
func (c *Collector) zones(e *engine.Engine, look Look) *views.Zones {
	m := &c.nodes
	v := &views.Zones{Nodes: len(m.known), Start: e.StartIndex()}
	if len(m.known) == 0 {
		return v
	}
	hand := &m.known[v.Start%len(m.known)]
	for _, l := range m.lanes {
		v.Rounds = max(v.Rounds, len(l.at))
	}
	columns := max(look.Columns, 80)
	v.FirstRound = min(max(hand.round-columns/2, 0), max(v.Rounds-columns, 0))
	v.HandLane, v.HandCol = hand.lane, hand.round-v.FirstRound
	search := lastSearch(e)
	if search != nil {
		v.Pod, v.Chosen, v.ChosenKey = podName(search.Pod), printable.Text(search.Node), search.Node
		v.Examined, v.Feasible, v.Rejected = search.Examined, search.Feasible, search.Examined-search.Feasible
	}
	_, found := e.LastSearch()
	cells := make([]views.LaneCell, 0, len(m.lanes)*min(columns, v.Rounds))
	for _, l := range m.lanes {
		from := len(cells)
		for round := v.FirstRound; round < min(v.FirstRound+columns, v.Rounds); round++ {
			cell := views.NoNode
			switch {
			case round >= len(l.at):
			case len(found) == len(m.known):
				cell = foundCells[found[l.at[round]]]
			default:
				cell = m.found(l.at[round], search)
			}
			cells = append(cells, cell)
		}
		v.Lanes = append(v.Lanes, views.Lane{Zone: l.name, Nodes: len(l.at), Cells: cells[from:len(cells):len(cells)]})
	}
	if look.Open == views.ZonesPane || look.Rows >= tall {
		m.tallyLanes(v.Lanes, found, search)
		v.Searches = m.searches(e, min(look.Rows, longTrail))
	}
	return v
}

// tallyLanes counts what the last search made of every zone, and how full the zones are.
func (m *nodeMemory) tallyLanes(lanes []views.Lane, found []engine.Found, search *engine.Decision) {
	for i := range lanes {
		level := 0
		for _, at := range m.lanes[i].at {
			level += int(m.known[at].cell.Level)
			cell := views.NotLookedAt
			if len(found) == len(m.known) {
				cell = foundCells[found[at]]
			} else {
				cell = m.found(at, search)
			}
			switch cell {
			case views.Feasible, views.ChosenOne:
				lanes[i].Feasible++
			case views.Rejected:
				lanes[i].Rejected++
			}
		}
		lanes[i].Allocated = float64(level) / float64(255*max(len(m.lanes[i].at), 1))
	}
}

// searches are the latest searches, no more than rows.
func (m *nodeMemory) searches(e *engine.Engine, rows int) []views.Search {
	list := make([]views.Search, 0, rows)
	seen := 0
	for d := range e.Decisions() {
		if seen++; seen > walked || len(list) == rows {
			break
		}
		if d.Examined == 0 {
			continue
		}
		s := views.Search{At: d.At, Pod: podName(d.Pod), Start: d.Start, Examined: d.Examined, Feasible: d.Feasible, Nodes: d.Nodes, Place: -1}
		if d.Verdict == engine.Placed {
			s.Chosen = printable.Text(d.Node)
			if at, ok := m.places[d.Node]; ok {
				s.Place = at
			}
		}
		list = append(list, s)
	}
	return list
}

// foundCells show what the last decision's search made of a node.
var foundCells = [...]views.LaneCell{
	engine.Passed: views.NotLookedAt, engine.Feasible: views.Feasible, engine.Rejected: views.Rejected, engine.Chosen: views.ChosenOne,
}

// lastSearch is the latest decision for which nodes were looked at.
func lastSearch(e *engine.Engine) *engine.Decision {
	seen := 0
	for d := range e.Decisions() {
		if d.Examined > 0 {
			return d
		}
		if seen++; seen > trail {
			break
		}
	}
	return nil
}

// found is what an earlier search made of the node at a place in the order. Where it ended the same for all that were looked at,
// each one's verdict is known; otherwise only that of the one chosen.
func (m *nodeMemory) found(i int, d *engine.Decision) views.LaneCell {
	n := len(m.known)
	switch {
	case d == nil || d.Nodes != n || (i-d.Start%n+n)%n >= d.Examined:
		return views.NotLookedAt
	case d.Verdict == engine.Placed && m.known[i].node.Name == d.Node:
		return views.ChosenOne
	case d.Feasible == d.Examined:
		return views.Feasible
	case d.Feasible == 0:
		return views.Rejected
	}
	return views.LookedAt
}
