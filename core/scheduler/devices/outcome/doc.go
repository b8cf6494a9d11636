// Package outcome is what a cluster without faults makes of the writes of claims for devices, for a replay or a comparison in
// which the cluster is not there to answer:
//
//	ReserveResourceClaim ────► the claim has its devices and the pod    CreateResourceClaim ──► the claim is there
//	UnreserveResourceClaim ──► the claim is without the pod             DeleteResourceClaim ──► the claim is gone
//	DeallocateResourceClaim ─► the claim is without devices
//
// No driver answers: binding conditions stay as they are. The objects are copies without a resource version, which a store
// accepts after any other.
package outcome
