package framework

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/reuse"
)

// Nodes is a list of nodes that knows which of them changed. The cache's snapshot is one.
type Nodes interface {
	reuse.Changes
	List() ([]fwk.NodeInfo, error)
	// Places are the places of the nodes of List.
	Places() []reuse.Place
	// Amounts are the amounts of the nodes by the numbers of their places.
	Amounts() []reuse.Amounts
}

// Window returns the part of the nodes that a search from a start visits to find so many feasible ones, without visiting them one
// by one. It returns false if they have to be visited: a plugin that looks at other nodes or at amounts filters, or one failed.
func (c *Reuse) Window(ctx context.Context, nodes Nodes, start, wanted int) (reuse.Window, bool) {
	list, err := nodes.List()
	if err != nil || len(c.others) > 0 || len(c.byAmounts) > 0 {
		return reuse.Window{}, false
	}
	c.nodes, c.places = list, nodes.Places()
	c.tree = c.table.Tree(c.places, nodes, len(c.stops)-1)
	w, ok := c.tree.Window(start, wanted, func(position int, cell *reuse.Cell) bool {
		return c.filter(ctx, list[position], cell, c.places[position].Generation)
	})
	if !ok {
		return w, false
	}
	c.tree.CountStops(w, c.stops)
	c.reused += max(0, w.Visited-c.computed)
	c.Filtered()
	return w, true
}

// Tree has the verdicts of the window.
func (c *Reuse) Tree() *reuse.Tree { return c.tree }

// Best is the best total of a window, and what is to be added to a sum of the tree for its total. It returns false if the totals
// have to be computed one by one: a plugin looks at other nodes, has scores that differ after scaling, or failed.
func (c *Reuse) Best(ctx context.Context, w reuse.Window) (best reuse.Best, more int64, ok bool) {
	if !c.sortScorers() || len(c.scorers.others) > 0 {
		return best, 0, false
	}
	best, ok = c.tree.Best(w, func(position int, cell *reuse.Cell) bool {
		return c.score(ctx, c.nodes[position], cell, c.places[position])
	})
	if !ok {
		return best, 0, false
	}
	for _, s := range c.scorers.scaled {
		score, equal := c.scaledAlike(s, best)
		if !equal {
			return best, 0, false
		}
		more += score * s.weight
	}
	watch := c.profile.instrument(Score, c.state)
	c.reused += max(0, w.Feasible-c.computed)
	c.scored(w.Feasible)
	watch.done(fwk.Success)
	return best, more, true
}

// scaledAlike returns the score that a plugin gives to all nodes of a window. It returns false if they differ.
func (c *Reuse) scaledAlike(s *entry[fwk.ScorePlugin], best reuse.Best) (score int64, equal bool) {
	least, most := best.Scaled(s.column)
	if least != most {
		return 0, false
	}
	if most > 0 {
		score = fwk.MaxNodeScore * most / most
	}
	if s.plugin.(ScaledScore).Reversed() {
		score = fwk.MaxNodeScore - score
	}
	return score, score >= fwk.MinNodeScore && score <= fwk.MaxNodeScore
}

// PreScoreIgnoresNodes reports whether no PreScore plugin looks at the feasible nodes, so that any list of nodes does for
// [Profile.RunPreScorePlugins].
func (c *Reuse) PreScoreIgnoresNodes() bool {
	for _, s := range c.profile.points.preScore {
		if _, local := s.plugin.(NodeLocal); local {
			continue
		}
		if p, ok := s.plugin.(NodelessPreScore); !ok || !p.PreScoreIgnoresNodes(c.state, c.pod) {
			return false
		}
	}
	return true
}

// NodelessPreScore is implemented by PreScore plugins that do not look at the feasible nodes, or not for every pod.
type NodelessPreScore interface {
	fwk.PreScorePlugin
	PreScoreIgnoresNodes(state fwk.CycleState, pod *v1.Pod) bool
}
