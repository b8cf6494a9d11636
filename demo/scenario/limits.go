package scenario

import "time"

// The limits of a scenario. They are far beyond what can be watched, and keep a typing error from filling the memory.
const (
	maxLength    = 24 * time.Hour
	maxNodes     = 10_000
	maxPods      = 100_000   // of all workloads together, over the whole story
	maxMoments   = 10_000    // repeated ones counted each time
	maxNamed     = 1_000_000 // workloads in the steps
	maxInputs    = 2_000_000
	maxNodeParts = 1_000_000 // of all nodes together: labels, taints, resources and drivers
	maxPodBytes  = 128 << 20 // of all pods together, encoded
	maxCompared  = 2_000_000 // nodes with patterns and labels in the steps
	maxPatched   = 64 << 20  // of all patches together, times the nodes that they may change
	maxVolumes   = 100_000   // those written, and the claims of all pods together
	maxReplicas  = 9
	maxExtenders = 16
	maxNodeWords = 64      // of an extender, which compares each node with each of them
	maxDevices   = 100_000 // of all nodes and pools together, with their partitions

	maxDevicesOfNode = 1024
	maxProperties    = 30      // attributes and capacities of a device
	maxPartitions    = 4       // numbers of parts
	maxParts         = 16      // of a device
	maxModelName     = 40      // its devices' names have numbers after it
	maxRequested     = 32      // devices in a claim
	maxChoices       = 8       // of a request
	maxAmount        = 1 << 50 // of memory, in bytes, and of anything else
	maxCPU           = 1_000_000
	maxRate          = 1000 // nodes a second
	maxTitle         = 120
	maxMark          = 200
	maxDescription   = 4000
)
