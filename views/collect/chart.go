package collect

import (
	"strconv"

	"orrery/core/answers/diagnose"
	"orrery/core/objects/saturating"
	"orrery/core/safe/printable"
	"orrery/views"
)

// chartsOf returns the evidence of a reason that is drawn: free amounts of the nearest nodes, the counts of a spread's
// domains.
func chartsOf(r *diagnose.Reason) []views.Chart {
	switch evidence := r.Evidence.(type) {
	case *diagnose.Shortage:
		if len(evidence.Rooms) > 0 && !evidence.Never() {
			return []views.Chart{roomChart(evidence)}
		}
	case *diagnose.Skew:
		if evidence.LabelMissing() {
			return nil
		}
		var charts []views.Chart
		for i := range evidence.Constraints {
			charts = append(charts, spreadChart(&evidence.Constraints[i]))
		}
		return charts
	}
	return nil
}

// roomChart compares what the nearest nodes have free with the request.
func roomChart(s *diagnose.Shortage) views.Chart {
	c := views.Chart{
		Title: printable.Text(string(s.Resource)) + " free on the nearest nodes", Legend: "│ requested " + s.Format(s.Requested), ShortLegend: "│ " + s.Format(s.Requested),
		Mark: s.Requested, Allowed: s.Requested, To: s.Requested,
	}
	for _, room := range s.Rooms {
		value := s.Format(room.Free) + ", " + s.Format(room.Missing) + " short"
		if room.Held > 0 {
			value += ", " + s.Format(room.Held) + " held"
		}
		c.Bars = append(c.Bars, views.ChartBar{
			Name: printable.Text(room.Node), Amount: room.Free, Extra: room.Held, Value: value, OK: room.Missing <= 0,
		})
		c.To = max(c.To, saturating.Add(room.Free, room.Held))
	}
	c.To = saturating.Add(c.To, c.To/8) // the mark stays inside
	return c
}

// maxDomainBars bounds the bars of one constraint.
//
//orrery:limit screen; bars of a spread constraint; the others are counted
const maxDomainBars = 8

// spreadChart compares the matching pods of each domain, with this pod, with what the constraint allows.
func spreadChart(t *diagnose.SpreadTable) views.Chart {
	most := max(saturating.Add(t.Limit, t.Self), 0)
	mark := "│ at most " + strconv.FormatInt(most, 10)
	c := views.Chart{
		Title: "pods by " + printable.Text(t.Key), ShortLegend: mark,
		Legend: mark + ": the least, " + strconv.FormatInt(t.Least, 10) + ", + maxSkew " + strconv.FormatInt(t.MaxSkew, 10),
		Mark:   most, Allowed: t.Least, To: most, More: max(len(t.Domains)-maxDomainBars, 0),
	}
	for _, d := range t.Domains[:min(len(t.Domains), maxDomainBars)] {
		with := saturating.Add(d.Pods, t.Self)
		value := strconv.FormatInt(d.Pods, 10)
		if t.Self > 0 {
			value += ", " + strconv.FormatInt(with, 10) + " with it"
		}
		c.Bars = append(c.Bars, views.ChartBar{Name: printable.Text(d.Value), Amount: d.Pods, Extra: t.Self, OK: with <= most, Value: value})
		c.To = max(c.To, with)
	}
	const room = 4 // the differences take at least a quarter of the bar
	if spread := max(c.To-t.Least, 1); t.Least > room*spread {
		c.From = t.Least - room*spread
		c.Title += " from " + strconv.FormatInt(c.From, 10)
	}
	c.To = saturating.Add(c.To, max((c.To-c.From)/8, 1))
	return c
}
