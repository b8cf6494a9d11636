// Package pool knows the kinds of nodes that an autoscaler would make, which pods they could take, and how many it would make for those
// that wait.
//
//	Karpenter NodePools, NodeClaims ──► Karpenter ─┐
//	nodes with a label of a node group ──► Observed ┼─► Pools ──► Contradiction: which pool could take a pod, and what contradicts
//	a file of shapes ──► Read ─────────────────────┘     │
//	                                                      ▼
//	engine at rest with pods that wait ──► Grow: nodes of pools, in their order ──► Ask: added in a simulated cluster, to rest
//
// What a pool declares is what is known: its requirements, labels, taints, limits and weight. Which sizes of machines there are is not
// declared; known are those of nodes and NodeClaims that exist, and those of a file. Offerings, spot interruptions and the quota of a cloud are
// not known at all, and every answer says so.
//
// # In which order
//
// [Grow] takes the pods that wait by cpu and then by memory, the largest first, and for each the pools by weight, and of like weight the last name first, as
// Karpenter does. Of a pool it takes the size that holds most of the pods that are left; of several such, the cheapest if prices are known, else
// the smallest. That a pod gets the node is tried with the scheduler's own filters, after the pods of the daemon sets that the node would
// have. [Ask] then lets a simulated cluster come to rest with the nodes: what it says of pods is what the scheduler does with them, wherever
// Grow meant them to go.
package pool
