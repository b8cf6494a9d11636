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
//	order.go     where pods stand in the other scheduler's queue
//	toggle.go    single events, undone or foreseen
//	streams.go   which of them the other may have seen otherwise, and in what succession
//	trial.go     a ranking with some of them so
//	search.go    looking for those that explain a decision
//	compare.go   how the real node stands among the others
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
// If not, the other scheduler had something else before it than we had. It decides about one pod after the other, and has
// the bindings done by many hands, so that they overtake one another: in a burst it had assumed pods whose bindings were
// heard of later, and had not decided yet about pods that were heard of before. And a change may have reached one of us
// first. The judge runs a [Window] behind what it hears, so as to know what came next, and remembers what came before for a
// [Memory]. What the other had seen is narrowed down by three rules, none of which depends on how fast anybody is:
//
//   - Its queue gives the more important pod first, and of equals the one that came first. Both of us hear of pods in one
//     order. So it is certain which of two pods was decided about first, unless the more important one came later. A
//     decision is put off, for a [Hold] at most, until the pods before it in the queue have been heard of.
//   - What is said of pods comes in one order, and what had not happened before the pod was bound had not been seen.
//     Of pods that came later and are more important, that left, or that somebody else bound, it had seen the first ones up
//     to some moment, a [Hold] before it was heard of at most, or as long as bindings came without a pause; and of the less
//     important ones that came earlier it had decided about the first ones.
//   - Nodes and everything else come in an order of their own, of which it had also seen the first ones up to some moment.
//     That is further than a Window from when the binding was heard of only if bindings came without a pause meanwhile.
//
// So the search (search.go) begins with what is certain, then has each of those moments slide to where the real node comes
// nearest to the best, and last tries single events within the window, each of which must bring it nearer, and only a few.
// Pods' order is unknown, and only the window bounds it, where pods have been tried before, wait to be admitted to the queue
// or to have been allocated devices, were waiting when another replica took the lead, or where the configuration has
// another QueueSort plugin than PrioritySort.
//
// If the real node is among the best then, the difference is explained, and the events are named that it takes. A scheduler
// of other mind is not explained away: its decisions would have to be right for some moment that it could have been in. If
// the configuration has only part of the nodes scored, a node that is the best of a part as large as that is explained by it.
//
// A pod that the other scheduler declares unschedulable is judged in the same way: no node must do.
//
// # What is not judged
//
// Pods that came with a node, or whose node was first seen in a list made after a watch was lost, and pods of other
// schedulers' names. Nor the decisions about pods that were waiting when a list was made, the first one or one made after a
// watch was lost, if they are heard of within a [Memory] after it: they may have been made before it, and nobody knows what
// was so then. A shadow that begins in the middle of a burst misses what was under way. All of them are counted.
//
// # What it costs
//
// A second engine's memory without a decision log, and what happened within a Memory; one ranking for every pod that gets a
// node; and for every difference a fork and some rankings more. How many is bounded for one difference, and by the time that
// passes for all of them (trial.go): a scheduler that differs all the time is asked less closely why.
package shadow
