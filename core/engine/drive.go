package engine

import (
	"time"

	"orrery/core/evict"
	"orrery/core/world"
)

// Drive runs an engine in a world until a moment, or until nothing more will happen before it: inputs in, decisions
// taken while there are any, effects out, and timers woken when they are due. It is how every world that has its own
// clock is run; a world in real time blocks in Next.
//
// Told, if not nil, is called with every input before it is applied, and with what Apply answered.
//
// Others are driven beside the engine: they are told every input after it, and woken when they want to be. Their effects
// must be numbered apart from the engine's and from one another's, as outcomes are told to all.
func Drive(e *Engine, w world.World, until time.Time, told func(world.Input, error), others ...evict.Controller) {
	for {
		e.settleIn(w)
		for _, other := range others {
			handOver(w, other.Effects())
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
		if told != nil {
			told(in, err)
		}
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
func (e *Engine) settleIn(w world.World) {
	for {
		handOver(w, e.Effects())
		if _, more := e.Step(); !more {
			handOver(w, e.Effects())
			return
		}
	}
}

func handOver(w world.World, effects []world.Effect) {
	for _, effect := range effects {
		w.Do(effect)
	}
}
