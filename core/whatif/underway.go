package whatif

import (
	"slices"

	"orrery/core/engine"
	"orrery/core/world"
)

// settle ends well what the fork was waiting for: bindings and preemptions whose calls somebody else had taken over. They
// are made in the simulated cluster, under their numbers, and so is what they lead to.
func (r *run) settle() {
	unsent := r.engine.Effects()
	for _, awaited := range r.engine.Awaited() {
		mine := slices.ContainsFunc(unsent, func(e world.Effect) bool { return e.ID == awaited.Effect })
		switch {
		case mine:
		case r.madeAlready(awaited):
			r.tell(world.Input{At: r.now, Event: world.Ended{Effect: awaited.Effect}})
		default:
			r.bridge.Do(world.Effect{ID: awaited.Effect, At: r.now, Act: awaited.Act})
		}
	}
	for _, e := range unsent {
		r.bridge.Do(e)
	}
	r.handOver()
	for in, ok := r.bridge.Next(r.now); ok; in, ok = r.bridge.Next(r.now) {
		r.tell(in)
		r.handOver()
	}
}

// madeAlready tells of a binding whether the pod is there, and only the answer has not come. Other calls can be made twice.
func (r *run) madeAlready(awaited engine.Awaited) bool {
	bind, ok := awaited.Act.(world.Bind)
	if !ok {
		return false
	}
	pod := r.engine.Store().Pod(bind.Pod.Namespace, bind.Pod.Name)
	return pod != nil && pod.UID == bind.Pod.UID && pod.Spec.NodeName == bind.Node
}

// handOver hands the engine's wishes to the cluster.
func (r *run) handOver() {
	for _, effect := range r.engine.Effects() {
		r.bridge.Do(effect)
	}
}
