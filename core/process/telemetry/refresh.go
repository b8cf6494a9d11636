package telemetry

import (
	"maps"
	"slices"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/defaultpreemption"
	"orrery/core/scheduler/volumes"
)

// lastSeen has the last values of the engine's own counters, since a Prometheus counter can only be increased.
type lastSeen struct {
	batches     map[string]engine.BatchCounters
	evaluated   map[evaluationKey]uint64
	preemptions uint64
	volumes     volumes.Errors
	calls       map[string]bool // the call types that had pending calls
}

type evaluationKey struct {
	profile, plugin string
	point           framework.Point
}

func newLastSeen() lastSeen {
	return lastSeen{batches: map[string]engine.BatchCounters{}, evaluated: map[evaluationKey]uint64{}, calls: map[string]bool{}}
}

// Refresh updates gauges, and the counters that the engine keeps itself. Call it about once a second from the engine's
// goroutine; waiting is the number of pending calls to the API server by call type.
func (m *Metrics) Refresh(e *engine.Engine, waiting map[string]int) {
	q := e.Queue().Counts()
	for label, pods := range map[string]int{"active": q.Active, "backoff": q.Backoff + q.ErrorBackoff, "unschedulable": q.Unschedulable, "gated": q.Gated} {
		m.pending.WithLabelValues(label).Set(float64(pods))
		m.entities.WithLabelValues(label, entityType).Set(float64(pods))
	}

	c := e.Cache()
	m.cacheSize.WithLabelValues("nodes").Set(float64(c.NodeCount()))
	m.cacheSize.WithLabelValues("pods").Set(float64(c.PodCount()))
	m.cacheSize.WithLabelValues("assumed_pods").Set(float64(c.AssumedCount()))
	m.goroutines.WithLabelValues("binding").Set(float64(e.BindingCount()))
	m.goroutines.WithLabelValues("prioritizing_extender").Set(float64(e.PrioritizingCount()))
	for call := range waiting {
		m.last.calls[call] = true
	}
	for call := range m.last.calls {
		m.callsWaiting.WithLabelValues(call).Set(float64(waiting[call])) // a call type without pending calls is not in waiting
	}

	preemptions := uint64(0)
	for _, profile := range e.Profiles() {
		m.refreshBatching(profile, e.BatchCounters(profile))
		preemptions += m.refreshPlugins(profile, e.Profile(profile))
	}
	m.preemptionAttempts.Add(float64(preemptions - m.last.preemptions))
	m.last.preemptions = preemptions
	m.refreshVolumes(e.Volumes().Errors)
	m.own.Refresh(e)
}

func (m *Metrics) refreshVolumes(now volumes.Errors) {
	was := m.last.volumes
	for operation, more := range map[string]uint64{
		"predicate": now.Predicate - was.Predicate, "assume": now.Assume - was.Assume, "bind": now.Bind - was.Bind,
	} {
		if more > 0 {
			m.volumeErrors.WithLabelValues(operation).Add(float64(more))
		}
	}
	m.last.volumes = now
}

// refreshPlugins counts the plugin calls of a profile, and returns its number of preemption attempts.
func (m *Metrics) refreshPlugins(name string, p *framework.Profile) (preemptions uint64) {
	for _, now := range p.Counts() {
		switch now.Point {
		case framework.PreFilter, framework.Filter, framework.PreScore, framework.Score:
			key := evaluationKey{name, now.Plugin, now.Point}
			if more := now.Calls - m.last.evaluated[key]; more > 0 {
				m.evaluations.WithLabelValues(now.Plugin, string(now.Point), name).Add(float64(more))
				m.last.evaluated[key] = now.Calls
			}
		case framework.PostFilter:
			if now.Plugin == defaultpreemption.Name {
				preemptions += now.Calls
			}
		}
	}
	return preemptions
}

func (m *Metrics) refreshBatching(profile string, now engine.BatchCounters) {
	was := m.last.batches[profile]
	add := func(result string, now, was uint64) {
		if now > was {
			m.batchAttempts.WithLabelValues(profile, result).Add(float64(now - was))
		}
	}
	add("no_hint", now.NoHint, was.NoHint)
	add("hint_used", now.HintUsed, was.HintUsed)
	add("hint_not_used", now.HintNotUsed, was.HintNotUsed)
	for _, reason := range slices.Sorted(maps.Keys(now.Flushed)) {
		if more := now.Flushed[reason] - was.Flushed[reason]; more > 0 {
			m.batchFlushes.WithLabelValues(profile, string(reason)).Add(float64(more))
		}
	}
	if now.Rescored > was.Rescored {
		m.rescores.WithLabelValues(profile).Add(float64(now.Rescored - was.Rescored))
	}
	now.Flushed = maps.Clone(now.Flushed) // the engine reuses its map
	m.last.batches[profile] = now
}
