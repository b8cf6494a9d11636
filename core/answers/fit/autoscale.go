package fit

import (
	"fmt"
	"slices"

	"orrery/core/answers/pool"
	"orrery/core/answers/price"
	"orrery/core/scheduler/engine"
)

// Autoscaled asks whether the objects fit with nodes that pools would make for the pods that wait, theirs and others. The answer says what
// happens with these nodes; the growth has them, and why no pool takes what still waits.
func Autoscaled(e *engine.Engine, s *Set, pools []*pool.Pool, prices *price.Prices, o Options) (*Answer, *pool.Growth, error) {
	start, err := begin(e, s, o)
	if err != nil {
		return nil, nil, err
	}
	_, growth, err := pool.Ask(start, o.question(s, 0), pools, prices)
	if err != nil {
		return nil, nil, fmt.Errorf("asking whether it fits with nodes of pools: %w", err)
	}
	o.After = slices.Concat(o.After, growth.Changes())
	a, err := ask(start, s, o)
	return a, growth, err
}
