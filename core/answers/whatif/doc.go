// Package whatif evaluates hypothetical changes of a cluster: a drained node, three more nodes like it, a pod with
// lower requests.
//
//	engine ──► Fork ──► finish pending effects ────┬──────────────► memory cluster ──► to rest ──► Without ─┐
//	(untouched)   │                                │                                                        ├─► Result
//	              └──► load: the same objects ─────┴─► the changes ► memory cluster ──► to rest ──► With ────┘
//
// [Evaluate] forks the engine, builds a simulated cluster of everything the engine knows (world/memory: an API server,
// kubelets, owners of pods, disruption budgets), and runs both until nothing more would happen: once without the
// changes, once with them. The result is the difference, so it leaves out what would happen anyway. Both runs use the
// engine's own code. The original engine is only read.
//
// # One world, twice
//
// What differs is an effect of the changes, and nothing else is. So both runs have the same seeds; a tie between nodes is decided by the
// pod and the nodes, and not by how many ties came before (engine.SettleTies); replacements of one owner's pods are compared node by
// node, whichever came for which; and which of several gangs gets the places that each of them lacks is chance, and left out (chance.go).
// The same question about the same cluster has the same answer. [Options.Seed] says how ties fall: package fix tries several.
//
// Package diagnose finds the single changes that would place a pending pod.
//
// # Files
//
// Package change has the changes and their parser; apply, drain, scale, storage and devices carry them out. load builds the cluster,
// pending_effects finishes the effects that the fork waits for, bridge connects the two, run brings them to rest, and
// recreations replaces pods for absent owners; provisioners knows who makes
// volumes. slots tracks which pod replaces which; difference and summary make the
// result. evaluate is the entry point.
//
// # At rest
//
// A run is at rest when no pod is active or backing off, the cluster has nothing to do and no eviction timer runs;
// evictions that a budget blocks were retried once more. Pods that wait on Permit keep it from rest for ten minutes only; they have
// no node then, since they may lose their places. Pods in unschedulablePods may stay there. A run that does not
// come to rest within the options' bounds of virtual time and decisions is cut off, and the result says so; so is one in which pods are
// recreated on and on at one instant.
//
// # Assumptions
//
//   - A pod on a node runs and is ready, whatever its status, unless it is being deleted. No pod ends by itself: the
//     remaining time of a job is unknown. An evicted pod is gone within a second or its grace period.
//
//   - Only tolerations, grace periods and back-off take time. Tolerations of a taint count from the start, as only the
//     real controller knows when they began.
//
//   - Owners keep their present number of pods: a rollout stops where it is, and so does a job. Pods are recreated if a
//     ReplicaSet, ReplicationController, StatefulSet or Job owns them, whether the engine knows that owner or not, and
//     are not recreated otherwise. A reference without a UID names no owner.
//
//   - Volumes are made by drivers that are registered, on a node or in the cluster, or have made one (provisioners.go). A pod whose
//     claim nobody binds has a place and no node.
//
//   - Bindings in flight succeed, and so do preemptions. Calls of third-party plugins at PreBind and Bind are not made;
//     they count as succeeded.
//
//   - A drain is "kubectl drain --force --ignore-daemonsets --delete-emptydir-data". It retries evictions that a budget
//     blocks until nothing changes any more; the result lists those still blocked.
//
//   - A deleted gang does not come again: its owners are deleted, too. A gang of another minimum is that of a workload that was
//     deleted and created again.
//
//   - A new volume is of a local kind with every access mode. A capacity is set for every segment of the class that a node of
//     the zone has; where nothing is published, it is made. A claim that gets another class was created with it. The pending
//     pods of a changed claim are tried at once.
//
//   - A new node has devices as the one that it is like: copies of the slices that this one alone reaches. A new device is whole
//     and not tainted. A claim for devices that requests something else was created so; to free one, its pods are deleted.
//
//   - With the scheduler's gate DRADeviceTaints the controller that evicts pods from tainted devices runs, too.
//
//   - What a ResourceClaimTemplate says is told from a claim that was made of it, as no scheduler watches templates: a recreated
//     pod gets a claim like the one before. A note names the templates of which there is no claim.
//
//   - A change of the requests or the profile of a pod with a node recreates the pod, under its name and without its
//     node. All other changes, and all changes of a pending pod, are made in place, and the pod is tried at once.
//
//   - An upgrade restarts the scheduler as the other release: pods without a node are tried at once, and bindings in flight begin again. The
//     run without changes restarts it, too, so that what differs is the release.
//
// # Replacements
//
// A new pod is matched to a terminating or deleted one of the same owner: of the same name first, then in order. If the
// new pod has a node, the old one counts as moved.
//
// # Cost
//
// A fork of the engine, a load of all objects and two runs to rest: some milliseconds for the demo's clusters, and
// about a second and a half for 5,000 nodes with 100,000 pods.
package whatif
