// Package queue runs random scripts of calls on kube-scheduler's scheduling queue and on orrery/core/queue, and requires
// that the two agree after every step.
//
//	         ┌──► upstream's PriorityQueue, its goroutines on the virtual clock of testing/synctest ──┐
//	script ──┤                                                                                       ├─► compare
//	         └──► our Queue, given the time of that clock ────────────────────────────────────────────┘
//
// It compares which queue each pod is in, its counters, timestamps, back-off, rejectors and gate; the popped pod; the pods
// in flight; the nominated pods of each node, in order; the scheduling cycle; and, for the whole script, the counts of
// scheduler_queue_incoming_pods_total with those of our records.
//
//	go test ./queue                                       1,500 scripts of 80 steps
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test -v ./queue   20,000 others
package queue
