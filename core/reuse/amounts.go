package reuse

// Amounts are a node's resources and how much of them its pods take. Most pods are filtered and scored by no more than that, so it
// lies side by side for all nodes.
type Amounts struct {
	Allocatable, Requested Quantities
	// NonZeroMilliCPU and NonZeroMemory are requested, if containers without requests count with the defaults for scores.
	NonZeroMilliCPU, NonZeroMemory int64
	Pods, AllowedPods              int64
}

// Quantities are amounts of the resources that every node has.
type Quantities struct{ MilliCPU, Memory, EphemeralStorage int64 }
