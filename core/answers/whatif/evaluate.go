package whatif

import (
	"fmt"

	"orrery/core/answers/change"
	"orrery/core/scheduler/engine"
)

// Evaluate returns what changes would do to the pods of an engine's cluster at this moment. It only reads the engine. A
// change that cannot be made, such as one of a missing node or pod, is an error.
func Evaluate(e *engine.Engine, changes []change.Change, o Options) (*Result, error) {
	results, errs := EvaluateEach(e, [][]change.Change{changes}, o)
	return results[0], errs[0]
}

// EvaluateEach evaluates several sets of changes, each for itself: Evaluate for every one, with the run that changes
// nothing made once for all. Either the result or the error at an index is nil.
func EvaluateEach(e *engine.Engine, each [][]change.Change, o Options) ([]*Result, []error) {
	results, errs := make([]*Result, len(each)), make([]error, len(each))
	plain, changed, err := o.runs(e, each, errs)
	if err != nil {
		for i := range errs {
			errs[i] = fmt.Errorf("asking what if: %w", err)
		}
		return results, errs
	}
	plain.toRest()
	plain.slots.matchRemaining()
	for i, r := range changed {
		if errs[i] == nil {
			r.toRest()
			results[i] = compareRuns(e, each[i], plain, r)
		}
	}
	return results, errs
}

// runs returns a run for each set of changes, with the changes made or the error why not, and one without changes.
func (o Options) runs(e *engine.Engine, each [][]change.Change, errs []error) (plain *run, changed []*run, err error) {
	if o.MaxTime == 0 {
		o.MaxTime = defaultMaxTime
	}
	if o.MaxDecisions == 0 {
		o.MaxDecisions = defaultMaxDecisions
	}
	if plain, err = begin(e, o); err != nil {
		return nil, nil, err
	}
	for i, changes := range each {
		r, err := plain.fork()
		if err != nil {
			return nil, nil, err
		}
		for _, c := range changes {
			if err := r.apply(c); err != nil {
				errs[i] = fmt.Errorf("asking what if %q: %w", c.String(), err)
				break
			}
		}
		changed = append(changed, r)
	}
	return plain, changed, nil
}
