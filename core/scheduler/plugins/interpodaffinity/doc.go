// Package interpodaffinity places pods near the pods that their affinity names and away from those that their anti-affinity
// names, by topology domain.
//
//	                     own required terms ─┐
//	PreFilter ── existing pods' required  ───┴► sums per domain ──► preFilterState ──► Filter
//	             anti-affinity terms
//	PreScore  ── preferred terms, both ways ──► sums per domain ──► preScoreState  ──► Score, NormalizeScore
//
// Pods with equal terms, labels and namespace share a termSet. Package topology sums, per set, the terms that match on
// either side; it weighs each class of existing pods once and recounts only the nodes that changed.
//
// All decisions are kube-scheduler's, its quirks included: an existing pod counts for required affinity only if
// it matches all terms; a namespace selector of the pod's own terms is resolved to names and, up to 1.36, still matched against a
// namespace without labels; a pod's own preferred terms switch ignorePreferredTermsOfExistingPods off.
//
// # Differences from kube-scheduler
//
// Upstream's queueing hints look at the pending pod's own terms only, take namespaces for unlabelled, and treat several
// terms as one, so some pods wait for minutes although the event that helps has happened. Here a pod is also requeued when
//
//   - a pod is deleted whose required anti-affinity kept it out;
//   - a node is added, or its labels change, and the pod's own affinity does not rule that node out: domains of the
//     anti-affinity of existing pods may have changed;
//   - a pod in a namespace that a namespaceSelector selects by its labels starts or stops to match;
//   - a pod is deleted, or relabelled, that matched some of its required anti-affinity terms but not all;
//   - the last pod that matched its required affinity may be gone and it matches its own terms, so it may be the first;
//   - its own labels change.
//
// Every event on which upstream requeues a pod requeues it here.
package interpodaffinity
