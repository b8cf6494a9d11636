// Package cache has the scheduler's view of the cluster, and the frozen copy of it that one scheduling cycle uses.
//
//	   pod and node events, decisions
//	              │
//	              ▼
//	┌───────────────────────────── Cache ─────────────────────────────┐
//	│ podTable   UID → PodInfo           bound and assumed pods        │
//	│ entries    name → NodeInfo         node, its pods, their sums    │
//	│ list       newest … oldest         entries by last change        │
//	│ tree       zone → node names       the order of the list         │
//	│ imageTable name → size, nodes      shared by all nodes           │
//	└──────────────────────────────────────────────────────────────────┘
//	              │ UpdateSnapshot: walk the list from the newest
//	              ▼ until a generation the snapshot has seen
//	          Snapshot   NodeInfos in place, node order, affinity lists, claims in use
//	              │ Copy
//	              ▼
//	          NodeInfo   for simulating preemption and nominated pods
//
// # States of a pod
//
//	          AssumePod            AddPod (the cluster confirms)
//	unknown ────────────► assumed ───────────────────────────────► bound ─┐
//	   ▲                     │                                       ▲ └──┘ UpdatePod
//	   ├──── ForgetPod ──────┘          AddPod                       │
//	   ├─────────────────────────────────────────────────────────────┤
//	   └──── RemovePod ──────────────────────────────────────────────┘
//
// The UID identifies a pod. An assumed pod counts on its node like a bound one and never expires. A pod whose node is
// unknown or deleted is on an imaginary node: an entry without a node object, which no snapshot contains and which is
// dropped with its last pod. When the node is added (again), it has the pods.
//
// # Generations
//
// Every change of a NodeInfo in a Cache sets its generation to the next number of that Cache's counter, starting at 1.
// The generation is the only signal of a change: same Cache, same positive generation, same node and pods. (The number of
// nodes with an image is not part of it: a NodeInfo has the count at the time of the copy, as upstream's does, and another
// node's images do not change its generation.) The counter belongs to the Cache, so the same inputs give the same
// generations on every run.
//
// A copy keeps its generation until it is changed. AddPodInfo, RemovePod and SetNode called from outside give it a negative
// generation, counting down from -1. A negative generation belongs to no cache: do not compare it, not even with another
// negative one. A fork continues the counter, so generations of two forks must not be compared either, beyond the one at
// the fork.
//
// # Copies
//
// Copies, snapshots and forks share maps and arrays until one of them writes. Copying a NodeInfo with a hundred
// pods is one allocation; appending a pod leaves the arrays of the copies alone; removing one copies the array first.
// Shared data is never written again, so forks and copies may be used on other goroutines. A single Cache or Snapshot
// belongs to one goroutine at a time.
//
// # Differences from kube-scheduler
//
//   - Snapshot order. kube-scheduler reorders its list only when the number of nodes changed or a node is new to the
//     snapshot, so a node that moved to another zone, or was deleted and recreated between two cycles, keeps its old
//     position until then. Here the list follows the tree at every refresh: a refreshed snapshot equals a new one.
//   - The generation of a snapshot never goes back. In kube-scheduler it does when the last changed node is deleted.
//   - A contradiction about a bound pod's node is a *CorruptionError instead of the end of the process.
//   - The cache uses its own state, not the caller's old copy: UpdatePod and ForgetPod remove the cached pod, and a
//     node's former zone and images are those in the cache. An outdated old copy makes kube-scheduler count a pod or a
//     node twice, or lose it.
//   - A known node that is added again in another zone moves; in kube-scheduler it is listed twice from then on. An
//     imaginary node whose node arrives as an update is listed; in kube-scheduler it is not.
//   - UpdatePod rejects a new version with another UID, or with none.
//   - RemovePod on a NodeInfo without a node object returns its error; in kube-scheduler it panics.
//   - A snapshot that lost nodes is rebuilt from the cache; kube-scheduler reorders the remaining nodes.
//   - Amounts and sums beyond an int64 are the greatest int64; when a pod leaves a node with such a sum, it is made again from
//     the others. kube-scheduler's wrap around, or become zero.
//   - The affinity lists and the set of claims in use are updated one node at a time, not rebuilt.
//   - Names in error texts that contain terminal control characters are quoted, and very long ones are cut.
//
// As upstream, because it affects decisions: two pods with one host port on a node hold it once, and removing either frees
// it; an image's size is that of the node that first reported it.
package cache
