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

// Differences are the places where the two queues are kept apart or made alike on purpose, because upstream's answer
// is random or because ours is meant to be better. Everything else must agree.
var Differences = []string{
	"Equal timestamps: scripts let a millisecond pass before every step, so that upstream's order by priority and timestamp is total. Ours falls back on the order of arrival, upstream's on the layout of its heap.",
	"PreEnqueue plugins: upstream asks them in random order, so scripts let at most one of them refuse a pod at any time. Ours asks in the order of the profile, the gating one first.",
	"Error back-off: upstream does not show which of its two back-off heaps holds a pod; it is taken to be the one for errors when no plugin is on record.",
	"Back-off expiration: upstream works it out when it first needs it, ours when the attempt fails. It is compared where upstream has it.",
	"Nominations under the empty node name: upstream keeps them, ours does not; no node has that name.",
	"An update that means two events, with SchedulerPopFromBackoffQ off: upstream may put the pod into backoffQ and leave or put it into unschedulablePods as well. Ours stops at the first landing. Scripts with the gate off change one thing per update.",
	"Adding a pod that is in flight: upstream queues it a second time and drops one later, ours does not take it. Scripts add a pod only when it is new.",
	"A failed pod whose name now belongs to another pod: upstream's scheduler requeues the old one as the new one, which is then queued beside itself or leaves a flight that never ends. Ours, like the scripts here, drops the old one.",
	"Hints: which of several matching hints are asked is random upstream, so only what follows from the answers is compared.",
}
