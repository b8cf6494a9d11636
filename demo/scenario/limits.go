package scenario

import "time"

// What a scenario may come to. They are far beyond what can be watched, and keep a slip of the pen from filling the
// memory of a computer.
const (
	mostLength  = 24 * time.Hour
	mostNodes   = 10_000
	mostPods    = 100_000 // of all workloads together, over the whole story
	mostMoments = 10_000  // repeated ones counted each time
	mostInputs  = 2_000_000
	mostReplica = 9
	mostAmount  = 1 << 50 // of memory, in bytes, and of anything else
	mostCPU     = 1_000_000
	mostRate    = 1000 // nodes a second
	mostTitle   = 120
	mostSaid    = 200
	mostStory   = 4000
)
