// Package lifecycle plays random histories of zones and their nodes to kube-controller-manager's own node lifecycle
// controller and to orrery/core/evict/lifecycle, and demands that the same taints are set and taken off at the same times.
//
//	           ┌──► upstream's passes, called one after the other in the virtual time of testing/synctest ──┐
//	history ───┤                                                                                            ├─► compare
//	           └──► our Machine, told the same times ───────────────────────────────────────────────────────┘
//
// Compared are, each with its time: which node's conditions become Unknown, every NoSchedule taint by its node, and every
// NoExecute taint by its zone. Which of the nodes that wait in a zone gets its taint first, upstream leaves to chance; so
// in a history all nodes of a zone that are in trouble share it, and recover together.
//
// ORRERY_CASES says how many histories to play, ORRERY_SEED which. One that differs is cut down and printed.
package lifecycle

// Differences are the places where the two are kept apart on purpose. Everything else must agree.
var Differences = []string{
	"The order of nodes that wait: ours is that in which they came. Of these taints only the zone is compared.",
	"A silence that ends in the very moment of a look: upstream's looks are never that punctual. Grace periods here are no multiples of the time between two looks.",
	"A taint that is swapped for its opposite at the very look at which the last node ceases to be ready: upstream leaves it on, ours takes it off with all others. Histories let a look pass between the two.",
	"Zones without a node that counts: upstream forgets them or does not, by the order of a map. Histories have none.",
	"NoExecute taints that are there when the controller begins: upstream takes them off. Histories begin without.",
}
