package dynamicresources

import (
	"time"

	"orrery/core/scheduler/devices/allocate"
)

const (
	// stepsPerSecond is how many steps the allocator may take on a node per second of the filter timeout (allocate.Limit).
	stepsPerSecond = 100_000
	// cyclesPerNode is how many times the steps of one node a cycle may take on all nodes: one on which the devices are too dear to
	// evaluate leaves as much for the others.
	//
	//orrery:limit scheduler; the steps that one pod's cycle may take to allocate devices, in filter timeouts of one node; the nodes after them are rejected
	cyclesPerNode = 2
)

// budget is how many steps a cycle has left. Its zero value is no budget.
type budget struct {
	limited bool
	left    int64
}

// stepsOnNode is the filter timeout in steps; zero for none.
func (pl *DynamicResources) stepsOnNode() int64 {
	if pl.filterTimeout <= 0 {
		return 0
	}
	return max(1, int64(pl.filterTimeout/(time.Second/stepsPerSecond)))
}

func (pl *DynamicResources) newBudget() budget {
	steps := pl.stepsOnNode()
	return budget{steps > 0, cyclesPerNode * steps}
}

// limit returns the limit of one allocation: the steps of the filter timeout, or those that the cycle has left; nil for none. end takes
// what was used, and reports whether the cycle had enough for a whole node.
func (pl *DynamicResources) limit(b *budget) (limit *allocate.Limit, end func() (whole bool)) {
	if !b.limited {
		return nil, func() bool { return true }
	}
	node := pl.stepsOnNode()
	before := min(node, b.left)
	limit = &allocate.Limit{Left: before}
	return limit, func() bool {
		b.left -= before - limit.Left
		return before == node
	}
}
