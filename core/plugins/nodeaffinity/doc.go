// Package nodeaffinity matches a pod's node selector and node affinity, and the affinity that a profile adds, with
// nodes.
//
//	required:   nodeSelector  AND  (term OR term OR …)  AND  addedAffinity       Filter
//	preferred:  the weights of all matching terms, addedAffinity's too, summed   Score
//
// A term holds when all its expressions (on labels) and all its fields (metadata.name alone) hold; a term with neither
// holds nowhere. A required term that cannot be parsed holds nowhere and is otherwise passed over, as the API always
// has; a preferred one is an error.
//
// Terms that name their nodes through metadata.name let PreFilter hand the framework just those nodes, so that a
// daemon's pod does not walk the cluster.
//
// A pod's terms are parsed once per cycle into selectors (selector.go) that match without allocating.
//
// # Differences from kube-scheduler
//
//   - A node that comes to match what the profile demands wakes the pods whose own demands it matched before. They would
//     otherwise wait until something else wakes them, for up to five minutes.
//   - A list of preferences that is there but empty is skipped like one that is not there. Scores are the same.
//   - Signatures tell a required affinity without terms, which no node matches, from none.
package nodeaffinity
