// Package queue plays random lives of pods to kube-scheduler's own scheduling queue and to orrery/core/queue, and
// demands that the two agree after every step.
//
//	         ┌──► upstream's PriorityQueue, its goroutines on the virtual clock of testing/synctest ──┐
//	script ──┤                                                                                       ├─► compare
//	         └──► our Queue, told the time of that clock ─────────────────────────────────────────────┘
//
// Compared are: where each pod is, its counters, timestamps, back-off, rejectors and gate; which pod is popped; who is
// in flight; who is nominated for which node, in which order; the scheduling cycle; and, for the whole script, what
// scheduler_queue_incoming_pods_total counted against what our records say.
//
//	go test ./queue                                       1,500 scripts of 80 steps
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test -v ./queue   others, and more of them
package queue
