package observe

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// collector has how an observer stands with its cluster.
type collector struct{ of *Observer }

// family is one metric family: orrery_observe_NAME.
type family struct {
	desc  *prometheus.Desc
	value func(b *Observer, s *standing, now time.Time) float64
}

func gauge(name, help string, value func(b *Observer, s *standing, now time.Time) float64) family {
	return family{prometheus.NewDesc("orrery_observe_"+name, help, nil, nil), value}
}

var families = []family{
	gauge("up", "1 while what is observed is the cluster's present: all lists have arrived, the API server is there, and the observer keeps up.",
		func(b *Observer, s *standing, now time.Time) float64 {
			if b.Synced() == nil && s.trouble(now) == "" {
				return 1
			}
			return 0
		}),
	gauge("behind_seconds", "For how long changes of the cluster have been waiting for the engine without a break.",
		func(_ *Observer, s *standing, _ time.Time) float64 { return s.lasting.Seconds() }),
	gauge("waiting_changes", "Changes of the cluster that wait for the engine.",
		func(_ *Observer, s *standing, _ time.Time) float64 { return float64(s.events) }),
	gauge("heard_timestamp_seconds", "When the API server last said anything; 0 if it never did.",
		func(_ *Observer, s *standing, _ time.Time) float64 {
			if s.contact.Heard.IsZero() {
				return 0
			}
			return float64(s.contact.Heard.UnixMilli()) / 1000
		}),
}

// Describe implements prometheus.Collector.
func (c collector) Describe(to chan<- *prometheus.Desc) {
	for _, f := range families {
		to <- f.desc
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(to chan<- prometheus.Metric) {
	s, now := c.of.standing(), time.Now()
	for _, f := range families {
		to <- prometheus.MustNewConstMetric(f.desc, prometheus.GaugeValue, f.value(c.of, &s, now))
	}
}
