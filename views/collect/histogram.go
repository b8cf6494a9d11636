package collect

import (
	"math/bits"
	"time"
)

// histogram counts durations in buckets, four to each doubling, from a microsecond on: a quantile is right to a fifth.
type histogram struct {
	counts [buckets]uint32
	total  uint64
	most   time.Duration
}

const (
	buckets    = 96 // up to some 17 seconds
	perDouble  = 4
	shortestNs = 1 << 10
)

// bucketOf is where a duration is counted.
func bucketOf(took time.Duration) int {
	ns := uint64(max(took, 0))
	if ns < shortestNs {
		return 0
	}
	octave := bits.Len64(ns) - 1
	quarter := ns >> (octave - 2) & (perDouble - 1)
	return min((octave-bits.Len64(shortestNs)+1)*perDouble+int(quarter), buckets-1)
}

// upTo is the end of a bucket.
func upTo(bucket int) time.Duration {
	octave, quarter := bucket/perDouble, bucket%perDouble
	return time.Duration(shortestNs<<octave) / perDouble * time.Duration(perDouble+quarter+1)
}

func (h *histogram) add(took time.Duration) {
	h.counts[bucketOf(took)]++
	h.total++
	h.most = max(h.most, took)
}

// merge counts what another has counted.
func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
	h.most = max(h.most, o.most)
}

// quantile is how long a share of what was counted took at most; zero when nothing was counted, or nothing measured.
func (h *histogram) quantile(share float64) time.Duration {
	if h.most == 0 {
		return 0
	}
	rest := uint64(float64(h.total) * share)
	for i, n := range h.counts {
		if uint64(n) > rest {
			return min(upTo(i), h.most)
		}
		rest -= uint64(n)
	}
	return h.most
}
