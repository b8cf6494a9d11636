// Package interpodaffinity places pods near pods they want and away from pods they do not, by topology domain.
//
//	                     own required terms ─┐
//	PreFilter ── existing pods' required  ───┴► sums per domain ──► preFilterState ──► Filter
//	             anti-affinity terms
//	PreScore  ── preferred terms, both ways ──► sums per domain ──► preScoreState  ──► Score, NormalizeScore
//
// What the pod asks of others and what others ask of it is worked out by one question per kind of pod: same namespace and
// its labels, same labels, same terms. Questions are answered by package census, which looks at each class of existing
// pods once and counts again only the nodes that changed.
//
// Everything that decides is as in kube-scheduler 1.35, its quirks included: an existing pod counts for required affinity
// only if it matches all terms; a namespace selector of the pod's own terms is resolved to names and then still asked
// about a namespace without labels; a pod's own preferred terms switch ignorePreferredTermsOfExistingPods off.
//
// # Differences from kube-scheduler
//
// Upstream's queueing hints look at the waiting pod's own terms only, take namespaces for unlabelled, and treat several
// terms as one, so some pods wait for minutes although what they waited for has happened. Here a pod is also woken when
//
//   - a pod is deleted whose required anti-affinity kept it out;
//   - a node is added, or its labels change, and the pod's own affinity does not rule that node out: domains of the
//     anti-affinity of existing pods may have changed;
//   - a pod in a namespace that a namespaceSelector selects by its labels begins or ceases to match;
//   - a pod is deleted, or relabelled, that matched some of its required anti-affinity terms but not all;
//   - the last pod that matched its required affinity may be gone and it matches its own terms, so it may be the first;
//   - its own labels change.
//
// Wherever upstream wakes a pod, it is woken here.
package interpodaffinity
