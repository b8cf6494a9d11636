// Package shadow is Orrery's engine beside another scheduler: it decides as if it were asked, touches nothing, and says how
// often the other agrees, and why where it does not.
//
//	                 ┌───────────────────────────── Shadow ─────────────────────────────┐
//	                 │           ┌──► engine ──► effects ──► pretence (nothing is done) │
//	inputs ──────────┼───────────┤      ▲                        │                      │
//	(from the real   │           │      └───── answers ──────────┘                      │
//	 API server)     │           └──► Judge: a second engine, which never decides ──────┼──► findings, tally
//	                 └──────────────────────────────────────────────────────────────────┘
//
// A Shadow has neither clock nor I/O: the same inputs and steps give the same findings. Whoever has a cluster drives it like
// an engine: Apply, Step until there is nothing to decide, and a Passed when NextWake has come.
//
//	shadow.go    both engines together
//	pretence.go  what becomes of the effects of an engine that must not act
//	judge.go     who got which node, and whether that was among the best
//	trial.go     what the other scheduler may have seen otherwise
//	toggle.go    single events, undone or foreseen
//	finding.go   what came of it, counted and kept
//
// # What the engine is told
//
// Its bindings are held: the pod is on its way, and its room taken, until the cluster says what became of it. If the other
// scheduler binds it to the same node the binding has succeeded; if it binds it elsewhere or declares it unschedulable, or
// nothing happens for [Patience], it has failed, and the engine reconciles as it would after a failed call. Everything else
// it wants done counts as done: a victim that was not deleted is still there, and says so itself.
//
// # How a real decision is judged
//
// The Judge's engine decides nothing, so that it holds what is so and nothing supposed. When an input says that a waiting pod
// got a node, it ranks all nodes for that pod, with the code that decides, as of just before. If no node is better than the
// real one, the two agree: which of several best nodes is taken is chance.
//
// If not, the other scheduler may have decided on something else than we had seen. It had assumed pods whose bindings came
// later, and had not decided yet about pods whose bindings overtook; and a node's change may have reached one of us first.
// So the judge runs a [Window] behind what it hears, and knows what came within that time before and after. It looks for a
// small change of that kind (trial.go) with which the real node is among the best:
//
//   - the order in which Orrery itself decided about the pods in that time, which the same queue gave;
//   - else single events, those next in time first, each of which must bring the real node nearer to the best.
//
// If there is one, the difference is explained, and the events are named. A pod that Orrery decided about clearly earlier
// cannot be supposed to have come later, and no more than a few events can be supposed at once, so that a scheduler of other
// mind is not explained away. If the configuration has only part of the nodes scored, a node that is the best of a part as
// large as that is explained by it.
//
// A pod that the other scheduler declares unschedulable is judged in the same way: no node must do.
//
// # What is not judged
//
// Pods that came with a node, or whose node was first seen in a list made after a watch was lost, and pods of other
// schedulers' names. They are counted.
//
// # What it costs
//
// A second engine's memory without a decision log, one ranking for every pod that gets a node, and for every difference a
// fork and some rankings more, at most [mostTrials].
package shadow
