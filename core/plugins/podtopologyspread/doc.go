// Package podtopologyspread places pods so that those which look alike are spread over topology domains: zones, nodes,
// or whatever a node label names.
//
//	PreFilter ── hard constraints ──► count per domain ──► preFilterState ──► Filter: count + self − minimum ≤ maxSkew
//	PreScore  ── soft constraints ──► count per domain ──► preScoreState  ──► Score: emptier domains are better
//
// A pod's constraints are its own; only a pod without any gets the default ones, whose selector is that of the Services
// and the controller it belongs to. Either way they become a question ("how many pods that match, in this namespace, on
// nodes that count, per value of this key"), and questions are answered by package census, which keeps the answers of
// recent questions and counts again only the nodes that changed since. Pods of one template ask the same question.
//
// Everything that decides is as in kube-scheduler 1.35, its quirks included: a constraint with an empty selector counts
// nobody at first, yet follows pods that are added or removed in thought; so does a pod that is being deleted; and when no
// node is eligible at all the constraint passes.
//
// # Differences from kube-scheduler
//
// After AddPod and RemovePod on several nodes the minimum is exact. Upstream remembers two domains per constraint, so it
// is exact only if all those pods are on one node, as they are whenever the scheduler itself asks.
package podtopologyspread
