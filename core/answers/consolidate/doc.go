// Package consolidate finds which nodes of a cluster can be emptied, in which order, and what keeps the others.
//
//	candidates ──► by what they hold, the emptiest first
//	    │ a few that fit on the others, tried pod by pod (engine.Trial)
//	    ▼
//	whatif.Walk ──► drained in a simulated cluster, on what the wave before left ──► kept | a smaller wave | blocked
//	    │
//	    ▼
//	all nodes of the plan cordoned, the waves drained once more ──► Plan
//
// [Find] is a greedy search: it empties the node whose pods request the least of it, as long as every pod of it finds a place, none is
// preempted for that, and no budget refuses. Whatever it says was carried out in the simulated cluster, with its disruption budgets, by the
// drain of kubectl; the order and the waves are those of that run. A greedy search need not find the most nodes: [Plan.Bound] is how
// many could be emptied at most by the sums of requests, whoever searched.
//
// A pod that no controller replaces keeps its node, and so does what asks not to be disrupted: the annotations of Karpenter and of the
// Cluster Autoscaler. Volumes bound to a node keep their pods there by the scheduler's own rules. A drain deletes what is in emptyDir
// volumes, which no recording has.
package consolidate
