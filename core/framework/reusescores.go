package framework

import (
	"context"
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/reuse"
)

// scorers are the Score plugins of one cycle that are not skipped, by how their scores are reused.
type scorers struct {
	summed []*entry[fwk.ScorePlugin] // their raw scores are their scores
	scaled []*entry[fwk.ScorePlugin]
	others []*entry[fwk.ScorePlugin] // called for every node

	byAmounts []amountsScore // if the table is for pods of any requests
}

// Totals are the totals of RunScorePlugins, without the scores that they are made of, in the order of the nodes. It returns false
// if the scores have to be computed in full: a plugin failed, or gave a score that is none. The list belongs to the profile, which
// overwrites it in its next cycle.
func (c *Reuse) Totals(ctx context.Context, nodes []fwk.NodeInfo, places []reuse.Place) ([]int64, *fwk.Status, bool) {
	w := c.profile.instrument(Score, c.state)
	if !c.sortScorers() {
		return nil, nil, false
	}
	if !c.sums(ctx, nodes, places) {
		return nil, nil, false
	}
	for _, s := range c.scorers.scaled {
		if !c.addScaled(s, places) {
			return nil, nil, false
		}
	}
	if !c.addByAmounts(places) {
		return nil, nil, false
	}
	if c.addBulk(places); len(c.scorers.others) > 0 {
		if err := c.addOthers(ctx, w, nodes); err != nil {
			w.done(fwk.Error)
			return nil, fwk.AsStatus(err), true
		}
	}
	c.scored(len(nodes))
	w.done(fwk.Success)
	return c.totals, nil, true
}

// sums begins the totals with the sums of scores that are kept. It returns false if one is not for reuse.
func (c *Reuse) sums(ctx context.Context, nodes []fwk.NodeInfo, places []reuse.Place) bool {
	c.totals = slices.Grow(c.totals[:0], len(places))[:len(places)]
	before := c.computed
	for i := range places {
		cell := c.table.Cell(places[i].Number)
		if !cell.HasScores(places[i].Generation, c.numNodes) && !c.score(ctx, nodes[i], cell, places[i]) {
			return false
		}
		c.totals[i] = cell.Sum
	}
	c.reused += len(places) - (c.computed - before)
	return true
}

// sortScorers returns false if scores that depend on the pod's requests are not known by amounts.
func (c *Reuse) sortScorers() bool {
	by := &c.scorers
	by.summed, by.scaled, by.others, by.byAmounts = by.summed[:0], by.scaled[:0], by.others[:0], by.byAmounts[:0]
	for _, s := range c.profile.points.score {
		switch {
		case c.state.skipScore.has(s.Plugin):
		case !c.isLocal(s.local):
			by.others = append(by.others, s)
		case len(c.byAmounts) > 0 && usesAmounts(s.plugin):
			if !c.takeAmountsScore(s) {
				return false
			}
		case s.column >= 0:
			by.scaled = append(by.scaled, s)
		case s.plugin.ScoreExtensions() == nil:
			by.summed = append(by.summed, s)
		default:
			by.others = append(by.others, s)
		}
	}
	return true
}

// score computes a node's scores. It returns false if one is not for reuse.
func (c *Reuse) score(ctx context.Context, node fwk.NodeInfo, cell *reuse.Cell, at reuse.Place) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	cell.Scored, cell.Sum, cell.Nodes = 0, 0, 0
	for _, s := range c.scorers.summed {
		score, status := s.plugin.Score(ctx, c.state, c.pod, node)
		if !status.IsSuccess() || score > fwk.MaxNodeScore || score < fwk.MinNodeScore {
			return false
		}
		cell.Sum += score * s.weight
	}
	for _, s := range c.scorers.scaled {
		score, status := s.plugin.Score(ctx, c.state, c.pod, node)
		if !status.IsSuccess() || score < 0 {
			return false
		}
		c.table.Scaled[s.column][at.Number] = score
	}
	if c.scoreCountsNodes(node) {
		cell.Nodes = int32(c.numNodes)
	}
	cell.Scored = at.Generation
	c.computed++
	return true
}

// scoreCountsNodes reports whether a plugin's score of a node follows from the number of nodes, too.
func (c *Reuse) scoreCountsNodes(node fwk.NodeInfo) bool {
	for _, list := range [...][]*entry[fwk.ScorePlugin]{c.scorers.summed, c.scorers.scaled} {
		for _, s := range list {
			if s.counts != nil && s.counts.ScoreCountsNodes(c.pod, node) {
				return true
			}
		}
	}
	return false
}

// addScaled adds a plugin's scores, scaled as [ScaleScores] does. It returns false if they are no scores then.
func (c *Reuse) addScaled(s *entry[fwk.ScorePlugin], places []reuse.Place) bool {
	column, reversed := c.table.Scaled[s.column], s.plugin.(ScaledScore).Reversed()
	var most int64
	for i := range places {
		most = max(most, column[places[i].Number])
	}
	if most == 0 {
		if reversed {
			addToAll(c.totals, fwk.MaxNodeScore*s.weight)
		}
		return true
	}
	for i := range places {
		score := fwk.MaxNodeScore * column[places[i].Number] / most
		if score < 0 || score > fwk.MaxNodeScore {
			return false // the product was more than an int64
		}
		if reversed {
			score = fwk.MaxNodeScore - score
		}
		c.totals[i] += score * s.weight
	}
	return true
}

func addToAll(totals []int64, more int64) {
	for i := range totals {
		totals[i] += more
	}
}

// addOthers adds the scores of the plugins that are called for every node.
func (c *Reuse) addOthers(ctx context.Context, w instrument, nodes []fwk.NodeInfo) error {
	p := c.profile
	table := p.scoreTable
	p.scoreTable = scoreTable{}
	table.resize(c.scorers.others, c.state, nodes)
	run := scoreRun{scoreTable: &table, watch: &w, state: c.state, pod: c.pod, nodes: nodes}
	scores, err := run.all(ctx)
	p.scoreTable = table
	for i := range scores {
		c.totals[i] += scores[i].TotalScore
	}
	return err
}

// scored counts the scores as calls of the plugins that they are of.
func (c *Reuse) scored(nodes int) {
	for _, s := range c.scorers.byAmounts {
		s.Calls += uint64(nodes)
	}
	for _, list := range [...][]*entry[fwk.ScorePlugin]{c.scorers.summed, c.scorers.scaled} {
		for _, s := range list {
			s.Calls += uint64(nodes)
		}
	}
	c.count()
}
