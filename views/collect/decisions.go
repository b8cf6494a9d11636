package collect

import (
	"slices"
	"time"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/views"
)

// decisions is the rows of the log that are on the screen. The log is walked up to them, not beyond.
func (c *Collector) decisions(e *engine.Engine, look Look) *views.Decisions {
	tally := e.Tally().Decisions
	v := &views.Decisions{
		Placed: int64(tally[engine.Placed]), Unschedulable: int64(tally[engine.Unschedulable]), Failed: int64(tally[engine.Failed]),
	}
	v.List.First = max(look.First, 0)
	i := 0
	for d := range e.Decisions() {
		if i >= v.List.First && i < v.List.First+look.Rows {
			v.List.Rows = append(v.List.Rows, decisionRow(d))
		}
		i++
	}
	v.List.Total = i
	return v
}

func decisionRow(d *engine.Decision) views.DecisionRow {
	r := views.DecisionRow{
		Seq: d.Seq, At: d.At, Pod: podName(d.Pod), Verdict: views.Verdict(d.Verdict), Node: printable.Text(d.Node),
		Examined: d.Examined, Feasible: d.Feasible, Nodes: d.Nodes, Score: d.Score, Took: d.Took, Attempt: d.Attempt,
		Reason: printable.Text(dominant(d.Message)),
	}
	if d.Nominated != "" {
		r.Node = printable.Text(d.Nominated)
	}
	return r
}

// recent is how much was decided lately, and how long the slowest hundredth of it took at least.
func recent(e *engine.Engine) (rate float64, p99 time.Duration) {
	const most = 2000
	var took []time.Duration
	from := e.Now().Add(-recently)
	for d := range e.Decisions() {
		if d.At.Before(from) || len(took) == most {
			break
		}
		took = append(took, d.Took)
		rate = float64(len(took)) / max(e.Now().Sub(d.At).Seconds(), 1)
	}
	if len(took) == 0 {
		return 0, 0
	}
	slices.Sort(took)
	return rate, took[len(took)*99/100]
}

// points is how many values a curve has.
const points = 240

// depthMemory is how many pods waited, second by second, for as long as the collector has looked.
type depthMemory struct {
	values []float64
	at     time.Time
}

func (m *depthMemory) refresh(e *engine.Engine) {
	if e.Now().Sub(m.at) < time.Second {
		return
	}
	m.at = e.Now()
	counts := e.Queue().Counts()
	waiting := counts.Active + counts.Backoff + counts.ErrorBackoff + counts.Unschedulable + counts.Gated
	m.values = append(m.values, float64(waiting))
	if len(m.values) > 2*points {
		m.values = slices.Clone(m.values[points:])
	}
}

// metrics are curves made of the decisions that the log still has, a point for every second.
func (c *Collector) metrics(e *engine.Engine) *views.Metrics {
	const step = time.Second
	m := &views.Metrics{
		Step: step, CachePods: e.Cache().PodCount(), Underway: len(e.Bindings()),
		Depth: slices.Clone(c.depth.values[max(len(c.depth.values)-points, 0):]),
		Rate:  make([]float64, points), P99: make([]float64, points),
	}
	var took [points][]time.Duration
	var all []time.Duration
	for d := range e.Decisions() {
		age := int(e.Now().Sub(d.At) / step)
		if age >= points {
			break
		}
		m.Rate[points-1-age]++
		took[points-1-age] = append(took[points-1-age], d.Took)
		all = append(all, d.Took)
	}
	for i := range took {
		m.P99[i] = percentile(took[i], 99).Seconds()
	}
	tally := e.Tally()
	for v := engine.Placed; v <= engine.Skipped; v++ {
		m.Attempts = append(m.Attempts, views.Tally{Name: v.String(), Count: int64(tally.Decisions[v]), Bad: v == engine.Unschedulable || v == engine.Failed})
	}
	m.Attempts = append(m.Attempts, views.Tally{Name: "bindings failed", Count: int64(tally.BindingsFailed), Bad: true})
	for _, q := range []struct {
		name string
		at   int
	}{{"half", 50}, {"nine in ten", 90}, {"99 in 100", 99}, {"slowest", 100}} {
		m.Latency = append(m.Latency, views.Quantile{Name: q.name, Took: percentile(all, q.at)})
	}
	return m
}

// percentile is how long p in a hundred took at most. It sorts what it is given.
func percentile(took []time.Duration, p int) time.Duration {
	if len(took) == 0 {
		return 0
	}
	slices.Sort(took)
	return took[min(len(took)*p/100, len(took)-1)]
}
