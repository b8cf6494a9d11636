package collect

import (
	"math/bits"
	"time"
)

// histogram counts durations in buckets, four to each power of two, from a microsecond on: a quantile is at most a
// quarter too large.
type histogram struct {
	counts  [buckets]uint32
	total   uint64
	longest time.Duration
}

const (
	buckets    = 96 // up to some 17 seconds
	perDouble  = 4
	shortestNs = 1 << 10
)

// bucketOf is the bucket of a duration.
func bucketOf(duration time.Duration) int {
	ns := uint64(max(duration, 0))
	if ns < shortestNs {
		return 0
	}
	octave := bits.Len64(ns) - 1
	quarter := ns >> (octave - 2) & (perDouble - 1)
	return min((octave-bits.Len64(shortestNs)+1)*perDouble+int(quarter), buckets-1)
}

// bucketEnd is the upper bound of a bucket.
func bucketEnd(bucket int) time.Duration {
	octave, quarter := bucket/perDouble, bucket%perDouble
	return time.Duration(shortestNs<<octave) / perDouble * time.Duration(perDouble+quarter+1)
}

func (h *histogram) add(duration time.Duration) {
	h.counts[bucketOf(duration)]++
	h.total++
	h.longest = max(h.longest, duration)
}

// merge adds the counts of another histogram.
func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
	h.longest = max(h.longest, o.longest)
}

// quantile is the upper bound of a share of the durations; zero if none were added or measured.
func (h *histogram) quantile(share float64) time.Duration {
	if h.longest == 0 {
		return 0
	}
	rest := uint64(float64(h.total) * share)
	for i, n := range h.counts {
		if uint64(n) > rest {
			return min(bucketEnd(i), h.longest)
		}
		rest -= uint64(n)
	}
	return h.longest
}
