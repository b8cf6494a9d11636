// Package lifecycle works out which taints nodes get for their troubles, and when: the rules of
// kube-controller-manager's node lifecycle controller.
//
//	leases and heartbeats ─► monitor, each 5 s: silent for 50 s? ─► conditions Unknown
//	                             │                                        │
//	conditions, cordons ─────────┼──► NoSchedule taints, at once ◄────────┘
//	                             │
//	                             ├──► ready: not-ready and unreachable:NoExecute go, at once
//	                             ├──► has one of the two, and needs the other: swapped, at once
//	                             └──► needs one of the two ─► its zone's queue ─► so many nodes a second
//	                                                              ▲
//	                 how many nodes of the zone are ready ────────┘
//
// A [Machine] is told the inputs that the engine is told, and says in [Machine.Changes] what is to change on which node.
// It acts on nothing: whoever drives it does, or only shows it. From then on it takes its own changes for granted, until
// it hears of the node again. [Machine.Outlook] tells of each node since when it is silent and when its turn comes, and
// the board gets a forecast of every pod that is going to be made to leave by a taint that is still to come.
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
// unless all zones are fully disrupted. Then the trouble is more likely to be here than there: all NoExecute taints of
// these two kinds are taken off, and none set, until a node is ready somewhere. All nodes are then held to have been
// heard of in that moment.
//
// A zone begins with one taint to give away at once. A new rate begins with none, unless the old one had one left. Turns
// come in tenths of a second, and one is used up even if the node is ready by then or gone.
//
// # Heartbeats
//
// A heartbeat counts from the look at which it was noticed, not from when it was sent. A node that has never said
// whether it is ready has 60 s from its creation on. At the look after one at which the heartbeat in the condition was new
// and the lease was not, the lease counts once more, old as it is. A node is given up at the first look that is not before the end of
// its time.
//
// # Differences from kube-scheduler
//
// Here that is kube-controller-manager 1.35.
//
//   - A node that waits for its taint keeps its place. Upstream puts it back to the end at every look, and the order of
//     those that are put back is left to chance.
//   - When no node is ready any more, all these NoExecute taints go. Upstream overlooks one that it has swapped for its
//     opposite at that very look, and the pods of that node leave although nobody should.
//   - A look takes no time here. Upstream's are apart by what they take more than 5 s, so that a node which is silent
//     for exactly ten of them is given up at the tenth, there and here.
//   - NoExecute taints that are there when the machine begins stay, if they are right. Upstream takes them off when it
//     starts, which stops the timers of all pods concerned, and sets them again one by one.
package lifecycle
