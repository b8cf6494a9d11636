// Package noderesources checks whether a pod's requests fit a node, and scores how well they do.
//
// It has two plugins, which share their arithmetic:
//
//	NodeResourcesFit                    Filter: does it fit? Score: LeastAllocated, MostAllocated or RequestedToCapacityRatio
//	NodeResourcesBalancedAllocation     Score: are the node's resources used evenly?
//
// How a pod becomes numbers, once per scheduling cycle:
//
//	pod ──► resource.PodRequests ──► request (int64 per resource, amounts.go)
//	          containers, init containers,        │
//	          sidecars, pod level, overhead       ├─► PreFilter state ─► Filter per node      (filtering.go)
//	                                              └─► PreScore state  ─► Score per node       (scoring.go, balancedallocation.go)
//
// Scores and Filter count a pod differently. Fit scores count 100m of cpu and 200Mi of memory for every container without
// requests, so that such pods spread out, and ignore pod-level resources. Balanced allocation counts requests alone,
// including pod-level ones. NodeInfo counts the pods on a node: see NonZeroRequested and Requested of fwk.NodeInfo.
//
// # Rounding
//
// Each resource's score is rounded down to a whole number. LeastAllocated and MostAllocated also round their weighted
// mean down; RequestedToCapacityRatio rounds it to the nearest. (Bin-packing documentation prints a mean of 5.44 as 5
// and one of 6.89 as 7, on a scale of ten: the parts are rounded down, the whole is rounded to nearest.) Balanced
// allocation rounds down.
//
// # Differences from kube-scheduler
//
//   - Amounts beyond 2^63-1 (in milli-cpu or whole units) count as 2^63-1. kube-scheduler lets them wrap around or become
//     zero, so that a pod that requests 10^16 cpus fits every node. Products are computed in 128 bits.
//   - Reasons for extended resources come in order of their names, not in random order.
//   - A resource that the scheduler does not count (see requests.IsScalar) does not keep a pod from being skipped by balanced
//     allocation, even if it is listed in the args.
//   - A RequestedToCapacityRatio strategy without a shape is an error when the profile is built, not a crash.
//   - Scores count the devices of an extended resource as they are. kube-scheduler remembers which devices a class selects, and
//     nodes a selector, for ever, whatever becomes of their attributes and labels; and its balanced allocation panics if the gate
//     DRAExtendedResource is on and the args list an extended resource.
//   - Signatures include what the scores count besides the request of Filter (see signing.go), so pods of equal signatures
//     have equal scores.
package noderesources
