package collect

import (
	"slices"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/views"
)

// metrics are the curves of the last minutes, and the counts of all attempts.
func (c *Collector) metrics(e *engine.Engine) *views.Metrics {
	m := &views.Metrics{Step: time.Second, CachePods: e.Cache().PodCount(), AssumedPods: e.BindingCount()}
	m.Depth = e.QueueDepths(make([]float64, 0, curveSeconds))
	counts := e.Counters()
	for v := engine.Placed; v <= engine.Skipped; v++ {
		m.Attempts = append(m.Attempts, views.NamedCount{Name: v.String(), Count: int64(counts.Decisions[v]), Bad: v == engine.Unschedulable || v == engine.Failed})
	}
	m.Attempts = append(m.Attempts, views.NamedCount{Name: "bindings failed", Count: int64(counts.BindingsFailed), Bad: true})
	latencies := &histogram{}
	if ch := c.options.History; ch != nil {
		m.Rate, m.P99 = ch.curves.series(e.Now())
		latencies = &ch.curves.all
	} else {
		m.Rate, m.P99, latencies = curvesFromLog(e)
	}
	trimStart(&m.Rate, &m.P99, &m.Depth)
	for _, q := range [...]struct {
		name  string
		share float64
	}{{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"slowest", 1}} {
		m.Latency = append(m.Latency, views.Quantile{Name: q.name, Duration: latencies.quantile(q.share)})
	}
	return m
}

// curvesFromLog builds curves from the decisions in the log, for an engine without a history.
func curvesFromLog(e *engine.Engine) (rate, slow []float64, all *histogram) {
	var past curves
	var log []*engine.Decision
	for d := range e.Decisions() {
		log = append(log, d)
	}
	for _, d := range slices.Backward(log) {
		past.add(d)
	}
	rate, slow = past.series(e.Now())
	return rate, slow, &past.all
}

// minSeconds is how many seconds the curves show at least. The number doubles when the curves are full, so that their scale
// changes rarely.
const minSeconds = 60

// trimStart removes the empty seconds before the first event from the curves.
func trimStart(curves ...*[]float64) {
	used := 0
	for _, c := range curves {
		if first := slices.IndexFunc(*c, func(v float64) bool { return v != 0 }); first >= 0 {
			used = max(used, len(*c)-first)
		}
	}
	shown := minSeconds
	for shown < used {
		shown *= 2
	}
	for _, c := range curves {
		*c = (*c)[max(len(*c)-shown, 0):]
	}
}
