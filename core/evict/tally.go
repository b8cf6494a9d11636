package evict

import "time"

// Tally counts what a controller did since it was made, ready to be shown as metrics.
type Tally struct {
	// Evicted counts pods that were deleted, and Took how late: from the moment at which the pod was due.
	Evicted uint64
	Took    Durations
	// Cancelled counts timers that were stopped, Failed calls that went wrong.
	Cancelled, Failed uint64
}

// DurationBounds are the upper bounds of the buckets, in seconds, of kube-controller-manager's
// pod_deletion_duration_seconds.
var DurationBounds = [...]float64{0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240}

// Durations is a histogram over DurationBounds. The last bucket holds what is beyond all bounds.
type Durations struct {
	Buckets [len(DurationBounds) + 1]uint64 // each without those below it
	Count   uint64
	Sum     time.Duration
}

// Observe counts one duration.
func (d *Durations) Observe(took time.Duration) {
	i := 0
	for i < len(DurationBounds) && took.Seconds() > DurationBounds[i] {
		i++
	}
	d.Buckets[i]++
	d.Count++
	d.Sum += took
}
