package framework

import (
	"context"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// ClassFilter is implemented by Filter plugins that look at other nodes, and know which nodes of the snapshot they do not tell apart
// for a pod.
type ClassFilter interface {
	fwk.FilterPlugin
	// FilterClasses evaluates each class of nodes. It returns false if only Filter knows.
	FilterClasses(state fwk.CycleState) (v ClassVerdicts, ok bool)
}

// ClassVerdicts are what Filter says of nodes, by their classes: 0 if it passes them, else 1 + the index among the rejections. They
// are read until the cycle ends.
type ClassVerdicts struct {
	Classes    *reuse.Classes
	Verdicts   []uint8
	Rejections []*fwk.Status
}

// ClassPreScore is implemented by PreScore plugins that need not look at the feasible nodes themselves if they know their classes.
type ClassPreScore interface {
	fwk.PreScorePlugin
	// PreScoreClasses is PreScore. It returns false if PreScore has to be called.
	PreScoreClasses(ctx context.Context, state fwk.CycleState, pod *v1.Pod, feasible *reuse.Found) (status *fwk.Status, ok bool)
}

// ClassScore is implemented by Score plugins that look at other nodes, and know which nodes of the snapshot they do not tell apart for
// a pod.
type ClassScore interface {
	fwk.ScorePlugin
	// ScoreClasses is what Score and then NormalizeScore make of the classes that the feasible nodes are in; without classes all scores are
	// zero. It returns false if only these know. The scores are read until the cycle ends.
	ScoreClasses(state fwk.CycleState, feasible *reuse.Found) (reuse.Scores, bool)
}

// NodelessPreScore is implemented by PreScore plugins that do not look at the feasible nodes, or not for every pod.
type NodelessPreScore interface {
	fwk.PreScorePlugin
	PreScoreIgnoresNodes(state fwk.CycleState, pod *v1.Pod) bool
}

// classedFilter is a plugin that has evaluated the classes of nodes in a cycle.
type classedFilter struct {
	*entry[fwk.FilterPlugin]
	ClassVerdicts
}

// Rejects implements reuse.Verdicts.
func (v *classedFilter) Rejects(class int32) bool { return v.Verdicts[class] != 0 }

// sortFilters finds out how each Filter plugin's verdicts are reused.
func (c *Reuse) sortFilters() {
	for _, s := range c.profile.filtersFor(c.state) {
		switch {
		case c.keeps(s):
			c.kept = append(c.kept, s)
		case c.isLocal(s.filterReuse.local): // it looks at amounts
		case !c.filterClasses(s):
			c.called = append(c.called, s)
		}
	}
}

// keeps reports whether the table has a plugin's verdicts.
func (c *Reuse) keeps(s *entry[fwk.FilterPlugin]) bool {
	return c.isLocal(s.filterReuse.local) && (len(c.amounts) == 0 || !s.filterReuse.usesAmounts)
}

// filterClasses has a plugin evaluate the classes of nodes. If it cannot, or panics, it is called for each node.
func (c *Reuse) filterClasses(s *entry[fwk.FilterPlugin]) (ok bool) {
	if s.filterReuse.classes == nil || c.timed() {
		return false
	}
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	v, ok := s.filterReuse.classes.FilterClasses(c.state)
	if !ok || len(v.Verdicts) < v.Classes.Len() {
		return false
	}
	c.classed = append(c.classed, classedFilter{s, v})
	return true
}

// scoreClasses has a plugin score the classes of nodes. If it cannot, panics, or returns an invalid score, it is called for each
// node.
func (c *Reuse) scoreClasses(s *entry[fwk.ScorePlugin]) (ok bool) {
	if s.scoreReuse.classes == nil || c.timed() {
		return false
	}
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	part, ok := s.scoreReuse.classes.ScoreClasses(c.state, &c.found)
	if !ok {
		return false
	}
	if part.Classes == nil {
		c.scorers.classed = append(c.scorers.classed, s)
		return true
	}
	weighted := c.scorers.room(part.Classes)
	for _, class := range part.Present {
		score := part.Score[class]
		if score > fwk.MaxScore || score < fwk.MinScore {
			return false
		}
		weighted[class] = score * s.weight
	}
	part.Score = weighted
	c.scorers.parts = append(c.scorers.parts, part)
	c.scorers.classed = append(c.scorers.classed, s)
	return true
}

// FeasibleNodes lists the feasible nodes that a search has found.
type FeasibleNodes interface{ ListFeasible() []fwk.NodeInfo }

// RunPreScorePlugins is that of the profile. The feasible nodes are listed only if a plugin looks at them.
func (c *Reuse) RunPreScorePlugins(feasible FeasibleNodes) *fwk.Status {
	return c.profile.runPreScore(c.ctx, c.state, c.pod, preScoreNodes{reuse: c, feasible: feasible})
}

// preScoreNodes are the nodes for PreScore: a list, or those that a search has found.
type preScoreNodes struct {
	list     []fwk.NodeInfo
	reuse    *Reuse
	feasible FeasibleNodes
}

// preScore calls PreScore of a plugin.
func (n preScoreNodes) preScore(ctx context.Context, state fwk.CycleState, pod *v1.Pod, s *entry[fwk.PreScorePlugin]) *fwk.Status {
	u, c := &s.preScoreReuse, n.reuse
	if c == nil {
		return s.plugin.PreScore(ctx, state, pod, n.list)
	}
	if u.classes != nil && !c.timed() {
		if status, ok := u.classes.PreScoreClasses(ctx, state, pod, &c.found); ok {
			return status
		}
	}
	if c.isLocal(u.local) || u.nodeless != nil && u.nodeless.PreScoreIgnoresNodes(state, pod) {
		return s.plugin.PreScore(ctx, state, pod, c.nodes)
	}
	return s.plugin.PreScore(ctx, state, pod, n.feasible.ListFeasible())
}
