package allocations

import (
	"context"
	"errors"

	resourcev1 "k8s.io/api/resource/v1"
)

// costPerStep is how many units of CEL's cost are a step.
const costPerStep = 10

// Limit counts the steps that an allocation may take. The allocator asks the context for Err at every step of the search, and an
// evaluation of an expression for Done when it begins; its cost is logged when it has ended.
type Limit struct {
	Left       int64
	evaluating bool
}

// Context returns the context of one allocation.
func (l *Limit) Context(ctx context.Context) context.Context {
	return &limited{withOrder(ctx, l), l}
}

type limited struct {
	context.Context
	*Limit
}

// errOutOfSteps is the panic that ends an allocation between two evaluations, where the allocator asks for no error.
var errOutOfSteps = errors.New("no steps are left")

// Err takes one step.
func (l *limited) Err() error {
	l.settle(resourcev1.CELSelectorExpressionMaxCost)
	if l.Left == 0 {
		return context.DeadlineExceeded
	}
	l.Left--
	return l.Context.Err()
}

// Done begins an evaluation, or is asked for once more during it.
func (l *limited) Done() <-chan struct{} {
	if !l.evaluating && l.Left == 0 {
		panic(errOutOfSteps)
	}
	l.evaluating = true
	return l.Context.Done()
}

// settle pays for the evaluation that has ended, if one has. One whose cost was not logged has cost the most.
func (l *Limit) settle(cost uint64) {
	if l.evaluating {
		l.evaluating = false
		steps := (min(cost, resourcev1.CELSelectorExpressionMaxCost) + costPerStep - 1) / costPerStep
		l.Left -= min(l.Left, int64(steps))
	}
}
