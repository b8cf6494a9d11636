package evict

import "time"

// Counters counts what a controller did since it was made, ready to be shown as metrics.
type Counters struct {
	// Evicted counts deleted pods; Latency is the time from the moment a pod was due to its deletion.
	Evicted uint64
	Latency DurationHistogram
	// Cancelled counts stopped timers, Failed failed calls.
	Cancelled, Failed uint64
}

// DurationBounds are the upper bounds of the buckets, in seconds, of kube-controller-manager's
// pod_deletion_duration_seconds.
var DurationBounds = [...]float64{0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240}

// DurationHistogram is a histogram over DurationBounds. The last bucket holds what is beyond all bounds.
type DurationHistogram struct {
	Buckets [len(DurationBounds) + 1]uint64 // each without those below it
	Count   uint64
	Sum     time.Duration
}

// Observe counts one duration.
func (d *DurationHistogram) Observe(duration time.Duration) {
	i := 0
	for i < len(DurationBounds) && duration.Seconds() > DurationBounds[i] {
		i++
	}
	d.Buckets[i]++
	d.Count++
	d.Sum += duration
}
