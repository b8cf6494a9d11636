package engine

import (
	"time"

	"orrery/core/world"
)

// Drive runs an engine in a world until a moment, or until nothing more will happen before it: inputs in, decisions
// taken while there are any, effects out, and timers woken when they are due. It is how every world that has its own
// clock is run; a world in real time blocks in Next.
//
// Told, if not nil, is called with every input before it is applied, and with what Apply answered.
func Drive(e *Engine, w world.World, until time.Time, told func(world.Input, error)) {
	for {
		e.settleIn(w)
		wake, due := e.NextWake()
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
	}
}

// settleIn decides until there is nothing to decide, handing every effect to the world.
func (e *Engine) settleIn(w world.World) {
	for {
		e.handOver(w)
		if _, more := e.Step(); !more {
			e.handOver(w)
			return
		}
	}
}

func (e *Engine) handOver(w world.World) {
	for _, effect := range e.Effects() {
		w.Do(effect)
	}
}
