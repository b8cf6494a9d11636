// Package nodeaffinity matches a pod's node selector and node affinity, and the affinity that a profile adds, with
// nodes.
//
//	required:   nodeSelector  AND  (term OR term OR …)  AND  addedAffinity       Filter
//	preferred:  the weights of all matching terms, addedAffinity's too, summed   Score
//
// A term matches when all its expressions (on labels) and all its fields (metadata.name alone) match; a term with neither
// matches no node. A required term that cannot be parsed matches no node and is otherwise ignored; a preferred one is an
// error.
//
// Terms that name their nodes through metadata.name let PreFilter return just those nodes, so that the pod of a DaemonSet
// is not filtered on the whole cluster.
//
// A pod's terms are parsed once per cycle into selectors (selector.go) that match without allocating.
//
// # Differences from kube-scheduler
//
//   - A node that starts to match the terms of the profile requeues the pods whose own terms it matched before. In
//     kube-scheduler they wait for another event, for up to five minutes.
//   - An empty list of preferences is skipped like a missing one. Scores are the same.
//   - Signatures tell a required affinity without terms, which no node matches, from none.
package nodeaffinity
