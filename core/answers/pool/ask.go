package pool

import (
	"slices"

	"orrery/core/answers/change"
	"orrery/core/answers/price"
	"orrery/core/answers/whatif"
)

// rounds are how often pools may grow: pods that come once others run wait for the next round.
//
//orrery:limit answers; rounds in which pools add nodes in an answer; the pods beyond that keep waiting
const rounds = 8

// Ask asks a question with nodes of pools: once everything is at rest, nodes are added for the pods that wait, and that again, until no pool
// makes one. The changes that add them are those of the outcome after the question's own.
func Ask(start *whatif.Start, q whatif.Question, pools []*Pool, prices *price.Prices) (*whatif.Outcome, *Growth, error) {
	out, err := start.Ask(q)
	if err != nil {
		return nil, nil, err
	}
	all := &Growth{}
	for range rounds {
		g, err := Grow(out.Engine(), pools, prices)
		if err != nil {
			return nil, nil, err
		}
		all.Refusals = g.Refusals
		if len(g.Added) == 0 {
			break
		}
		all.Added = append(all.Added, g.Added...)
		q.After = slices.Concat(q.After, g.Changes())
		if out, err = start.Ask(q); err != nil {
			return nil, nil, err
		}
	}
	return out, all, nil
}

// Changes are those that add the nodes.
func (g *Growth) Changes() []change.Change {
	var all []change.Change
	for _, a := range g.Added {
		all = append(all, a.Change)
	}
	return all
}

// Nodes counts the nodes that are added.
func (g *Growth) Nodes() (n int) {
	for _, a := range g.Added {
		n += a.Change.Count
	}
	return n
}
