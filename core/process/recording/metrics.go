package recording

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"orrery/core/trace/segments"
)

// family is one metric family of a recording on disk: orrery_recording_NAME.
type family struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(s segments.Status, now time.Time) float64
}

func newFamily(name, help string, kind prometheus.ValueType, value func(s segments.Status, now time.Time) float64) family {
	return family{prometheus.NewDesc("orrery_recording_"+name, help, nil, nil), kind, value}
}

// families are absent where nothing is recorded on disk, so that no alert goes off.
var families = []family{
	newFamily("up", "1 while records reach the disk.", prometheus.GaugeValue, func(s segments.Status, now time.Time) float64 {
		if s.Up(now) {
			return 1
		}
		return 0
	}),
	newFamily("last_flush_timestamp_seconds", "When records last reached the disk; 0 if they never did.", prometheus.GaugeValue, func(s segments.Status, _ time.Time) float64 {
		if s.Flushed.IsZero() {
			return 0
		}
		return float64(s.Flushed.UnixMilli()) / 1000
	}),
	newFamily("written_bytes_total", "Bytes of records that were written.", prometheus.CounterValue, func(s segments.Status, _ time.Time) float64 { return float64(s.Written) }),
	newFamily("outages_total", "Times that the recording stopped while scheduling went on.", prometheus.CounterValue, func(s segments.Status, _ time.Time) float64 { return float64(s.Gaps) }),
	newFamily("missing_seconds", "Time of which nothing is recorded between the process before this one, which recorded into the same directory, and this one.", prometheus.GaugeValue,
		func(s segments.Status, _ time.Time) float64 { return s.Missing.Seconds() }),
	newFamily("segments", "Segments in the directory.", prometheus.GaugeValue, func(s segments.Status, _ time.Time) float64 { return float64(s.Segments) }),
	newFamily("bytes", "Size of the segments in the directory.", prometheus.GaugeValue, func(s segments.Status, _ time.Time) float64 { return float64(s.Bytes) }),
}

// Describe implements prometheus.Collector.
func (r *Recording) Describe(to chan<- *prometheus.Desc) {
	if r.disk == nil {
		return
	}
	for _, f := range families {
		to <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (r *Recording) Collect(to chan<- prometheus.Metric) {
	if r.disk == nil {
		return
	}
	s, now := r.disk.Status(), time.Now()
	for _, f := range families {
		to <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(s, now))
	}
}
