// Package outcome is what a cluster without faults makes of the writes that bind a pod's volumes, for a replay or a
// comparison in which the cluster is not there to answer:
//
//	ClaimVolume ──► the volume names the claim and is Bound ──► the claim names the volume and is Bound
//	SelectNode ───► the claim names the node ──► a volume in the node's zone, Bound ──► the claim, Bound
//
// It stands for the volume controller and for any provisioner: nothing fails, takes time or runs out of room. The objects
// are copies without a resource version, which a store accepts after any other.
package outcome
