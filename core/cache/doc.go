// Package cache is what the scheduler believes the cluster to be, and the frozen copy of it that one scheduling cycle
// looks at.
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
//	          NodeInfo   what preemption and nominated pods are tried on
//
// # A pod's way
//
//	          AssumePod            AddPod (the cluster confirms)
//	unknown ────────────► assumed ───────────────────────────────► bound ─┐
//	   ▲                     │                                       ▲ └──┘ UpdatePod
//	   ├──── ForgetPod ──────┘          AddPod                       │
//	   ├─────────────────────────────────────────────────────────────┤
//	   └──── RemovePod ──────────────────────────────────────────────┘
//
// A pod is known by its UID. An assumed pod counts on its node like a bound one and never expires. A pod whose node is
// unknown, or gone, is held by a ghost: an entry without a node object, which no snapshot shows and which goes away with
// its last pod. When the node comes (back), the pods are on it.
//
// # Generations
//
// Every change of a NodeInfo in a Cache is stamped with the next number of that Cache's own counter, starting at 1, and
// the stamp is the only signal that something changed: same Cache, same positive generation, same node and pods. (How
// many nodes have an image is not part of it: a NodeInfo shows the count of the moment it was copied, as upstream's does,
// and another node's images do not stamp this one.) The counter belongs to the Cache, so the same inputs give the same
// stamps on every run.
//
// A copy keeps its stamp until it is changed. AddPodInfo, RemovePod and SetNode called from outside give it a negative
// generation, counting down from -1. A negative generation says "no cache ever looked like this": compare it with
// nothing, not even with another negative one. A fork counts on from where it was made, so generations of two forks
// must not be compared either, beyond the one they were forked at.
//
// # Copies
//
// Copies, snapshots and forks share maps and arrays and split when somebody writes. Copying a NodeInfo with a hundred
// pods is one allocation; appending a pod leaves the arrays of the copies alone; removing one copies the array first.
// What has once been shared is never written again, so forks and copies may live on other goroutines. A single Cache or
// Snapshot belongs to one goroutine at a time.
//
// # Differences from kube-scheduler
//
//   - Snapshot order. kube-scheduler orders its list anew only when the number of nodes changed or a node is new to the
//     snapshot, so a node that moved to another zone, or was deleted and created again between two cycles, keeps its old
//     place until then. Here the list follows the tree at every refresh: a snapshot kept up to date is equal to one
//     built from nothing.
//   - The generation of a snapshot never goes back. In kube-scheduler it does when the node changed last is gone.
//   - A contradiction about a bound pod's node is a *CorruptionError instead of the end of the process.
//   - The cache goes by what it holds, not by the caller's old copy: UpdatePod and ForgetPod take out the cached pod,
//     and a node's former zone and images are those the cache recorded. An old copy that is out of date
//     makes kube-scheduler count a pod or a node twice, or lose it.
//   - A node that is already there and is added again in another zone moves; in kube-scheduler it is listed twice from
//     then on. A ghost whose node arrives as an update is listed; in kube-scheduler it stays out of the list.
//   - UpdatePod refuses a new version with another UID, or with none.
//   - RemovePod on a NodeInfo without a node object returns its error; in kube-scheduler it panics.
//   - A snapshot found to have lost nodes is rebuilt from the cache, where kube-scheduler reorders what is left.
//   - The affinity lists and the set of claims in use are kept up to date one node at a time, not rebuilt.
//   - Names in error texts that contain what a terminal would obey are quoted, and very long ones are cut.
//
// Kept as it is upstream, because it decides where pods go: two pods with one host port on a node hold it once, and the
// first to leave frees it; an image's size is the one reported by the node that brought it in.
package cache
