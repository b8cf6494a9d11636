package collect

import (
	"time"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/views"
)

// decisions returns the verdicts' counts; the pane's list reads the rows of the log.
func (c *Collector) decisions(e *engine.Engine, query Query) *views.Decisions {
	counts := e.Counters().Decisions
	v := &views.Decisions{
		Placed: int64(counts[engine.Placed]), Unschedulable: int64(counts[engine.Unschedulable]), Failed: int64(counts[engine.Failed]),
	}
	return v
}

func decisionRow(d *engine.Decision) views.DecisionRow {
	r := views.DecisionRow{
		Seq: d.Seq, At: d.At, Verdict: views.Verdict(d.Verdict), NodeKey: d.Node,
		Examined: d.Examined, Feasible: d.Feasible, Nodes: d.Nodes, Score: d.Score, Duration: d.Duration, Attempt: d.Attempt,
		Reason: printable.Text(framework.MainOf(d.Message).String()), Message: printable.Text(d.Message), Unknown: unknownText(d),
	}
	main := d.MainRejection()
	r.Why, r.RejectedOn = printable.Text(main.Reason), main.Nodes
	if d.Nominated != "" {
		r.NodeKey = d.Nominated
	}
	r.Node = printable.Text(r.NodeKey)
	r.Pod, r.Key = podNames(d.Pod)
	return r
}

// rateAndLatency returns the decisions per second of the last seconds and their p99 latency.
func (c *Collector) rateAndLatency(e *engine.Engine) (rate float64, p99 time.Duration) {
	if ch := c.options.History; ch != nil {
		return ch.curves.rate(e.Now()), ch.curves.p99(e.Now())
	}
	const most = 2000
	var latencies histogram
	from := e.Now().Add(-rateWindow * time.Second)
	for d := range e.Decisions() {
		if d.At.Before(from) || latencies.total == most {
			break
		}
		latencies.add(d.Duration)
		rate = float64(latencies.total) / max(e.Now().Sub(d.At).Seconds(), 1)
	}
	return rate, latencies.quantile(0.99)
}
