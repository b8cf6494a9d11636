// Package dynamicresources places a pod where its claims have devices, or can get some, and reserves them before it is bound.
//
//	PreEnqueue  the pod's claims exist
//	PreFilter   which of them have devices, which are to be allocated; the state of all devices (package devices)
//	Filter      do the allocated devices reach the node; which devices does each other claim get there
//	PostFilter  a claim whose devices keep the pod from nodes loses them, if no other pod uses it
//	Score       how early the alternatives are that requests get
//	Reserve     what was found on the node is in flight
//	PreBind     claims are written, one after the other; then it waits until their devices are ready
//	Unreserve   what was not written is free again, and the pod uses no claim
//
// # Files
//
// claims.go finds the pod's claims, filter.go allocates on one node with the steps of budget.go, verdicts.go keeps what was decided for
// the next pod, reserve.go and bind.go are the binding, with the waits in await.go, the devices' own conditions in conditions.go and the
// identifiers of shared parts in shares.go. extended.go has the claim that
// stands for extended resources, devicerequests.go what it requests. hints.go are the events that requeue a pod.
//
// # The allocator
//
// Devices are chosen by package allocate, as kube-scheduler's allocators do for the release and the feature gates. The filter timeout is
// counted in steps, 100,000 for a second, not on a clock; and the
// identifiers of shared parts of devices are made of the claim, not random. A step of the search is one, and so are ten units of what
// the evaluation of a CEL expression costs (allocate.Limit). All nodes of a cycle share the steps of two: those after them are rejected as
// those on which the search has no steps left.
//
// The allocator gets the slices of the pools that the node reaches, not all: it would pass over the others. What it decides is
// kept with the requests, and holds for the next claims with the same ones, on every node that reaches the same devices, until
// one of these or a class changes. Errors are not kept. There is one case in which a node's verdict depends on the nodes before
// it: pools of one name with counters (devices.State.Entangled). Then one allocator has all slices, and nothing is kept.
//
// # Classes of nodes
//
// Of requests that come again, the verdicts divide the nodes into classes (classes.go), so that a search costs what changed and not all nodes.
// A node is looked at again if it changed, or the devices that it reaches. The devices for the claims are found out on the node that is chosen.
//
// # Binding
//
// PreBind works in steps (framework.StepwisePreBind). A claim is in flight until its write has ended, and no other pod can use
// it; then it is assumed to be allocated until the store shows it. A failure requeues the pod and frees what was not written. A
// write without an answer may have been made: its devices stay taken until it is undone.
// Effects of PostFilter and Unreserve have no one who waits: if PostFilter's fails, the pod is tried again.
//
// # Differences from kube-scheduler
//
//   - Pools are in the order of driver and name, those with binding conditions last; kube-scheduler's order is random but for
//     that. The filter timeout counts steps of the search and the cost of CEL expressions, not time, and a cycle
//     has the steps of two nodes. The identifiers of shared parts of devices are not random.
//   - PostFilter takes the first claim of the pod that it may, not any, and says that it is deallocated before the API server
//     has answered.
//   - The binding goes on as soon as the devices are ready. kube-scheduler looks every five seconds.
//   - The implicit claim of extended resources gets its name here, with a random suffix as from the API server. A pod that has
//     claims of its own, and whose extended resources the node's device plugin provides, gets no implicit claim;
//     kube-scheduler creates an empty one, and fails.
//   - A pod that names a claim with devices twice is bound. kube-scheduler writes the pod into the claim twice, which the API
//     server rejects.
//   - What kube-scheduler's allocator panics on, which ends kube-scheduler, is an error of the attempt (package allocate).
//   - A claim that was replaced by one of the same name ends the binding. kube-scheduler allocates the devices to the new one.
package dynamicresources
