package drive

import (
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Engine is an engine.Engine, or a wrapper of one.
type Engine interface {
	// Apply applies an input. The error reports its invalid part; the engine keeps running.
	Apply(in world.Input) error
	// Step decides on one pod. It returns false if no pod is ready.
	Step() (*engine.Decision, bool)
	// Effects returns the effects emitted since the last call.
	Effects() []world.Effect
	// NextWake is when the next timer is due.
	NextWake() (time.Time, bool)
}

// Controller acts in a world: it applies inputs, has timers and emits effects.
type Controller interface {
	// Apply applies an input. Timers due before it fire first.
	Apply(in world.Input)
	// Effects returns the effects emitted since the last call, numbered from 1 over all calls.
	Effects() []world.Effect
	// NextWake is when the next timer is due.
	NextWake() (time.Time, bool)
}

// Observer observes everything that an engine applies, decides and emits, in order.
type Observer interface {
	// Applied follows each input, with the error of Apply.
	Applied(in world.Input, err error)
	// Stepped follows each Step. The decision is nil if no pod was ready.
	Stepped(d *engine.Decision)
	// Emitted is called for each effect before the world receives it.
	Emitted(effect world.Effect)
}

// Observers combines several observers.
type Observers []Observer

// Applied implements Observer.
func (all Observers) Applied(in world.Input, err error) {
	for _, o := range all {
		o.Applied(in, err)
	}
}

// Stepped implements Observer.
func (all Observers) Stepped(d *engine.Decision) {
	for _, o := range all {
		o.Stepped(d)
	}
}

// Emitted implements Observer.
func (all Observers) Emitted(effect world.Effect) {
	for _, o := range all {
		o.Emitted(effect)
	}
}

// Shrink implements [Shrinker] for those that do.
func (all Observers) Shrink(halvings int) {
	for _, o := range all {
		if optional, is := o.(Shrinker); is {
			optional.Shrink(halvings)
		}
	}
}

// OnInput is an Observer of inputs only.
type OnInput func(in world.Input, err error)

// Applied implements Observer.
func (f OnInput) Applied(in world.Input, err error) { f(in, err) }

// Stepped implements Observer.
func (OnInput) Stepped(*engine.Decision) {}

// Emitted implements Observer.
func (OnInput) Emitted(world.Effect) {}
