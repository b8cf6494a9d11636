package figures

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// bounds of the histograms, in seconds: from a pod that is placed at once to one that waits for nodes.
var bounds = [...]float64{0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}

// histogram counts durations.
type histogram struct {
	buckets [len(bounds)]uint64 // each without those below it
	count   uint64
	sum     float64
}

func (h *histogram) observe(d time.Duration) {
	seconds := d.Seconds()
	h.count++
	h.sum += seconds
	for i, bound := range bounds {
		if seconds <= bound {
			h.buckets[i]++
			return
		}
	}
}

func (h *histogram) metric(desc *prometheus.Desc, labels ...string) prometheus.Metric {
	upTo, sum := make(map[float64]uint64, len(bounds)), uint64(0)
	for i, bound := range bounds {
		sum += h.buckets[i]
		upTo[bound] = sum
	}
	return prometheus.MustNewConstHistogram(desc, h.count, h.sum, upTo, labels...)
}
