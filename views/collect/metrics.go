package collect

import (
	"slices"
	"time"

	"orrery/core/engine"
	"orrery/views"
)

// metrics are the curves of the last minutes, and what all attempts came to.
func (c *Collector) metrics(e *engine.Engine) *views.Metrics {
	m := &views.Metrics{Step: time.Second, CachePods: e.Cache().PodCount(), Underway: e.BindingCount()}
	m.Depth = e.Depths(make([]float64, 0, points))
	tally := e.Tally()
	for v := engine.Placed; v <= engine.Skipped; v++ {
		m.Attempts = append(m.Attempts, views.Tally{Name: v.String(), Count: int64(tally.Decisions[v]), Bad: v == engine.Unschedulable || v == engine.Failed})
	}
	m.Attempts = append(m.Attempts, views.Tally{Name: "bindings failed", Count: int64(tally.BindingsFailed), Bad: true})
	took := &histogram{}
	if ch := c.run.Chronicle; ch != nil {
		m.Rate, m.P99 = ch.curves.series(e.Now())
		took = &ch.curves.all
	} else {
		m.Rate, m.P99, took = logged(e)
	}
	sinceBegun(&m.Rate, &m.P99, &m.Depth)
	for _, q := range [...]struct {
		name  string
		share float64
	}{{"half", 0.5}, {"nine in ten", 0.9}, {"99 in 100", 0.99}, {"slowest", 1}} {
		m.Latency = append(m.Latency, views.Quantile{Name: q.name, Took: took.quantile(q.share)})
	}
	return m
}

// logged are curves made of the decisions that the log still has, where nobody kept a chronicle.
func logged(e *engine.Engine) (rate, slow []float64, all *histogram) {
	var past curves
	var log []*engine.Decision
	for d := range e.Decisions() {
		log = append(log, d)
	}
	for _, d := range slices.Backward(log) {
		past.decided(d)
	}
	rate, slow = past.series(e.Now())
	return rate, slow, &past.all
}

// leastShown is how many seconds the curves show at least. They show twice as many when those are full, and so on: a curve
// that was drawn to another scale every second would never be at rest.
const leastShown = 60

// sinceBegun leaves out of the curves what was before anything was heard of.
func sinceBegun(curves ...*[]float64) {
	spoke := 0
	for _, c := range curves {
		if first := slices.IndexFunc(*c, func(v float64) bool { return v != 0 }); first >= 0 {
			spoke = max(spoke, len(*c)-first)
		}
	}
	shown := leastShown
	for shown < spoke {
		shown *= 2
	}
	for _, c := range curves {
		*c = (*c)[max(len(*c)-shown, 0):]
	}
}
