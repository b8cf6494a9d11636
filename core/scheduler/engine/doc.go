// Package engine is the scheduler: one writer that owns the queue, the cache and the profiles, and turns inputs into
// decisions and effects.
//
// # How it is driven
//
// Package drive has the loop: apply an input, decide until no pod is ready, emit effects, wait for the next input or timer.
// The contract:
//
//  1. Inputs are applied one at a time, by one goroutine, in the order of their times.
//  2. Objects in inputs are never changed afterwards.
//  3. Every effect for which world.HasOutcome is true gets exactly one world.EffectDone, eventually.
//  4. The engine reads no clock. Its time is that of the last input; if NextWake passes without an input, the driver
//     applies a world.Tick.
//
// In return the engine is a function: the same options, inputs and steps give the same decisions and effects, bit for
// bit, and [Engine.Digest] proves it.
//
// # The path of a pod
//
//	Changed(pod added)        store ─► queue (PreEnqueue) ─► gated │ active
//	Step                      Pop ─► snapshot ─► PreFilter ─► Filter from the start index on
//	                            none is feasible: PostFilter ─► requeue, condition, event
//	                            PreScore ─► Score ─► pick ─► assume ─► Reserve ─► Permit
//	                            ─► binding record ─► [wait] ─► PreBind ─► Effect(Bind)
//	EffectDone(bind)          event, PostBind │ Unreserve, forget, requeue
//	Changed(pod has its node) the cache confirms what was assumed
//
// A binding is a record, not a goroutine: it advances when an input reports the outcome it waits for, or changes an object
// that a PreBind plugin waits for (objectwaits.go), so any number may be in flight while the next pods are scheduled.
//
// # Extenders
//
// An extender is asked in the middle of a scheduling cycle, and no goroutine waits for its answer. The call is an effect,
// the answer its outcome, and the cycle in between is a record, [attempt], whose [search] knows the step that it has come to:
//
//	preFiltering ─► evaluating ─► filtering ────────► scoring ─► prioritizing ─► searched
//	                    │             │                             ▲  │
//	                    ▼             ▼                             │  ▼
//	               extendingOne  extendingAll: one call after    all calls at once, until
//	                             the other, until none is        the last one is answered
//	                             left to ask, or no node
//
// While it waits, the engine applies inputs: pods are queued and requeued, bindings go on and end. The cycle's snapshot stays as
// it is, and no other cycle begins: Step has nothing to decide until the answers are there. So decisions are kube-scheduler's,
// whose cycles are serial, too. What happens meanwhile counts as in-flight events if the pod fails.
//
// When the pod is deleted, the calls are cancelled and the attempt ends with the next Step. A fork waits for the same answers. Its
// plugins filter the nodes of the cycle again, since the data in a cycle's state belong to the plugins that wrote them; so after a
// change of other objects than nodes and pods in the middle of a cycle, a fork may find something else than its original.
//
// An answer that no world has, of a simulated cluster without the extender, leaves all nodes, gives no score and agrees with all
// victims. Explanations, and an engine with [Options.ExtendersUnasked], go by the same rule without asking. The decision names those
// extenders as unknown.
//
// About preemption a PostFilter plugin asks, through its handle. The call fails until it is answered, so that the plugin returns; then
// the plugin is called again, with the same cycle state, and gets the answer (extenderpreemption.go).
//
// An extender that binds is called in the binding, beside other cycles.
//
// # Files
//
// apply, pods and cluster apply inputs; watches lists their kinds, and podevents what plugins register for. cycle is one attempt, and
// search its search: feasible has the nodes that it finds, ranking what decides between them, selecthost the pick, batch the scores
// of the last pod, rescoring the same with that pod's node scored anew, reusedsearch the search with what earlier cycles found out,
// nominatedplaces the nodes that it looks at by themselves, cyclememory what it writes to, and extending and prioritizing its calls
// of extenders. failure, binding, prebind, parallelprebind and extenderbinding follow from it; memorypreemption ends a binding for
// another pod, and posted has what plugins on goroutines of their own ask for. effects emits effects, for the engine and its
// plugins. explain, keptverdicts, dryrun, trial, decision, lastsearch, view, pendingeffects and problems are for readers. codec
// writes the engine's state, and reads it into another engine, codec_bindings that of bindings; testdata/state.fields says of every
// field whether it is written, and why not.
//
// # What a search has found
//
// Two values of a search go from form to form, and each form means one thing. A step asks for the form, and for nothing else.
//
//	feasibleNodes   ownList
//	                foundOnly ─► feasibleListed ─► allListed ─► ownList: an extender put other nodes there
//	ranking         unranked ─► byScores, byRanks, byTotals or byBest; byBest goes with foundOnly alone
//
// # How many feasible nodes a search finds
//
// The documentation contradicts itself about percentageOfNodesToScore. Here, as in kube-scheduler: 0 is allowed and
// means that the cluster's size decides; otherwise it is 1 to 100 percent. A search always looks for at least 100 feasible
// nodes, or for all nodes where there are fewer than 100.
//
// # Randomness
//
// Two things are random in kube-scheduler and deterministic here. The seed selects among several best nodes (or, by
// [ByHeap], the order of the search). Nodes that a PreFilter plugin selected are visited in snapshot order.
//
// # Differences from kube-scheduler
//
//   - A pod that was deleted and recreated under its name during an attempt is not requeued in place of the new one: the
//     engine compares the UID.
//   - A pod that every Bind plugin skips gets an event and a condition that say so; kube-scheduler reports nothing.
//   - Event notes are used literally; kube-scheduler uses them as a format, which mangles a percent sign. A note that
//     is too long is cut between characters, not within one, which the API server would reject.
//   - A queued pod whose schedulerName changes to another scheduler leaves the queue at once.
//   - A bound pod that appears on another node, or on none, is moved there and reported as a problem; kube-scheduler stops.
//   - A pod that is deleted while extenders are asked about it is given up at once. kube-scheduler goes on until its binding fails.
//   - A pod that comes back under its UID while its binding is in flight, as after an old list, is assumed again and waits for that
//     binding's end. Kube-scheduler places it again beside it, and what one of the two gives up the other may hold.
//   - A plugin cannot call extenders through its handle, except about preemption, in PostFilter, which is then called again with the
//     answer. An extender that may be ignored says that it may not while it is asked.
//   - A PreBind plugin of others runs to its end when its pod is preempted; kube-scheduler, from 1.36 on, cancels its context.
//   - A plugin's panic fails its call, and the scheduler goes on; kube-scheduler ends.
package engine
