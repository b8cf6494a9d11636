package drive

import (
	"time"

	"orrery/core/world"
)

// Virtual runs controllers in a world with a virtual clock, which jumps from one event to the next.
type Virtual struct {
	World       world.World
	Controllers []Controller
	// Stop, if not nil, ends a run early: it is called after every round of effects.
	Stop func() bool
}

// Run runs until a time, or until nothing more happens before it.
func (v *Virtual) Run(until time.Time) {
	var now time.Time
	for {
		g := group(v.Controllers)
		g.emit(v.World.Do)
		if v.Stop != nil && v.Stop() {
			return
		}
		wake, due := g.nextWake()
		if due = due && !wake.After(until); !due {
			wake = until
		}
		if wake.Before(now) { // time never runs backwards
			wake = now
		}
		in, ok := v.World.Next(wake)
		switch {
		case ok:
		case due:
			in = world.Input{At: wake, Event: world.Tick{}}
		default:
			return
		}
		now = in.At
		g.apply(in)
	}
}

// Run runs controllers in virtual time until a time.
func Run(w world.World, until time.Time, controllers ...Controller) {
	v := Virtual{World: w, Controllers: controllers}
	v.Run(until)
}
