// Package engine is the scheduler: one writer that owns the queue, the cache and the profiles, and turns inputs into
// decisions and effects.
//
// # How it is driven
//
//	for {
//		e.Apply(input)                  // what happened; timers due before it go off first
//		for {
//			d, more := e.Step()         // one pod's scheduling
//			world.Do(e.Effects()...)    // what is to be done about it
//			...
//		}
//		wait until e.NextWake(), or until the next input
//	}
//
// [Drive] is this loop for a world with a clock of its own. The contract:
//
//  1. Inputs are applied one at a time, by one goroutine, in the order of their times.
//  2. Objects in inputs are never changed afterwards.
//  3. Every effect that world.Answered says yes to is answered by exactly one world.Ended, sooner or later.
//  4. The engine reads no clock. The time of the last input is the time; when NextWake comes without one, a
//     world.Passed brings it.
//
// In return the engine is a function: the same options, inputs and steps give the same decisions and effects, bit for
// bit, and [Engine.Digest] proves it.
//
// # How a pod travels
//
//	Changed(pod added)        store ─► queue (PreEnqueue) ─► gated │ active
//	Step                      Pop ─► snapshot ─► PreFilter ─► Filter from the start index on
//	                            none will do: PostFilter ─► requeue, condition, event
//	                            PreScore ─► Score ─► pick ─► assume ─► Reserve ─► Permit
//	                            ─► binding record ─► [wait] ─► PreBind ─► Effect(Bind)
//	Ended(bind)               event, PostBind │ Unreserve, forget, requeue
//	Changed(pod has its node) the cache confirms what was assumed
//
// A binding is a record, not a goroutine: it moves on when an input says that what it waits for has happened, so any
// number may be under way while the next pods are scheduled.
//
// # Files
//
// apply, pods and cluster take inputs in, registered says which kinds they have to be of; cycle, search and pick are one attempt; failure and binding are what follows
// from it; wishes are the effects and what plugins may ask for; explain, decision, lastsearch, view, awaited and
// problems are for readers.
//
// # How many nodes are looked for
//
// The documentation contradicts itself about percentageOfNodesToScore. Here, as in kube-scheduler: 0 is allowed and
// means that the cluster's size decides; otherwise it is 1 to 100 percent; and whatever it says, a search ends with no
// fewer than 100 feasible nodes, or with all nodes where there are fewer than 100.
//
// # Chance
//
// Two things are random in kube-scheduler and decided here. Which of several best nodes is taken comes from the seed
// (or, by [ByHeap], from the order of the search). The order in which nodes that a PreFilter plugin singled out are
// looked at is the snapshot's.
//
// # Differences from kube-scheduler
//
//   - A pod that was deleted and created again under its name while its first self was being scheduled is not put back
//     in the queue in the other's stead: the UID is compared.
//   - Notes of events are taken as they are; kube-scheduler uses them as a format, which mangles a percent sign. One
//     that is too long is cut between characters and not within one, which the API server would refuse.
//   - A pod of ours that is given to another scheduler leaves the queue at once.
//   - A bound pod that is seen on another node, or on none, is taken there; kube-scheduler stops.
//   - A panic of a plugin is not caught: it is a bug, and the state after it is worth nothing.
package engine
