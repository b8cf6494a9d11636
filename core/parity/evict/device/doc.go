// Package device plays random histories of devices, claims, rules and pods to kube-controller-manager's own device taint
// eviction controller and to orrery/core/evict/device, and demands that the two do the same things at the same times.
//
//	           ┌──► upstream's Controller, its goroutines in the virtual time of testing/synctest ──┐
//	history ───┤                                                                                    ├─► compare
//	           └──► our Controller, told the same times ────────────────────────────────────────────┘
//
// Compared are, each with its time: every event about a deletion or a cancellation, every status patch, every deletion
// and every deletion that failed, and every condition that a rule's status gets. Within one moment the order does not
// count: upstream's is that of a map.
//
// ORRERY_CASES says how many histories to play, ORRERY_SEED which. One that differs is cut down and printed.
package device

// Differences are the places where the two are kept apart on purpose, because ours is meant to be better or because
// upstream's answer is left to chance. Everything else must agree.
var Differences = []string{
	"Tolerations without an effect: upstream's controller does not see them. Histories have none.",
	"Claims reserved for a pod that is not known: upstream looks at no pod behind it. A pod's end takes it off the lists of its claims in the same moment.",
	"Pods that are being deleted: upstream counts them once more whenever it looks at them. Histories have pods that are gone at once.",
	"Pods that have run to their end, and taints without a time: histories have none.",
	"Attempts that fail: upstream tells of each. Only the first event in a row of attempts is compared, and steps are a second apart from it.",
	"Looks at a rule: upstream takes one ten seconds after it has looked at a pod, for whatever reason, and sometimes that is one of another claim or for a slice that says nothing new. So now and then it reports earlier than it would have. At most one history in a thousand may differ in the times of its reports.",
	"Events: repeated ones are counted instead of sent. Compared are pod, text and time.",
}
