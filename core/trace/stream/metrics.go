package stream

import "github.com/prometheus/client_golang/prometheus"

// Why a reader was dropped: the label of a metric.
const (
	dropFellBehind = "fell_behind"
	dropStalled    = "stalled"
	dropFailed     = "failed"
)

// metrics are the server's.
type metrics struct {
	readers prometheus.Gauge
	bytes   prometheus.Counter
	dropped *prometheus.CounterVec
}

func newMetrics() metrics {
	m := metrics{
		readers: prometheus.NewGauge(prometheus.GaugeOpts{Name: "orrery_stream_readers", Help: "Readers that are attached to the stream."}),
		bytes:   prometheus.NewCounter(prometheus.CounterOpts{Name: "orrery_stream_bytes_total", Help: "Bytes that were sent to readers of the stream."}),
		dropped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orrery_stream_readers_dropped_total",
			Help: "Readers of the stream that were dropped: fell_behind by more records than may wait, stalled and took nothing for 10 s, or failed.",
		}, []string{"reason"}),
	}
	for _, reason := range []string{dropFellBehind, dropStalled, dropFailed} {
		m.dropped.WithLabelValues(reason)
	}
	return m
}

// Describe implements prometheus.Collector.
func (s *Server) Describe(to chan<- *prometheus.Desc) {
	s.metrics.readers.Describe(to)
	s.metrics.bytes.Describe(to)
	s.metrics.dropped.Describe(to)
}

// Collect implements prometheus.Collector.
func (s *Server) Collect(to chan<- prometheus.Metric) {
	s.metrics.readers.Collect(to)
	s.metrics.bytes.Collect(to)
	s.metrics.dropped.Collect(to)
}
