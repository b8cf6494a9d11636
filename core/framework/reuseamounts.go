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
		if !c.isLocal(s.local) || !usesAmounts(s.plugin) {
			continue
		}
		plugin, ok := s.plugin.(AmountsFilter)
		if !ok {
			return false
		}
		filter := plugin.FilterByAmounts(c.state, c.pod)
		if filter == nil {
			return false
		}
		c.byAmounts = append(c.byAmounts, amountsFilter{s, filter})
	}
	return len(c.byAmounts) > 0
}

// followAmounts brings the classes of amounts up to date.
func (c *Reuse) followAmounts(nodes Nodes) {
	c.classes = &c.profile.reuser.classes
	c.classes.Follow(nodes.Places(), nodes.Amounts(), nodes)
	if more := c.classes.Len() - len(c.judged); more > 0 {
		c.judged = append(c.judged, make([]amountsVerdict, more)...)
		c.summed = append(c.summed, make([]amountsSum, more)...)
	}
}

// amountsVerdict is the first rejection by plugins that look at amounts, and its position; -1 if there is none. known is the
// cycle that it is of.
type amountsVerdict struct {
	known     uint64
	rejection *fwk.Status
	position  int
}

// judgeAmounts judges a class of amounts, once in a cycle.
func (c *Reuse) judgeAmounts(class int32) *amountsVerdict {
	v := &c.judged[class]
	if v.known == c.number {
		return v
	}
	*v = amountsVerdict{known: c.number, position: -1}
	for i := range c.byAmounts {
		s := &c.byAmounts[i]
		if status := s.filter(c.classes.Amounts(class)); status != nil {
			v.rejection, v.position = withPlugin(status, s.Plugin), s.position
			break
		}
	}
	return v
}

// rejectByAmounts marks those of some nodes that plugins reject which look at amounts.
func (c *Reuse) rejectByAmounts(places []reuse.Place, rejected []uint8) {
	if len(c.byAmounts) == 0 {
		return
	}
	for i := range places {
		if c.judgeAmounts(c.classes.Of(places[i].Number)).position >= 0 {
			rejected[i] = 1
		}
	}
}

// takeAmountsScore has a plugin score by amounts. It returns false if it looks at more of a node.
func (c *Reuse) takeAmountsScore(s *entry[fwk.ScorePlugin]) bool {
	plugin, ok := s.plugin.(AmountsScore)
	if !ok {
		return false
	}
	score := plugin.ScoreByAmounts(c.state, c.pod)
	if score == nil {
		return false
	}
	c.scorers.byAmounts = append(c.scorers.byAmounts, amountsScore{s, score})
	return true
}

// amountsSum is the sum of the scores by the amounts of a class. known is the cycle that it is of.
type amountsSum struct {
	known uint64
	sum   int64
}

// addByAmounts adds the scores by amounts. It returns false if one is none.
func (c *Reuse) addByAmounts(places []reuse.Place) bool {
	if len(c.scorers.byAmounts) == 0 {
		return true
	}
	for i := range places {
		class := c.classes.Of(places[i].Number)
		known := &c.summed[class]
		if known.known != c.number {
			sum, ok := c.sumByAmounts(c.classes.Amounts(class))
			if !ok {
				return false
			}
			*known = amountsSum{c.number, sum}
		}
		c.totals[i] += known.sum
	}
	return true
}

func (c *Reuse) sumByAmounts(amounts *reuse.Amounts) (sum int64, ok bool) {
	for _, s := range c.scorers.byAmounts {
		score := s.score(amounts)
		if score < fwk.MinNodeScore || score > fwk.MaxNodeScore {
			return 0, false
		}
		sum += score * s.weight
	}
	return sum, true
}
