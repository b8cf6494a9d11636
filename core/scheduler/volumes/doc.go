// Package volumes is what the scheduler knows about persistent volumes and claims: the store's objects, and on top of
// them what it has decided itself and not yet read back.
//
//	store.Delta ──► Changed ──► what a claim may get: volumes by class, by claim
//	                   └──────► an assumption about an older version is dropped
//
//	VolumeBinding  Reserve ──► AssumeVolume, AssumeClaim ──► Volume, Claim: the assumed state
//	               Unreserve ─► RestoreVolume, RestoreClaim
//
// # Assumptions
//
// A pod's volumes are chosen in its scheduling cycle and written while it is bound. In between, the next pods must not
// choose them again. So the chosen volume is assumed with its claim, and a claim that is to be provisioned with its node.
// An assumption belongs to one version of an object. It ends when that version is no longer the store's, whatever the new
// one says, or when the scheduler restores it.
//
// There is one State for all profiles of an engine; it is forked and checked with the engine, and nothing here locks.
//
// # Indexes
//
// Most volumes of a cluster are bound, and no claim can have them. A claim's candidates are the volumes that name it, and
// those of its class that name no claim, the smallest first and, if equal, by name: the first of them that a node can use
// is the one to take.
//
// # Differences from kube-scheduler
//
//   - In kube-scheduler each profile has its own assumptions, so that pods of two profiles may choose the same volume; one
//     of them then fails at its binding.
//   - Of several equally small volumes kube-scheduler takes any; here it is the first by name.
package volumes
