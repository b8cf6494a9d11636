package telemetry

import (
	"maps"
	"slices"

	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/plugins/defaultpreemption"
)

// levels remembers what counters that the engine keeps stood at, as a family can only be added to.
type levels struct {
	batches     map[string]engine.Batching
	evaluated   map[evaluationKey]uint64
	preemptions uint64
}

type evaluationKey struct {
	profile, plugin string
	point           framework.Point
}

func newLevels() levels {
	return levels{batches: map[string]engine.Batching{}, evaluated: map[evaluationKey]uint64{}}
}

// Refresh reads off an engine what is a level, or a count the engine keeps for itself. It should be called about once a
// second, by whoever owns the engine; waiting is how many calls to the API server wait to be made, by what they do.
func (m *Metrics) Refresh(e *engine.Engine, waiting map[string]int) {
	q := e.Queue().Counts()
	m.pending.WithLabelValues("active").Set(float64(q.Active))
	m.pending.WithLabelValues("backoff").Set(float64(q.Backoff + q.ErrorBackoff))
	m.pending.WithLabelValues("unschedulable").Set(float64(q.Unschedulable))
	m.pending.WithLabelValues("gated").Set(float64(q.Gated))

	c := e.Cache()
	m.cacheSize.WithLabelValues("nodes").Set(float64(c.NodeCount()))
	m.cacheSize.WithLabelValues("pods").Set(float64(c.PodCount()))
	m.cacheSize.WithLabelValues("assumed_pods").Set(float64(c.AssumedCount()))
	m.underway.WithLabelValues("binding").Set(float64(e.BindingCount()))
	for call, n := range waiting {
		m.callsWaiting.WithLabelValues(call).Set(float64(n))
	}

	preemptions := uint64(0)
	for _, profile := range e.Profiles() {
		m.refreshBatching(profile, e.Batching(profile))
		preemptions += m.refreshPlugins(profile, e.Profile(profile))
	}
	m.preemptions.Add(float64(preemptions - m.levels.preemptions))
	m.levels.preemptions = preemptions
}

// refreshPlugins adds the plugins' calls of a profile, and answers with how often it has tried to preempt.
func (m *Metrics) refreshPlugins(name string, p *framework.Profile) (preemptions uint64) {
	for _, now := range p.Evaluations() {
		key := evaluationKey{name, now.Plugin, now.Point}
		if more := now.Calls - m.levels.evaluated[key]; more > 0 {
			m.evaluations.WithLabelValues(now.Plugin, string(now.Point), name).Add(float64(more))
			m.levels.evaluated[key] = now.Calls
		}
	}
	for _, count := range p.Counts() {
		if count.Point == framework.PostFilter && count.Plugin == defaultpreemption.Name {
			preemptions += count.Calls
		}
	}
	return preemptions
}

func (m *Metrics) refreshBatching(profile string, now engine.Batching) {
	was := m.levels.batches[profile]
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
	now.Flushed = maps.Clone(now.Flushed) // the engine's own goes on counting
	m.levels.batches[profile] = now
}
