package whatif

import (
	"slices"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// finishPending completes the effects that the fork waits for, bindings and preemptions whose calls the real cluster
// has received. It makes them in the simulated cluster, under their numbers, and applies their consequences.
func (r *run) finishPending() {
	unsent := r.engine.Effects()
	for _, awaited := range r.engine.PendingEffects() {
		mine := slices.ContainsFunc(unsent, func(e world.Effect) bool { return e.ID == awaited.Effect })
		switch {
		case mine:
		case r.isBound(awaited):
			r.applyInput(world.Input{At: r.now, Event: world.EffectDone{Effect: awaited.Effect}})
		default:
			r.bridge.Do(world.Effect{ID: awaited.Effect, At: r.now, Action: awaited.Act})
		}
	}
	for _, e := range unsent {
		r.bridge.Do(e)
	}
	r.emitEffects()
	for in, ok := r.bridge.Next(r.now); ok; in, ok = r.bridge.Next(r.now) {
		r.applyInput(in)
		r.emitEffects()
	}
}

// isBound reports whether a binding has succeeded already and only its outcome is missing. Other calls are safe to
// repeat.
func (r *run) isBound(awaited engine.PendingEffect) bool {
	bind, ok := awaited.Act.(world.Bind)
	if !ok {
		return false
	}
	pod := r.engine.Store().Pod(bind.Pod.Namespace, bind.Pod.Name)
	return pod != nil && pod.UID == bind.Pod.UID && pod.Spec.NodeName == bind.Node
}

// applyInput applies an input to all controllers of the run.
func (r *run) applyInput(in world.Input) {
	for _, c := range r.controllers() {
		c.Apply(in)
	}
}

// emitEffects passes the engine's effects to the cluster.
func (r *run) emitEffects() {
	for _, effect := range r.engine.Effects() {
		r.bridge.Do(effect)
	}
}
