// Package gangs is what the scheduler knows about pod groups (KEP-4671): which pods each has, and how far they are.
//
//	store.Delta ──────► Changed ───► a pod comes, gets its node, goes
//	GangScheduling ───► Assume ────► it has a place, and waits for the others
//	                    Forget ────► it has lost it
//	                    Allowed ───► those that have one are bound
//	                    Deadline ──► until when they wait; the same for all of a group
//	the engine's queue ─► Queued ──► it is in activeQ, or not: idle pods are those that a sibling's turn tries again
//
// A group is named by namespace, workload, pod group and replica of the group: replicas are independent of each other. It
// exists as long as it has pods, of any scheduler.
//
// There is one State for all profiles of an engine; it is forked and checked with the engine, and nothing here locks. A fork
// shares groups until one of the two changes them.
//
// # Differences from kube-scheduler
//
//   - A pod that is deleted while it waits is no member any more. Kube-scheduler counts it as unscheduled when its place is
//     given back after that, and ends at the next pod of the group that has to wait.
package gangs
