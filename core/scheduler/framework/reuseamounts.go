package framework

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/reuse"
)

// AmountsFilter is implemented by [NodeLocal] Filter plugins that look at nothing but a node's amounts for most pods. Pods that
// differ in their requests alone share what is known of the nodes otherwise.
type AmountsFilter interface {
	NodeLocal
	// FilterByAmounts returns Filter of a pod by a node's amounts, after PreFilter; nil if it looks at more of a node.
	FilterByAmounts(state fwk.CycleState, pod *v1.Pod) func(*reuse.Amounts) *fwk.Status
}

// AmountsScore is the same for Score plugins without NormalizeScore.
type AmountsScore interface {
	NodeLocal
	// ScoreByAmounts returns Score of a pod by a node's amounts, after PreScore; nil if it looks at more of a node.
	ScoreByAmounts(state fwk.CycleState, pod *v1.Pod) func(*reuse.Amounts) int64
}

func usesAmounts(plugin fwk.Plugin) bool {
	switch plugin.(type) {
	case AmountsFilter, AmountsScore:
		return true
	}
	return false
}

// amountsFilter and amountsScore are plugins of one cycle that are called with amounts.
type amountsFilter struct {
	*entry[fwk.FilterPlugin]
	cycle  *Reuse
	filter func(*reuse.Amounts) *fwk.Status
}

// Rejects implements reuse.Verdicts: the plugin is the first to reject nodes of these amounts.
func (s *amountsFilter) Rejects(class int32) bool {
	return s.cycle.evaluateAmounts(class).position == s.position
}

type amountsScore struct {
	*entry[fwk.ScorePlugin]
	score func(*reuse.Amounts) int64
}

// takeAmounts has the plugins that look at amounts filter by them. It returns false if there is none, or one looks at more of a
// node.
func (c *Reuse) takeAmounts() bool {
	for _, s := range c.profile.filtersFor(c.state) {
		if !c.isLocal(s.filterReuse.local) || !s.filterReuse.usesAmounts {
			continue
		}
		if s.filterReuse.amounts == nil {
			return false
		}
		filter := s.filterReuse.amounts.FilterByAmounts(c.state, c.pod)
		if filter == nil {
			return false
		}
		c.amounts = append(c.amounts, amountsFilter{s, c, filter})
	}
	return len(c.amounts) > 0
}

// amountsVerdict is the first rejection by plugins that look at amounts, and its position; behind all plugins if there is none. known
// is the cycle that it is of.
type amountsVerdict struct {
	known     uint64
	rejection *fwk.Status
	position  int
}

// rejectByAmounts has the plugins that look at amounts reject nodes.
func (c *Reuse) rejectByAmounts() {
	if len(c.amounts) == 0 {
		return
	}
	classes := &c.profile.reuser.amounts.Classes
	if more := classes.Len() - len(c.evaluated); more > 0 {
		c.evaluated = append(c.evaluated, make([]amountsVerdict, more)...)
	}
	for i := range c.amounts {
		c.found.Reject(c.amounts[i].position, classes, &c.amounts[i])
	}
}

// evaluateAmounts evaluates a class of amounts, once in a cycle.
func (c *Reuse) evaluateAmounts(class int32) *amountsVerdict {
	v := &c.evaluated[class]
	if v.known == c.number {
		return v
	}
	*v = amountsVerdict{known: c.number, position: len(c.profile.points.filter)}
	for i := range c.amounts {
		s := &c.amounts[i]
		if status := s.filter(c.profile.reuser.amounts.Amounts(class)); status != nil {
			v.rejection, v.position = withPlugin(status, s.Plugin), s.position
			break
		}
	}
	return v
}

// takeAmountsScore has a plugin score by amounts. It returns false if it looks at more of a node.
func (c *Reuse) takeAmountsScore(s *entry[fwk.ScorePlugin]) bool {
	if s.scoreReuse.amounts == nil {
		return false
	}
	score := s.scoreReuse.amounts.ScoreByAmounts(c.state, c.pod)
	if score == nil {
		return false
	}
	c.scorers.byAmounts = append(c.scorers.byAmounts, amountsScore{s, score})
	return true
}

// scoreAmounts scores the classes of amounts that a feasible node is in. It returns false if a score is invalid.
func (c *Reuse) scoreAmounts() bool {
	if len(c.scorers.byAmounts) == 0 {
		return true
	}
	classes := &c.profile.reuser.amounts
	part := c.scorers.addPart(&c.found, &classes.Classes)
	for _, class := range part.Present {
		amounts := classes.Amounts(class)
		for _, s := range c.scorers.byAmounts {
			score := s.score(amounts)
			if score < fwk.MinScore || score > fwk.MaxScore {
				return false
			}
			part.Score[class] += score * s.weight
		}
	}
	return true
}
