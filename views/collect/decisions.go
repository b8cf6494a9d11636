package collect

import (
	"time"

	"orrery/core/diagnose"
	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/views"
)

// decisions is the rows of the log that are on the screen. The log is walked up to them, not beyond.
func (c *Collector) decisions(e *engine.Engine, look Query) *views.Decisions {
	tally := e.Counters().Decisions
	v := &views.Decisions{
		Placed: int64(tally[engine.Placed]), Unschedulable: int64(tally[engine.Unschedulable]), Failed: int64(tally[engine.Failed]),
	}
	return v
}

func decisionRow(d *engine.Decision) views.DecisionRow {
	r := views.DecisionRow{
		Seq: d.Seq, At: d.At, Verdict: views.Verdict(d.Verdict), NodeKey: d.Node,
		Examined: d.Examined, Feasible: d.Feasible, Nodes: d.Nodes, Score: d.Score, Duration: d.Duration, Attempt: d.Attempt,
		Reason: printable.Text(diagnose.MainClause(d.Message)), Message: printable.Text(d.Message),
	}
	if d.Nominated != "" {
		r.NodeKey = d.Nominated
	}
	r.Node = printable.Text(r.NodeKey)
	r.Pod, r.Key = podNames(d.Pod)
	return r
}

// rateAndLatency is how much was decided lately, and how long the slowest hundredth of it took at least.
func (c *Collector) rateAndLatency(e *engine.Engine) (rate float64, p99 time.Duration) {
	if ch := c.options.History; ch != nil {
		return ch.curves.rate(e.Now()), ch.curves.p99(e.Now())
	}
	const most = 2000
	var took histogram
	from := e.Now().Add(-rateWindow * time.Second)
	for d := range e.Decisions() {
		if d.At.Before(from) || took.total == most {
			break
		}
		took.add(d.Duration)
		rate = float64(took.total) / max(e.Now().Sub(d.At).Seconds(), 1)
	}
	return rate, took.quantile(0.99)
}
