// Package taint evicts pods from nodes with NoExecute taints, as kube-controller-manager's taint-eviction-controller does, or
// predicts those evictions.
//
//	node tainted, untainted ──┐                      ┌─► forever      no timer; a running one is stopped
//	pod bound, tolerates more ┴─► evaluate: how ─────┼─► some time    a timer, unless one runs
//	                              long may it stay?  └─► not at all   evict
//	                                                                    │
//	timer fires ────────────────────────────────────────────────────────┤
//	                                                                    ▼
//	                        event ─► condition DisruptionTarget ─► delete ─► deleted
//	                                 └──── 5 attempts, 10 ms apart ────┘
//
// A [Controller] takes in the engine's inputs and keeps pods by node and the NoExecute taints of nodes. One that does not act
// does all but the last line; later inputs show what another controller does.
//
// # The rules
//
// Of the tolerations that match a taint, the first in the pod's order counts. The shortest of those limits the pod's stay; zero
// or less is immediate eviction. A pod that does not tolerate one of the taints is evicted at once.
//
// A running timer is neither shortened nor lengthened: it uses the tolerations at its start. Only an untolerated taint or an
// unlimited stay ends it early. A timer that started at the current time is restarted.
//
// A pod is evaluated only when its node's NoExecute taints change, when it is bound, and when its tolerations change. The timers
// of a deleted node run on, and new tolerations do not stop the timer of a pod on such a node.
//
// A terminating pod is deleted like any other. That can only shorten its remaining grace period.
//
// # Differences from kube-scheduler
//
// Here that is kube-controller-manager 1.35, where this is a controller of its own (KEP-3902).
//
//   - Timers belong to a pod, not to its name. A new pod with the name of a deleted one starts without its timer, and only the
//     pod that was due is deleted.
//   - A terminal pod is left alone. Upstream deletes it too, and with it the record of a Job.
//   - A toleration of 292 years and more never ends. Upstream's number overflows, and the pod may be evicted at once.
//   - A pod that could not be deleted in five attempts is retried after 1 s, 2 s, 4 s and so on, at most a minute apart. Upstream
//     forgets it until its node or its tolerations change.
//   - A pod that is deleted before its attempt is not tried four more times.
//   - A deletion between two of its calls is cancelled if the pod may stay after all.
//   - The time from due to deleted is in seconds; upstream's metric is 10^9 times that.
//   - Events carry the pod's UID.
package taint
