package evict

import (
	"time"

	"orrery/core/world"
)

// Controller is a rule at work. It is told the inputs that the engine is told, in the same order, and like the engine it
// has timers, wants effects, and hears how they ended as inputs.
type Controller interface {
	// Apply tells what happened; timers that were due before it go off first.
	Apply(in world.Input)
	// NextWake is when a timer is due next.
	NextWake() (time.Time, bool)
	// Effects hands over what is to be done since the last call. A controller that only predicts wants nothing done.
	Effects() []world.Effect
}
