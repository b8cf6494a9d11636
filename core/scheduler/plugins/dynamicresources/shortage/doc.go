// Package shortage says why devices do not serve the claims of a pod: in evidence, for DynamicResources to explain itself with, and as the chain
// from the claims over their requests to the devices, for answers to show.
//
//	claims ──► requests ──┐
//	slices ──► pools ─────┴─► a verdict on each device ──► counts on each node ──► Shortage ──► evidence, changes
//	claims that have devices ──► holders ──┘
//
// What is decided on a node the plugin decides, by the allocator, which does not say why. Here each device that a node reaches is held against
// each request, with what the allocator's module lets others call: which nodes a device is for, which taints are tolerated, what claims have.
//
// A device is checked in the order of what can be changed least: one that no selector matches is of no use when it is free. What an
// expression says about one device it says about all that are alike in what it reads (expressions.go), and all evaluations for one answer
// have a common limit of cost.
//
//	claims.go                                        the claims of a pod, and what they request
//	inventory.go, holders.go                         slices by node, pools by generation; who has which device
//	expressions.go, verdicts.go, amounts.go          one device and one request; counters of a pool, capacity of a device
//	inspection.go, together.go                       one node: each request, and then all of them together
//	shortage.go, reasons.go, nearest.go              some nodes: devices by reason, and the node that lacks least
//	evidence.go, changes.go                          the same as evidence, with what would help
package shortage
