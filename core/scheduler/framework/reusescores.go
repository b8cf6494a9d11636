package framework

import (
	"slices"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// scorers are the Score plugins of one cycle that are not skipped, by how their scores are reused, and the parts of the totals that
// they give to classes of nodes.
type scorers struct {
	summed    []*entry[fwk.ScorePlugin] // their raw scores are their scores
	scaled    []*entry[fwk.ScorePlugin]
	byAmounts []amountsScore // if the table is for pods of any requests
	classed   []*entry[fwk.ScorePlugin]
	called    []*entry[fwk.ScorePlugin] // called for every node

	parts   []reuse.Scores
	present [][]int32 // of the parts
	rooms   [][]int64 // for the scores of the parts
	totals  []int64
}

func (by *scorers) begin() {
	by.summed, by.scaled, by.called, by.byAmounts = by.summed[:0], by.scaled[:0], by.called[:0], by.byAmounts[:0]
	by.classed, by.parts = by.classed[:0], by.parts[:0]
}

// room is memory for the scores of one more part, all zero.
func (by *scorers) room(classes *reuse.Classes) []int64 {
	at := len(by.parts)
	if at == len(by.rooms) {
		by.rooms, by.present = append(by.rooms, nil), append(by.present, nil)
	}
	by.rooms[at] = slices.Grow(by.rooms[at][:0], classes.Len())[:classes.Len()]
	clear(by.rooms[at])
	return by.rooms[at]
}

// addPart adds a part with the scores of some classes, which are zero.
func (by *scorers) addPart(found *reuse.Found, classes *reuse.Classes) *reuse.Scores {
	score, at := by.room(classes), len(by.parts)
	by.present[at] = found.Present(classes, by.present[at][:0])
	by.parts = append(by.parts, reuse.Scores{Classes: classes, Present: by.present[at], Score: score})
	return &by.parts[at]
}

// Best finds the best total of the feasible nodes without a look at each. It returns false if the totals have to be computed one by
// one, as a plugin has to be called for each node, or in full, as one failed or returned an invalid score.
func (c *Reuse) Best() (reuse.Best, bool) {
	w := c.profile.instrument(Score, c.state)
	if !c.addParts() || len(c.scorers.called) > 0 {
		return reuse.Best{}, false
	}
	best := c.found.Best(c.scorers.parts)
	c.scored()
	w.done(fwk.Success)
	return best, true
}

// Totals are the totals of RunScorePlugins, without the scores that they are made of, in the order of the nodes, which are those that
// were found. It returns false if the scores have to be computed in full. The list belongs to the profile, which overwrites it in its
// next cycle.
func (c *Reuse) Totals(nodes []fwk.NodeInfo) ([]int64, *fwk.Status, bool) {
	w := c.profile.instrument(Score, c.state)
	if !c.addParts() {
		return nil, nil, false
	}
	c.scorers.totals = c.found.Totals(c.scorers.parts, c.scorers.totals[:0])
	if len(c.scorers.called) > 0 {
		if err := c.addCalled(w, nodes); err != nil {
			w.done(fwk.Error)
			return nil, fwk.AsStatus(err), true
		}
	}
	c.scored()
	w.done(fwk.Success)
	return c.scorers.totals, nil, true
}

// addParts computes the parts of the totals. It returns false if a plugin fails or returns an invalid score.
func (c *Reuse) addParts() bool {
	c.scorers.begin()
	if !c.sortScorers() || !c.scoreTable() || !c.scoreAmounts() {
		return false
	}
	by := &c.scorers
	left := by.called[:0]
	for _, s := range by.called {
		if !c.scoreClasses(s) {
			left = append(left, s)
		}
	}
	by.called = left
	// Few of many classes can have the best, which shows soonest if these come first.
	slices.SortFunc(by.parts, func(a, b reuse.Scores) int { return len(b.Present) - len(a.Present) })
	return true
}

// sortScorers returns false if scores that depend on the pod's requests are not known by amounts.
func (c *Reuse) sortScorers() bool {
	by := &c.scorers
	for _, s := range c.profile.points.score {
		u := &s.scoreReuse
		switch {
		case c.state.skipScore.has(s.Plugin):
		case !c.isLocal(u.local):
			by.called = append(by.called, s)
		case len(c.amounts) > 0 && u.usesAmounts:
			if !c.takeAmountsScore(s) {
				return false
			}
		case u.column >= 0:
			by.scaled = append(by.scaled, s)
		case s.plugin.ScoreExtensions() == nil:
			by.summed = append(by.summed, s)
		default:
			by.called = append(by.called, s)
		}
	}
	return true
}

// scoreTable adds the scores of the table. It returns false if one is not for reuse, or is invalid once it is scaled.
func (c *Reuse) scoreTable() bool {
	if !c.found.Rate() {
		return false
	}
	part := c.scorers.addPart(&c.found, c.table.Classes())
	for _, class := range part.Present {
		part.Score[class] = c.table.Sum(class)
	}
	for _, s := range c.scorers.scaled {
		if !c.addScaled(part, s) {
			return false
		}
	}
	return true
}

// score computes a node's scores. It returns false if one is not for reuse.
func (c *Reuse) score(position int, cell *reuse.Cell) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	node, at := c.nodes[position], c.places[position]
	cell.Scored, cell.Sum, cell.Nodes = 0, 0, 0
	for _, s := range c.scorers.summed {
		score, status := s.plugin.Score(c.ctx, c.state, c.pod, node)
		if !status.IsSuccess() || score > fwk.MaxScore || score < fwk.MinScore {
			return false
		}
		cell.Sum += score * s.weight
	}
	for _, s := range c.scorers.scaled {
		score, status := s.plugin.Score(c.ctx, c.state, c.pod, node)
		if !status.IsSuccess() || score < 0 {
			return false
		}
		c.table.Scaled[s.scoreReuse.column][at.Number] = score
	}
	if c.scoreCountsNodes(node) {
		cell.Nodes = int32(len(c.places))
	}
	cell.Scored = at.Generation
	c.computed++
	return true
}

// scoreCountsNodes reports whether a plugin's score of a node follows from the number of nodes, too.
func (c *Reuse) scoreCountsNodes(node fwk.NodeInfo) bool {
	for _, list := range [...][]*entry[fwk.ScorePlugin]{c.scorers.summed, c.scorers.scaled} {
		for _, s := range list {
			if counts := s.scoreReuse.counts; counts != nil && counts.ScoreCountsNodes(c.pod, node) {
				return true
			}
		}
	}
	return false
}

// addScaled adds a plugin's scores, scaled as [ScaleScores] does. It returns false if they are no scores then.
func (c *Reuse) addScaled(part *reuse.Scores, s *entry[fwk.ScorePlugin]) bool {
	var most int64
	for _, class := range part.Present {
		most = max(most, c.table.ScaledOf(class, s.scoreReuse.column))
	}
	for _, class := range part.Present {
		var score int64
		if most > 0 {
			score = fwk.MaxScore * c.table.ScaledOf(class, s.scoreReuse.column) / most
		}
		if score < 0 || score > fwk.MaxScore {
			return false // the product was more than an int64
		}
		if s.scoreReuse.reversed {
			score = fwk.MaxScore - score
		}
		part.Score[class] += score * s.weight
	}
	return true
}

// addCalled adds the scores of the plugins that are called for every node.
func (c *Reuse) addCalled(w instrument, nodes []fwk.NodeInfo) error {
	p := c.profile
	table := p.takeScoreTable()
	table.resize(c.scorers.called, c.state, nodes)
	run := scoreRun{scoreTable: &table, watch: &w, state: c.state, pod: c.pod, nodes: nodes}
	scores, err := run.all(c.ctx)
	p.scoreTable = table
	for i := range scores {
		c.scorers.totals[i] += scores[i].TotalScore
	}
	return err
}

// scored counts the scores as calls of the plugins that they are of.
func (c *Reuse) scored() {
	n := c.found.Feasible
	for i := range c.scorers.byAmounts {
		c.scorers.byAmounts[i].Calls += uint64(n)
	}
	for _, list := range [...][]*entry[fwk.ScorePlugin]{c.scorers.summed, c.scorers.scaled, c.scorers.classed} {
		for _, s := range list {
			s.Calls += uint64(n)
		}
	}
	c.reused += max(0, n-c.computed)
	c.count()
}
