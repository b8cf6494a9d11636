// Package podtopologyspread spreads pods over topology domains: zones, nodes, or the values of any node label.
//
//	PreFilter ── hard constraints ──► count per domain ──► preFilterState ──► Filter: count + self − minimum ≤ maxSkew
//	PreScore  ── soft constraints ──► count per domain ──► preScoreState  ──► Score: emptier domains are better
//
// A pod's constraints are its own; only a pod without any gets the default ones, whose selector is that of the Services
// and the controller it belongs to. Pods with equal constraints, such as those of one template, share a constraintSet.
// Package topology counts, per set, the matching pods per value of each key; it keeps the counts of recent sets and
// recounts only the nodes that changed.
//
// All decisions are those of kube-scheduler 1.35, its quirks included: a constraint with an empty selector counts no pods
// of the snapshot, but counts those that are added or removed hypothetically; the same holds for terminating pods; and a
// constraint without any eligible node passes.
//
// # Differences from kube-scheduler
//
// After AddPod and RemovePod on several nodes the minimum is exact. Upstream remembers two domains per constraint, so it
// is exact only if all those pods are on one node, as they are whenever the scheduler itself asks.
package podtopologyspread
