// Package queue runs random scripts of calls on kube-scheduler's scheduling queue and on orrery/core/scheduler/queue, and requires
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
// Most plugins in the scripts are made for them, one for both. Those of volumes are kube-scheduler's on its side and Orrery's
// on the other, each with the claims, volumes, classes, CSINodes, drivers, capacities and attachments that the script has.
//
//	go test ./queue                                       500 scripts of 80 steps, with SchedulerPopFromBackoffQ on and off
//	ORRERY_CASES=20000 ORRERY_SEED=7 go test -v ./queue   20,000 others
package queue
