package framework

import (
	"context"
	"iter"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// Search filters nodes from a start on, until so many and one more are feasible, as calls of RunFilterPlugins for one node after the
// other would. For the nodes with nominated pods it calls RunFilterPluginsWithNominatedPods. An error of a plugin ends it; Found are
// the nodes before that.
func (c *Reuse) Search(ctx context.Context, start, wanted int, nominated reuse.Bitmap) error {
	c.ctx, c.nominated = ctx, nominated
	c.found.Begin(c.table, calls{c}, start, wanted)
	c.rejectByAmounts()
	for i := range c.classed {
		v := &c.classed[i]
		c.found.Reject(v.position, v.Classes, v)
	}
	c.found.EvaluateAlone(nominated, len(c.called) > 0)
	err := c.found.Search()
	c.found.CountStops(c.stops)
	c.countFilters()
	return err
}

// calls are the calls of plugins that a search makes.
type calls struct{ c *Reuse }

func (to calls) Evaluate(position int, cell *reuse.Cell) bool { return to.c.filter(position, cell) }
func (to calls) Rate(position int, cell *reuse.Cell) bool     { return to.c.score(position, cell) }

func (to calls) EvaluateAlone(position int) (feasible bool, err error) {
	status := to.c.filterAlone(position)
	if !status.IsSuccess() && !status.IsRejected() {
		return false, status.AsError()
	}
	to.c.alone = append(to.c.alone, status)
	return status.IsSuccess(), nil
}

// filterAlone filters one node.
func (c *Reuse) filterAlone(position int) *fwk.Status {
	ctx, node := c.ctx, c.nodes[position]
	if c.nominated != nil && c.nominated.Has(position) {
		return c.profile.RunFilterPluginsWithNominatedPods(ctx, c.state, c.pod, node)
	}
	if !c.table.Knows(c.places[position]) && !c.filter(position, c.table.CellAt(position)) {
		return c.profile.RunFilterPlugins(ctx, c.state, c.pod, node)
	}
	rejection, stop := c.rejection(position)
	for i, s := range c.called {
		if s.position > stop {
			break
		}
		if status := c.profile.filterBy(ctx, c.state, c.pod, node, c.called[i:i+1], nil, false); status != nil {
			c.stops[s.position]++
			return status
		}
	}
	c.stops[stop]++
	return rejection
}

// rejection is the first rejection of a node by plugins that are not called, and its position; behind all if there is none.
func (c *Reuse) rejection(position int) (rejection *fwk.Status, stop int) {
	cell := c.table.CellAt(position)
	rejection, stop = cell.Status, int(cell.Stop)
	if len(c.amounts) > 0 {
		if v := c.evaluateAmounts(c.profile.reuser.amounts.Of(position)); v.position < stop {
			rejection, stop = v.rejection, v.position
		}
	}
	for i := range c.classed {
		v := &c.classed[i]
		if verdict := v.Verdicts[v.Classes.Of(position)]; verdict != 0 && v.position < stop {
			rejection, stop = withPlugin(v.Rejections[verdict-1], v.Plugin), v.position
		}
	}
	return rejection, stop
}

// Rejections are the nodes that the search rejected, in its order.
func (c *Reuse) Rejections() iter.Seq2[fwk.NodeInfo, *fwk.Status] {
	return func(yield func(fwk.NodeInfo, *fwk.Status) bool) {
		alone := c.alone
		for position, feasible := range c.found.Visits() {
			var status *fwk.Status
			switch {
			case c.found.Alone(position):
				status, alone = alone[0], alone[1:]
			case !feasible:
				status, _ = c.rejection(position)
			}
			if !feasible && !yield(c.nodes[position], status) {
				return
			}
		}
	}
}

// countFilters counts the verdicts as calls of the plugins that they are of.
func (c *Reuse) countFilters() {
	after := 0 // verdicts that ended at a position or after it
	for at := len(c.stops) - 1; at >= 0; at-- {
		after += c.stops[at]
		c.stops[at] = after
	}
	for _, s := range c.kept {
		c.countCalls(s)
	}
	for i := range c.amounts {
		c.countCalls(c.amounts[i].entry)
	}
	for i := range c.classed {
		c.countCalls(c.classed[i].entry)
	}
	c.reused += max(0, after-c.computed)
	c.count()
}

func (c *Reuse) countCalls(s *entry[fwk.FilterPlugin]) {
	s.Calls += uint64(c.stops[s.position])
	s.Rejections += uint64(c.stops[s.position] - c.stops[s.position+1])
}
