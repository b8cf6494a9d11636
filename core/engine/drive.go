package engine

import (
	"time"

	"orrery/core/evict"
	"orrery/core/world"
)

// Witness hears everything that an engine is told and decides, in order: what a recording needs.
type Witness interface {
	// Applied comes after each input, with what Apply answered.
	Applied(in world.Input, err error)
	// Stepped comes after each Step. The decision is nil when there was nothing to decide.
	Stepped(d *Decision)
	// Wanted comes with each effect, before it is handed to the world.
	Wanted(effect world.Effect)
}

// Drive runs an engine in a world until a moment, or until nothing more will happen before it: inputs in, decisions
// taken while there are any, effects out, and timers woken when they are due. It is how every world that has its own
// clock is run; a world in real time blocks in Next.
//
// Told, if not nil, is called with every input before it is applied, and with what Apply answered.
//
// Others are driven beside the engine: they are told every input after it, and woken when they want to be. Their effects
// must be numbered apart from the engine's and from one another's, as outcomes are told to all.
func Drive(e *Engine, w world.World, until time.Time, told func(world.Input, error), others ...evict.Controller) {
	DriveSeen(e, w, until, listener(told), others...)
}

// DriveSeen is Drive before a witness.
func DriveSeen(e *Engine, w world.World, until time.Time, seen Witness, others ...evict.Controller) {
	for {
		e.settleIn(w, seen)
		for _, other := range others {
			for _, effect := range other.Effects() {
				w.Do(effect)
			}
		}
		wake, due := firstWake(e, others)
		if due = due && !wake.After(until); !due {
			wake = until
		}
		in, ok := w.Next(wake)
		if !ok {
			if !due {
				return
			}
			in = world.Input{At: wake, Event: world.Passed{}}
		}
		err := e.Apply(in)
		seen.Applied(in, err)
		for _, other := range others {
			other.Apply(in)
		}
	}
}

// firstWake is when the first of all timers is due.
func firstWake(e *Engine, others []evict.Controller) (time.Time, bool) {
	first, due := e.NextWake()
	for _, other := range others {
		if at, ok := other.NextWake(); ok && (!due || at.Before(first)) {
			first, due = at, true
		}
	}
	return first, due
}

// settleIn decides until there is nothing to decide, handing every effect to the world.
func (e *Engine) settleIn(w world.World, seen Witness) {
	for {
		e.handOver(w, seen)
		d, more := e.Step()
		seen.Stepped(d)
		if !more {
			e.handOver(w, seen)
			return
		}
	}
}

func (e *Engine) handOver(w world.World, seen Witness) {
	for _, effect := range e.Effects() {
		seen.Wanted(effect)
		w.Do(effect)
	}
}

// listener is a Witness that listens to inputs only, or to nothing.
type listener func(world.Input, error)

func (l listener) Applied(in world.Input, err error) {
	if l != nil {
		l(in, err)
	}
}

func (l listener) Stepped(*Decision) {}

func (l listener) Wanted(world.Effect) {}
