package app

import (
	"orrery/core/answers/change"
	"orrery/core/answers/fit"
	"orrery/core/answers/pool"
	"orrery/core/answers/price"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// fitQuestion is what is asked of one source, with all that was read for it.
type fitQuestion struct {
	f       *fitFlags
	doc     *fitDocument
	engine  *engine.Engine
	set     *fit.Set
	options fit.Options
	pools   []*pool.Pool
	prices  *price.Prices
}

// ask asks, and writes the answer into the document.
func (q *fitQuestion) ask(s *openedAt) error {
	switch f := q.f; {
	case f.count:
		count, err := fit.HowMany(q.engine, q.set, q.options)
		if err == nil {
			q.doc.setCount(count)
		}
		return err
	case f.like != "":
		if err := checkNode(s, f.like); err != nil {
			return err
		}
		return q.fewest("like "+f.like, func(n int) change.Change { return change.Change{Verb: change.AddNodes, Name: f.like, Count: n} })
	case f.nodes != "":
		shape, err := change.ParseShape(f.nodes, 1)
		if err != nil {
			return err
		}
		return q.fewest(f.nodes, times(shape))
	case f.pool != "":
		shape, err := pool.ShapeOf(q.pools, f.pool)
		if err != nil {
			return err
		}
		return q.fewest("of pool "+f.pool, times(shape))
	case f.pools.autoscale:
		q.options.Again = "" // nodes are what helps, and changes would come before them
		a, growth, err := fit.Autoscaled(q.engine, q.set, q.pools, q.prices, q.options)
		if err != nil {
			return err
		}
		q.doc.Pools = newPools(growth, q.pools, q.prices)
		q.answered(a)
		return nil
	}
	a, err := fit.Ask(q.engine, q.set, q.options)
	if err != nil {
		return err
	}
	if a.First != nil && len(q.pools) > 0 {
		if pod := a.Outcome.Engine().Store().Pod(a.First.Namespace, a.First.Name); pod != nil {
			q.doc.Pools = newPools(&pool.Growth{Refusals: []pool.Refusal{{All: []world.PodRef{*a.First}, ByPool: pool.Verdicts(q.pools, pod)}}}, nil, nil)
		}
	}
	q.answered(a)
	return nil
}

// answered has the document tell an answer.
func (q *fitQuestion) answered(a *fit.Answer) {
	q.doc.setAnswer(a)
	if q.doc.Pools != nil && q.doc.Pools.Nodes > 0 {
		q.doc.Summary = "with " + countText(q.doc.Pools.Nodes, "more node") + " of pools it " + q.doc.Summary
	}
	q.setPrices(a)
}

func (q *fitQuestion) setPrices(a *fit.Answer) {
	q.doc.Price = pricesOf(q.prices, q.engine, a.Outcome.Engine())
}

// times adds so many nodes of a shape.
func times(shape change.Change) func(n int) change.Change {
	return func(n int) change.Change {
		shape.Count = n
		return shape
	}
}

// fewest finds how few nodes are enough.
func (q *fitQuestion) fewest(shape string, adding func(n int) change.Change) error {
	nodes, err := fit.FewestNodes(q.engine, q.set, adding, q.options)
	if err != nil {
		return err
	}
	q.doc.setNodes(nodes, shape)
	q.setPrices(nodes.Answer)
	return nil
}
