package scenario

import "time"

// The limits of a scenario. They are far beyond what can be watched, and keep a typing error from filling the memory.
const (
	//orrery:limit scenarios; the length of a scenario; refused
	maxLength = 24 * time.Hour
	//orrery:limit scenarios; nodes of a scenario; refused
	maxNodes = 10_000
	//orrery:limit scenarios; pods of a scenario, over its whole length; refused
	maxPods = 100_000 // of all workloads together, over the whole story
	//orrery:limit scenarios; moments of a scenario, repeated ones counted each time; refused
	maxMoments = 10_000 // repeated ones counted each time
	//orrery:limit scenarios; workloads that the steps name; refused
	maxNamed = 1_000_000 // workloads in the steps
	//orrery:limit scenarios; inputs of a scenario; refused
	maxInputs = 2_000_000
	//orrery:limit scenarios; labels, taints, resources and drivers of all nodes; refused
	maxNodeParts = 1_000_000 // of all nodes together: labels, taints, resources and drivers
	//orrery:limit scenarios; all pods of a scenario, encoded, in bytes; refused
	maxPodBytes = 128 << 20 // of all pods together, encoded
	//orrery:limit scenarios; nodes with patterns and labels in the steps; refused
	maxCompared = 2_000_000 // nodes with patterns and labels in the steps
	//orrery:limit scenarios; all patches, times the nodes that they may change, in bytes; refused
	maxPatched = 64 << 20 // of all patches together, times the nodes that they may change
	//orrery:limit scenarios; volumes and claims; refused
	maxVolumes = 100_000 // those written, and the claims of all pods together
	//orrery:limit scenarios; replicas of the scheduler; refused
	maxReplicas = 9
	//orrery:limit scenarios; extenders; refused
	maxExtenders = 16
	//orrery:limit scenarios; nodes that an extender names; refused
	maxNodeWords = 64 // of an extender, which compares each node with each of them
	//orrery:limit scenarios; devices of all nodes and pools; refused
	maxDevices = 100_000 // of all nodes and pools together, with their partitions

	//orrery:limit scenarios; devices of a node; refused
	maxDevicesOfNode = 1024
	//orrery:limit scenarios; attributes and capacities of a device; refused
	maxProperties = 30 // attributes and capacities of a device
	//orrery:limit scenarios; numbers of parts of a device; refused
	maxPartitions = 4 // numbers of parts
	//orrery:limit scenarios; parts of a device; refused
	maxParts = 16 // of a device
	//orrery:limit scenarios; the name of a model, in characters; refused
	maxModelName = 40 // its devices' names have numbers after it
	//orrery:limit scenarios; devices in a claim; refused
	maxRequested = 32 // devices in a claim
	//orrery:limit scenarios; choices of a request; refused
	maxChoices = 8 // of a request
	//orrery:limit scenarios; an amount; refused
	maxAmount = 1 << 50 // of memory, in bytes, and of anything else
	//orrery:limit scenarios; an amount of cpu; refused
	maxCPU = 1_000_000
	//orrery:limit scenarios; nodes that are changed in a second; refused
	maxRate = 1000 // nodes a second
	//orrery:limit scenarios; a title, in characters; refused
	maxTitle = 120
	//orrery:limit scenarios; a mark, in characters; refused
	maxMark = 200
	//orrery:limit scenarios; a description, in characters; refused
	maxDescription = 4000
)
