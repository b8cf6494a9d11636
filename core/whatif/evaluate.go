package whatif

import (
	"fmt"

	"orrery/core/engine"
	"orrery/core/whatif/change"
)

// Evaluate returns what changes would do to the pods of an engine's cluster at this moment. It only reads the engine. A
// change that cannot be made, such as one of a missing node or pod, is an error.
func Evaluate(e *engine.Engine, changes []change.Change, o Options) (*Result, error) {
	if o.MaxTime == 0 {
		o.MaxTime = defaultMaxTime
	}
	if o.MaxDecisions == 0 {
		o.MaxDecisions = defaultMaxDecisions
	}
	plain, err := begin(e, o)
	if err != nil {
		return nil, fmt.Errorf("asking what if: %w", err)
	}
	changed, err := plain.fork()
	if err != nil {
		return nil, fmt.Errorf("asking what if: %w", err)
	}
	for _, c := range changes {
		if err := changed.apply(c); err != nil {
			return nil, fmt.Errorf("asking what if %q: %w", c.String(), err)
		}
	}
	plain.toRest()
	changed.toRest()
	return compareRuns(e, changes, plain, changed), nil
}
