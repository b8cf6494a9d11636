// Package taint plays random histories of nodes and pods to kube-controller-manager's own taint eviction controller and
// to orrery/core/evict/taint, and demands that the two do the same things to the same pods at the same times.
//
//	           ┌──► upstream's Controller, its goroutines in the virtual time of testing/synctest ──┐
//	history ───┤                                                                                    ├─► compare
//	           └──► our Controller, told the same times ────────────────────────────────────────────┘
//
// Compared are, each with its time: every event about a deletion or a cancellation, every status patch, every deletion
// and every deletion that failed. Within one moment the order does not count: upstream's is that of a map.
//
// ORRERY_CASES says how many histories to play, ORRERY_SEED which. One that differs is cut down and printed.
package taint

// Differences are the places where the two are kept apart on purpose, because ours is meant to be better or because
// upstream's answer is left to chance. Everything else must agree.
var Differences = []string{
	"Names that are taken over: upstream's timer belongs to a name, and is inherited when a deletion and a creation are seen as one. Histories let a microsecond pass between the two.",
	"Pods that have run to their end: upstream deletes them, ours lets them be. Histories have none.",
	"Tolerations of 292 years and more: upstream's number overflows. Histories have none.",
	"Five failed attempts: upstream gives up, ours goes on. Histories let at most four fail.",
	"Taints that change while attempts fail: upstream starts a second row of attempts beside the first, or goes on with one that has lost its reason. Histories let a second pass.",
	"A pod that is gone, and is not known to be: upstream goes on asking for it. Histories let a microsecond pass between a deletion and what comes next.",
	"Events: upstream's have no UID, and repeated ones are counted instead of sent. Compared are pod, text and time.",
	"The latency metric: upstream's is 10^9 times too large, and is not compared.",
}
