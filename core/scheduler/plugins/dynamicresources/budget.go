package dynamicresources

import (
	"context"
	"errors"
	"time"

	resourcev1 "k8s.io/api/resource/v1"
)

// A claim is its tenant's, and so are the CEL expressions in it. The API server admits one that costs a million units at each device, and
// the allocator looks at the time only when it goes on to the next device that it wants, not at each that it evaluates. So each
// evaluation takes steps of the same budget as the search, by its actual cost, and ends the allocation where none are left.

const (
	// stepsPerSecond is how many steps the allocator may take on a node per second of the filter timeout. A step chooses one device, goes
	// back on one, or pays for costPerStep.
	stepsPerSecond = 100_000
	// costPerStep is how many units of CEL's cost are a step: the dearest expression takes ten microseconds for some ten of them.
	costPerStep = 10
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

// allocationContext returns the context of one allocation: it ends after the steps of the filter timeout, or those that the cycle has
// left, and fixes the order of the pools. end takes what was used, and reports whether the cycle had enough for a whole node.
func (pl *DynamicResources) allocationContext(ctx context.Context, b *budget) (limited context.Context, end func() (whole bool)) {
	if !b.limited {
		return WithPoolOrder(ctx), func() bool { return true }
	}
	node := pl.stepsOnNode()
	s := &stepLimit{left: min(node, b.left)}
	before := s.left
	s.Context = withAllocationLog(ctx, s)
	return s, func() bool {
		s.settle(resourcev1.CELSelectorExpressionMaxCost)
		b.left -= before - s.left
		return before == node
	}
}

// stepLimit ends after so many steps. The allocator asks for Err at every step of the search, and an evaluation of an expression for Done
// when it begins; its cost is logged when it has ended.
type stepLimit struct {
	context.Context
	left       int64
	evaluating bool
}

// errOutOfSteps is the panic that ends an allocation between two evaluations, where the allocator asks for no error.
var errOutOfSteps = errors.New("no steps are left")

// Err takes one step.
func (s *stepLimit) Err() error {
	s.settle(resourcev1.CELSelectorExpressionMaxCost)
	if s.left == 0 {
		return context.DeadlineExceeded
	}
	s.left--
	return s.Context.Err()
}

// Done begins an evaluation.
func (s *stepLimit) Done() <-chan struct{} {
	s.settle(resourcev1.CELSelectorExpressionMaxCost)
	if s.left == 0 {
		panic(errOutOfSteps)
	}
	s.evaluating = true
	return s.Context.Done()
}

// settle pays for the evaluation that has ended, if one has. One whose cost was not logged, as it would not be if the allocator had
// another text for that, has cost the most.
func (s *stepLimit) settle(cost uint64) {
	if !s.evaluating {
		return
	}
	s.evaluating = false
	steps := (min(cost, resourcev1.CELSelectorExpressionMaxCost) + costPerStep - 1) / costPerStep
	s.left -= min(s.left, int64(steps))
}
