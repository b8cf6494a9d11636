package collect

import (
	"cmp"
	"time"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/views"
	"orrery/views/filter"
)

// decisions is the rows of the log that are on the screen. The log is walked up to them, not beyond.
func (c *Collector) decisions(e *engine.Engine, look Look) *views.Decisions {
	tally := e.Tally().Decisions
	v := &views.Decisions{
		Placed: int64(tally[engine.Placed]), Unschedulable: int64(tally[engine.Unschedulable]), Failed: int64(tally[engine.Failed]),
	}
	if !look.plain() {
		v.List = c.decisionsLeft(e, look)
		return v
	}
	total := e.DecisionCount()
	first, end := look.window(total)
	v.List = views.List[views.DecisionRow]{First: first, Total: total, Rows: make([]views.DecisionRow, 0, end-first)}
	i := 0
	for d := range e.Decisions() {
		if i >= end {
			break
		}
		if i >= first {
			v.List.Rows = append(v.List.Rows, decisionRow(d))
		}
		i++
	}
	return v
}

func (c *Collector) decisionsLeft(e *engine.Engine, look Look) views.List[views.DecisionRow] {
	newer := func(a, b *engine.Decision) int { return cmp.Compare(b.Seq, a.Seq) }
	compare := newer
	switch look.Sort {
	case "pod":
		compare = func(a, b *engine.Decision) int {
			return cmp.Or(cmp.Compare(a.Pod.Namespace, b.Pod.Namespace), cmp.Compare(a.Pod.Name, b.Pod.Name), newer(a, b))
		}
	case "verdict":
		compare = func(a, b *engine.Decision) int { return cmp.Or(cmp.Compare(b.Verdict, a.Verdict), newer(a, b)) }
	case "node":
		compare = func(a, b *engine.Decision) int { return cmp.Or(cmp.Compare(a.Node, b.Node), newer(a, b)) }
	case "took":
		compare = func(a, b *engine.Decision) int { return cmp.Or(cmp.Compare(b.Took, a.Took), newer(a, b)) }
	case "looked at":
		compare = func(a, b *engine.Decision) int { return cmp.Or(cmp.Compare(b.Examined, a.Examined), newer(a, b)) }
	}
	rows, first, left := c.decisionsNarrowed.rows(look, list[*engine.Decision]{
		stamp: e.LastDecision(),
		all: func(into []*engine.Decision) []*engine.Decision {
			for d := range e.Decisions() {
				into = append(into, d)
			}
			return into
		},
		subject: func(s *filter.Subject, d **engine.Decision) {
			x := *d
			s.Namespace, s.Name = x.Pod.Namespace, x.Pod.Name
			s.Words = [4]string{x.Verdict.String(), x.Node, x.Message, x.Nominated}
			if pod := e.Store().Pod(s.Namespace, s.Name); pod != nil {
				s.Labels = pod.Labels
			}
		},
		compare: compare,
	})
	c.narrowed = left
	l := views.List[views.DecisionRow]{First: first, Total: left.Matches, Rows: make([]views.DecisionRow, len(rows))}
	for i, d := range rows {
		l.Rows[i] = decisionRow(d)
	}
	return l
}

func decisionRow(d *engine.Decision) views.DecisionRow {
	r := views.DecisionRow{
		Seq: d.Seq, At: d.At, Verdict: views.Verdict(d.Verdict), NodeKey: d.Node,
		Examined: d.Examined, Feasible: d.Feasible, Nodes: d.Nodes, Score: d.Score, Took: d.Took, Attempt: d.Attempt,
		Reason: printable.Text(dominant(d.Message)), Message: printable.Text(d.Message),
	}
	if d.Nominated != "" {
		r.NodeKey = d.Nominated
	}
	r.Node = printable.Text(r.NodeKey)
	r.Pod, r.Key = podNames(d.Pod)
	return r
}

// pace is how much was decided lately, and how long the slowest hundredth of it took at least.
func (c *Collector) pace(e *engine.Engine) (rate float64, p99 time.Duration) {
	if ch := c.run.Chronicle; ch != nil {
		return ch.curves.rate(e.Now()), ch.curves.p99(e.Now())
	}
	const most = 2000
	var took histogram
	from := e.Now().Add(-recently * time.Second)
	for d := range e.Decisions() {
		if d.At.Before(from) || took.total == most {
			break
		}
		took.add(d.Took)
		rate = float64(took.total) / max(e.Now().Sub(d.At).Seconds(), 1)
	}
	return rate, took.quantile(0.99)
}
