package allocate

import (
	"errors"

	resourcev1 "k8s.io/api/resource/v1"
)

// A claim is its tenant's, and so are the CEL expressions in it. The API server admits one that costs a million units at each device. So
// the evaluation of expressions takes steps of the same limit as the search, by its cost, and ends the allocation where none are left.

// ErrOutOfSteps is the error of an allocation that took all its steps.
var ErrOutOfSteps = errors.New("no steps are left to allocate devices")

// costPerStep is how many units of CEL's cost are a step: the dearest expression takes ten microseconds for some ten of them.
const costPerStep = 10

// Limit counts the steps that an allocation may take: one for each device that it goes on to, or back from, and one for ten units of
// what an expression costs. It has no limit if it is nil.
type Limit struct{ Left int64 }

// step takes one step.
func (l *Limit) step() error {
	if l == nil {
		return nil
	}
	if l.Left == 0 {
		return ErrOutOfSteps
	}
	l.Left--
	return nil
}

// begins refuses an evaluation if no steps are left for it.
func (l *Limit) begins() error {
	if l != nil && l.Left == 0 {
		return ErrOutOfSteps
	}
	return nil
}

// pay takes the steps of an evaluation. It may cost more than are left.
func (l *Limit) pay(cost uint64) {
	if l != nil {
		steps := (min(cost, resourcev1.CELSelectorExpressionMaxCost) + costPerStep - 1) / costPerStep
		l.Left -= min(l.Left, int64(steps))
	}
}
