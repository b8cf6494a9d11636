// Package allocations asks the allocator of devices of one release, the one that it is compiled with: what claims get on one node after
// another.
//
//	Case      slices, classes, claims, what other claims have, and the nodes
//	Outcome   of each node: the results or the error, and how many steps the search took
//
// Allocators differ from one run to the next in three things, which are fixed here (order.go, steps.go): the order of pools, which is
// that of a map without some gates; a deadline, which counts steps instead; and the identifiers of shared parts, which are left out.
package allocations
