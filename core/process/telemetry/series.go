package telemetry

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// resets counts the resets of a registry. DELETE /metrics detaches every series, so that a cached one counts into nothing.
// It is a collector without metrics, registered after the families: once the count has changed, all families are reset.
type resets struct{ n atomic.Uint64 }

// Reset is called by component-base's registry.
func (r *resets) Reset() { r.n.Add(1) }

// Describe implements prometheus.Collector.
func (*resets) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (*resets) Collect(chan<- prometheus.Metric) {}

// series caches the series of a family by key; a lookup by labels costs several times as much. It belongs to the
// engine's goroutine.
type series[K comparable, S any] struct {
	resets *resets
	known  map[K]S
	as     uint64 // the number of resets when known was empty
}

// of returns the series of a key.
func (s *series[K, S]) of(key K, find func() S) S {
	if n := s.resets.n.Load(); s.known == nil || n != s.as {
		s.known, s.as = map[K]S{}, n
	}
	found, ok := s.known[key]
	if !ok {
		found = find()
		s.known[key] = found
	}
	return found
}
