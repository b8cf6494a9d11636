// Package taint makes pods leave nodes whose taints say NoExecute, as kube-controller-manager's
// taint-eviction-controller does, or foretells what that one will do.
//
//	node tainted, untainted ──┐                      ┌─► forever      no timer, and a running one is stopped
//	pod bound, tolerates more ┴─► judge: how long ───┼─► some time    a timer, unless one runs
//	                              may the pod stay?  └─► not at all   leave
//	                                                                    │
//	timer goes off ─────────────────────────────────────────────────────┤
//	                                                                    ▼
//	                        event ─► condition DisruptionTarget ─► delete ─► gone
//	                                 └──── 5 attempts, 10 ms apart ────┘
//
// A [Controller] is told the inputs that the engine is told and keeps what it needs of them: pods by node, and the
// NoExecute taints of nodes. One that does not act does all but the last line; whoever acts is seen in later inputs.
//
// # The rules
//
// Of the tolerations that match a taint, the first in the pod's order counts. The shortest of those that count limits
// the pod's stay, and zero or less is not at all. A pod that does not tolerate one of the taints leaves at once.
//
// A timer that runs is neither shortened nor lengthened: what counts is what was tolerated when it began. Only a taint
// that is not tolerated at all, or nothing that limits the stay any more, ends it early. A timer that began in this
// very moment is begun anew.
//
// Nobody looks at a pod but when its node's NoExecute taints change, when it is bound, and when its tolerations change.
// The timers of a node that is deleted run on, and a pod's that is on such a node are not stopped by new tolerations.
//
// A pod that is being deleted already is deleted like any other. That can only shorten the time it has left.
//
// # Differences from kube-scheduler
//
// Here that is kube-controller-manager 1.35.
//
//   - Timers belong to a pod, not to its name. A pod that takes over the name of one that is gone starts without its
//     timer, and what is deleted is the pod that was meant.
//   - A pod that has run to its end is let be. Upstream deletes it too, and with it the record of a Job.
//   - A toleration of 292 years and more is for ever. Upstream's number overflows, and the pod may leave in a moment.
//   - A pod that could not be deleted in five attempts is tried again: after 1 s, 2 s, 4 s and so on, each minute at
//     last. Upstream forgets it until its node or its tolerations change.
//   - A pod that is gone when its turn comes is not tried four more times.
//   - A deletion that is between two of its calls is called off when the pod may stay after all.
//   - The time from due to deleted is counted in seconds; upstream's metric is 10^9 times that.
//   - Events carry the pod's UID.
package taint
