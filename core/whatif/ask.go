package whatif

import (
	"fmt"

	"orrery/core/engine"
)

// Ask tells what would become of the pods of an engine's cluster if changes were made at this moment. The engine is only
// read. A change that cannot be made, for want of a node or pod of that name, is an error.
func Ask(e *engine.Engine, changes []Change, o Options) (*Answer, error) {
	if o.Within == 0 {
		o.Within = withinDefault
	}
	if o.Decisions == 0 {
		o.Decisions = decisionsDefault
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
	return answer(e, changes, plain, changed), nil
}
