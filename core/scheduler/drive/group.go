package drive

import (
	"time"

	"orrery/core/world"
)

// group is a loop's controllers, in order.
type group []Controller

// positionShift is the bit position of a controller's index in the effect IDs of the world.
const positionShift = 48

// PositionOf returns the position of the controller that emitted an effect of the world, and the controller's own ID of the effect.
func PositionOf(effect world.EffectID) (position int, own world.EffectID) {
	return int(effect >> positionShift), effect & (1<<positionShift - 1)
}

// apply applies an input to all controllers, and an outcome only to the controller that emitted the effect.
func (g group) apply(in world.Input) {
	done, ok := in.Event.(world.EffectDone)
	if !ok {
		for _, c := range g {
			c.Apply(in)
		}
		return
	}
	position, own := PositionOf(done.Effect)
	if position < len(g) {
		done.Effect = own
		g[position].Apply(world.Input{At: in.At, Event: done})
	}
}

// emit passes the effects of all controllers to the world.
func (g group) emit(do func(world.Effect)) {
	for i, c := range g {
		doAll(c.Effects(), i, do)
	}
}

// doAll passes the effects of the controller at a position to the world.
func doAll(effects []world.Effect, position int, do func(world.Effect)) {
	for _, effect := range effects {
		effect.ID += world.EffectID(position) << positionShift
		do(effect)
	}
}

// nextWake is the earliest timer of all controllers.
func (g group) nextWake() (first time.Time, due bool) {
	for _, c := range g {
		if at, ok := c.NextWake(); ok && (!due || at.Before(first)) {
			first, due = at, true
		}
	}
	return first, due
}

// Earliest returns the earliest of several timers; false if none is set.
func Earliest(timers ...func() (time.Time, bool)) (first time.Time, due bool) {
	for _, timer := range timers {
		if at, ok := timer(); ok && (!due || at.Before(first)) {
			first, due = at, true
		}
	}
	return first, due
}
