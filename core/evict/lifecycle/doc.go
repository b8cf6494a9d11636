// Package lifecycle decides which taints nodes get for their conditions, and when: the rules of
// kube-controller-manager's node lifecycle controller.
//
//	leases and heartbeats ─► monitor, each 5 s: silent for 50 s? ─► conditions Unknown
//	                             │                                        │
//	conditions, cordons ─────────┼──► NoSchedule taints, at once ◄────────┘
//	                             │
//	                             ├──► ready: not-ready and unreachable:NoExecute removed, at once
//	                             ├──► has one of the two, and needs the other: swapped, at once
//	                             └──► needs one of the two ─► its zone's queue ─► so many nodes a second
//	                                                              ▲
//	                 how many nodes of the zone are ready ────────┘
//
// A [Controller] takes in the inputs of an engine and returns the changes of nodes in [Controller.Changes]. Its caller performs
// them, or only shows them. The controller assumes its own changes until it sees the node again. Monitor passes
// in which nothing could change are left out. The record of evictions gets a prediction for every pod that will be evicted
// for a taint that its node does not have yet.
//
// The nodes of a simulated cluster have the same Controller: [InCluster] is the option NodeLifecycle of world/memory.
//
// # Zones
//
// A zone is a region and a zone in it, by a node's labels. It is
//
//	normal               0.1 nodes a second are given NoExecute taints
//	partially disrupted  when more than two of its nodes, and 55 % of them, are not ready: 0.01 nodes a second where it
//	                     has more than 50 nodes, none where it has fewer
//	fully disrupted      when no node is ready: 0.1 nodes a second
//
// unless all zones are fully disrupted. The controller's own connection is then the likelier fault: all NoExecute taints of these two
// kinds are removed, and none set, until a node is ready somewhere. From then on every grace period starts anew.
//
// A new zone may give one taint at once. A new rate starts with none, unless the old one had one left. Turns come at ticks of a
// tenth of a second. A node that became ready or was deleted uses its turn up.
//
// # Heartbeats
//
// A heartbeat counts from the monitor pass that noticed it, not from when it was sent. A node without a condition Ready has
// 60 s from its creation. At the pass after one at which the heartbeat in the condition was new and the lease was not, the
// lease counts once more, old as it is. A node is marked Unknown at the first pass that is not before the end of its grace
// period.
//
// # Differences from kube-scheduler
//
// Here that is kube-controller-manager 1.35.
//
//   - A node that waits for its taint keeps its place. Upstream puts it back to the end at every pass, and the order of
//     those that are put back is random.
//   - When no node is ready any more, all these NoExecute taints are removed. Upstream misses one that it has swapped for its
//     opposite at that very pass, and the pods of that node are evicted although evictions have stopped.
//   - A monitor pass takes no time here. Upstream's passes are 5 s apart plus what they take, so a node that is silent
//     for exactly ten of them is marked Unknown at the tenth, there and here.
//   - NoExecute taints that are there when the controller starts stay, if they are right. Upstream removes them when it
//     starts, which stops the timers of all pods concerned, and sets them again one by one.
package lifecycle
