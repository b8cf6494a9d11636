package evict

import (
	"time"

	"orrery/core/world"
)

// Controller is a rule at work. It takes in the engine's inputs in order, has timers, emits effects, and receives their
// outcomes as inputs.
type Controller interface {
	// Apply takes in an input, after the timers that were due before it.
	Apply(in world.Input)
	// NextWake returns the time of the next timer.
	NextWake() (time.Time, bool)
	// Effects returns the effects since the last call. A controller that only predicts has none.
	Effects() []world.Effect
}
