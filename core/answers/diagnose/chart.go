package diagnose

import (
	"strconv"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/answer"
	"orrery/core/objects/requests"
	"orrery/core/objects/saturating"
	"orrery/core/scheduler/framework"
)

// chartsOf returns the evidence of a reason that is drawn: free amounts of the nearest nodes, the counts of a spread's
// domains.
func chartsOf(r *Reason) []answer.Chart {
	found, _ := r.Evidence.(Found)
	var charts []answer.Chart
	for i := range found {
		e := &found[i]
		if len(e.Charted) == 0 {
			continue
		}
		first := len(charts)
		if a := e.Amounts; a != nil && !a.Never {
			charts = append(charts, amountChart(a))
		}
		for j := range e.Rules {
			if e.Rules[j].Spread != nil {
				charts = append(charts, spreadChart(&e.Rules[j]))
			}
		}
		for j := first; j < len(charts); j++ {
			charts[j].Drawn = e.Charted
		}
	}
	return charts
}

// amountChart compares what the nearest nodes have free with the request.
func amountChart(a *framework.Amounts) answer.Chart {
	format := func(n int64) string { return requests.Format(v1.ResourceName(a.Resource), n) }
	c := answer.Chart{
		Title: a.Resource + " free on the nearest nodes", Legend: "│ requested " + format(a.Requested), ShortLegend: "│ " + format(a.Requested),
		Mark: a.Requested, Allowed: a.Requested, To: a.Requested,
	}
	for _, n := range a.Nodes {
		value := format(n.Free) + ", " + format(n.Missing) + " short"
		if n.Held > 0 {
			value += ", " + format(n.Held) + " held"
		}
		c.Bars = append(c.Bars, answer.Bar{
			Name: n.Node, Amount: n.Free, Extra: n.Held, Value: value, OK: n.Missing <= 0,
		})
		c.To = max(c.To, saturating.Add(n.Free, n.Held))
	}
	c.To = saturating.Add(c.To, c.To/8) // the mark stays inside
	return c
}

// maxDomainBars bounds the bars of one constraint.
//
//orrery:limit answers; bars of a spread constraint; the others are counted
const maxDomainBars = 8

// spreadChart compares the matching pods of each domain, with this pod, with what the constraint allows.
func spreadChart(t *framework.Rule) answer.Chart {
	most, least, own := t.Spread.Most, t.Spread.Least, t.Spread.Own
	mark := "│ at most " + strconv.FormatInt(most, 10)
	c := answer.Chart{
		Title: "pods by " + t.Key, ShortLegend: mark,
		Legend: mark + ": the least, " + strconv.FormatInt(least, 10) + ", + maxSkew " + strconv.FormatInt(t.Spread.MaxSkew, 10),
		Mark:   most, Allowed: least, To: most, More: max(len(t.Domains)-maxDomainBars, 0),
	}
	for _, d := range t.Domains[:min(len(t.Domains), maxDomainBars)] {
		with := saturating.Add(d.Count, own)
		value := strconv.FormatInt(d.Count, 10)
		if own > 0 {
			value += ", " + strconv.FormatInt(with, 10) + " with it"
		}
		c.Bars = append(c.Bars, answer.Bar{Name: d.Value, Amount: d.Count, Extra: own, OK: with <= most, Value: value})
		c.To = max(c.To, with)
	}
	const room = 4 // the differences take at least a quarter of the bar
	if spread := max(c.To-least, 1); least > room*spread {
		c.From = least - room*spread
		c.Title += " from " + strconv.FormatInt(c.From, 10)
	}
	c.To = saturating.Add(c.To, max((c.To-c.From)/8, 1))
	return c
}
