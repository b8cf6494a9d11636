// Package allocate chooses devices for the claims of a pod on one node, as kube-scheduler's allocator does in each release.
//
//	ResourceSlice ──► Prepare ──► Slice: the IDs, profiles and node selectors of its devices
//	claims ─────────► Taken: the devices, shared parts and capacity that claims have
//
//	New(Source) ──► Allocator ──► Allocate(node, claims)
//	                                gather   slices ──► pools that the node reaches, in order; incomplete and invalid ones
//	                                check    claims ──► requests, each with its class, how many devices it wants, its constraints
//	                                search   one device after the other, request by request; goes back where none is left
//	                                results  the first choice found ──► allocation results, with configuration and node selector
//
// A choice is made as if by hand: the first device in the order of pools, slices and devices that is free, that the selectors of
// class and request match, whose capacity and counters suffice, whose taints are tolerated, and that breaks no constraint. The first
// choice for all requests is the answer; there is no better one.
//
// # Files
//
// features.go says which of kube-scheduler's allocators decides, and slice.go, pools.go and nodes.go what a node reaches. request.go
// reads requests, check.go holds them against pools before the search, search.go is the search, candidate.go takes a device and
// gives it back. selectors.go evaluates CEL, counters.go, capacity.go, policy.go and constraint.go are conditions on a device. taken.go
// counts what claims have, limit.go the steps. results.go writes what was chosen.
//
// # Reuse
//
// A selector is evaluated once for all devices with the same driver, attributes and capacity (Profile), and its result is kept in
// Selectors. What it cost is charged to the limit at every device, as if it were evaluated there: whether a result was kept changes
// no decision.
//
// # Releases
//
// The rules of package release say where releases differ. Up to 1.35, three allocators differ by their feature gates, and some of
// what they do looks wrong: it is kept, since that is what kube-scheduler decides. It is not kept where kube-scheduler panics:
//
//   - a class with a selector that has no CEL expression, and a request that is neither exact nor a list of alternatives
//   - up to 1.35, all devices of a class that consume counters
//   - a request policy whose step is zero, or that has a step and no minimum
//   - counts whose sum is negative
//   - results for a request whose name another request has, of another kind
//
// These are errors here. Counters and capacity that do not fit into 64 bits are added exactly; kube-scheduler changes the slice in
// its cache with the first such sum. The error for a node selector of a device names the device, and does not print it with addresses.
//
// The order of pools is that of driver and name, those with binding conditions last. Up to 1.35, and without any gate, it is that of a
// map in kube-scheduler. Compatibility groups, derived and list attributes are alpha, and are not read.
package allocate
