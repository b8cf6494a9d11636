// Package preempt makes room for a pod that fits nowhere, by having pods of lower priority leave.
//
//	eligible? ─► nodes whose rejection could go away ─► dry run on a sample of them ─► candidates
//	                                                                                      │
//	     nominate the node, have the victims leave  ◄── pick one, criterion by criterion ◄┘
//
// On each node of the sample, all pods of lower priority are taken away in a copy; if the pod fits then, they are put
// back one by one, the most important first, those guarded by a disruption budget before the others, and whoever can
// stay, stays. The rest are the victims. [Pick] compares the candidates by six criteria, each deciding among the nodes
// the one before left equal.
//
// [Evaluator.Find] is the whole decision and changes nothing. What follows from it is [Departures]: victims are marked
// and deleted by effects, the last one after the others, and the preemptor is held back from the queue meanwhile.
//
// Every decision leaves a [Record]: the preemptor, the victims, and the candidates that lost with the criterion that
// they lost by.
//
// # Differences from kube-scheduler
//
//   - Among candidates that all six criteria leave equal, the first in the order of the dry run is taken; kube-scheduler
//     takes a random one.
//   - A victim without a start time counts as started later than any that has one. kube-scheduler reads the clock anew
//     for every comparison.
//   - A preemptor that is held back until its victims have been asked to leave is tried once that is done, if they are gone
//     by then, as where another preemptor had the same ones leave. kube-scheduler waits for an event, which may not come.
//   - After a failed call, no further victim is asked to leave, and the preemptor is tried again. kube-scheduler goes on
//     with calls that are bound to fail.
package preempt
