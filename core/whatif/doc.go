// Package whatif answers hypothetical questions about a cluster: what would become of its pods if a node were drained,
// if there were three more like it, if a pod asked for less?
//
//	engine ──► Fork ──► settle what is under way ──┬──────────────► memory cluster ──► to rest ──► Before ─┐
//	(untouched)   │                                │                                                       ├─► Answer
//	              └──► Load: the same objects ─────┴─► the changes ► memory cluster ──► to rest ──► After ─┘
//
// [Ask] forks the engine, builds a simulated cluster of everything the engine knows (world/memory: an API server,
// kubelets, owners of pods, disruption budgets), and lets both run until nothing more would happen: once as things are,
// once with the changes made. What differs between the two is the answer, so that what would have happened anyway is
// nobody's doing. Both are made by the code that decides in earnest. The engine that is asked about is only read.
//
// [Fixes] looks for the single change that would place a pending pod, and proves each one before it is offered.
//
// # Files
//
// change and parse are the questions in words; apply, apply_node, apply_pod and owner carry them out. load builds the
// cluster, underway settles what the fork was waiting for, bridge stands between the two, run lets them come to rest, and
// drain and comeback act meanwhile. follow keeps track of which pod stands in for which; difference and measure
// make the answer of it. fixes and remedy are about single pods.
//
// # When it is at rest
//
// When no pod is active or backing off, nothing is on the cluster's agenda and no timer of an eviction runs; evictions
// that a budget holds were asked for once more, in vain. Pods parked as unschedulable may stay so. A run that does not
// come to rest within the options' bounds of virtual time and decisions is cut off there, and the answer says so.
//
// # What is supposed
//
//   - A pod on a node runs and is ready, whatever its status says, unless it is being deleted. No pod ends by itself: how
//     long a job still takes is not known. A pod that is made to leave is gone within a second or its grace period.
//   - Nothing takes time but what is waited for on purpose: tolerations, grace periods, back-off. A taint's tolerations
//     count from the moment of the question, as only the real controller knows since when they run.
//   - Owners keep the pods they have: a rollout under way stops where it is, a job keeps its number of pods. Pods come
//     back if a ReplicaSet, ReplicationController, StatefulSet or Job owns them, whether the engine knows that owner or
//     not, and do not come back otherwise.
//   - Bindings under way succeed, and so do preemptions. Calls of third-party plugins at PreBind and Bind are not made;
//     they count as succeeded.
//   - A drain is "kubectl drain --force --ignore-daemonsets --delete-emptydir-data". It goes on asking for what a budget
//     holds until nothing changes any more; what is held then is listed in the answer.
//   - Requests and profile of a pod that has a node can only be changed by making the pod anew, so it is made anew: under its
//     name, without its node. Everything else, and everything of a pod that waits, is changed in place, and the pod is
//     tried at once.
//
// # Which pod stands in for which
//
// A pod that comes is matched to one that leaves or has left: of the same owner, of the same name first, then in order. Where
// that is so and the new pod found a node, the old one is said to have moved.
//
// # What it costs
//
// A fork of the engine and a load of all objects, twice run to rest: some milliseconds for the clusters of the demo, and
// about a second and a half for 5,000 nodes with 100,000 pods. [Fixes] costs one explanation for the reasons and one for
// every remedy it tries, at most eight.
package whatif
