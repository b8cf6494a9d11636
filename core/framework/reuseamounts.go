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

// amountsVerdict is the first rejection by plugins that look at amounts, and its position; -1 if there is none.
type amountsVerdict struct {
	amounts   *reuse.Amounts
	rejection *fwk.Status
	position  int
}

// judgeAmounts judges the amounts of a node. Most neighbours have the same ones, as a cluster is made of like nodes.
func (c *Reuse) judgeAmounts(number int32) *amountsVerdict {
	v, amounts := &c.judged, &c.amounts[number]
	if v.amounts != nil && *v.amounts == *amounts {
		return v
	}
	*v = amountsVerdict{amounts: amounts, position: -1}
	for i := range c.byAmounts {
		s := &c.byAmounts[i]
		if status := s.filter(amounts); status != nil {
			v.rejection, v.position = withPlugin(status, s.Plugin), s.position
			break
		}
	}
	return v
}

func (c *Reuse) amountsPass(number int32) bool {
	return len(c.byAmounts) == 0 || c.judgeAmounts(number).position < 0
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

// addByAmounts adds the scores by amounts. It returns false if one is none.
func (c *Reuse) addByAmounts(places []reuse.Place) bool {
	var last *reuse.Amounts
	var sum int64
	for i := range places {
		if amounts := &c.amounts[places[i].Number]; last == nil || *amounts != *last {
			var ok bool
			if sum, ok = c.sumByAmounts(amounts); !ok {
				return false
			}
			last = amounts
		}
		c.totals[i] += sum
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
