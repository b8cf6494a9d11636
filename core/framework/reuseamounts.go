package framework

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/reuse"
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
	filter func(*reuse.Amounts) *fwk.Status
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
		c.amounts = append(c.amounts, amountsFilter{s, filter})
	}
	return len(c.amounts) > 0
}

// amountsVerdict is the first rejection by plugins that look at amounts, and its position; behind all plugins if there is none.
type amountsVerdict struct {
	rejection *fwk.Status
	position  int
}

// judgeAmounts judges all classes of amounts.
func (c *Reuse) judgeAmounts() {
	if len(c.amounts) == 0 {
		return
	}
	classes, passed := &c.profile.reuser.amounts, len(c.profile.points.filter)
	c.judged = c.judged[:0]
	for class := range classes.Len() {
		v := amountsVerdict{position: passed}
		for i := range c.amounts {
			s := &c.amounts[i]
			if status := s.filter(classes.Amounts(int32(class))); status != nil {
				v = amountsVerdict{withPlugin(status, s.Plugin), s.position}
				break
			}
		}
		c.judged = append(c.judged, v)
	}
	for i := range c.amounts {
		position := c.amounts[i].position
		c.found.Reject(position, &classes.Classes, func(class int32) bool { return c.judged[class].position == position })
	}
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

// scoreAmounts scores the classes of amounts that a feasible node is in. It returns false if a score is none.
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
			if score < fwk.MinNodeScore || score > fwk.MaxNodeScore {
				return false
			}
			part.Score[class] += score * s.weight
		}
	}
	return true
}
