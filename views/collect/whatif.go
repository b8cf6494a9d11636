package collect

import (
	"strings"

	"orrery/core/answers/whatif"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/views"
)

// WhatIf converts a what-if result: the pods whose outcome changes, then those whose eviction a budget blocks, then
// those that are still pending. The changes and the command are printable.
func WhatIf(a *whatif.Result, changes, command string) *views.WhatIf {
	v := &views.WhatIf{
		Tried: changes, Command: command, Verdict: printable.Text(a.Verdict()), Bad: a.Worse() || a.Blocks(), Without: totalsOf(a.Without), With: totalsOf(a.With),
		ChangedOutcomes: countKinds(a.Pods), HeldByBudget: len(a.Blocked), StillPending: len(a.StillPending),
	}
	if a.Truncated {
		v.Notes = append(v.Notes, "cut off before the cluster came to rest: more would happen later")
	}
	for _, c := range a.Causes {
		if c.Pods == 0 {
			continue // it moves pods that others move, too
		}
		v.Notes = append(v.Notes, printable.Text(c.String())+" for "+plural.Count(c.Pods, "pod"))
	}
	for _, note := range a.Notes {
		v.Notes = append(v.Notes, printable.Text(note))
	}
	rows := make([]views.WhatIfChange, 0, len(a.Pods)+len(a.Blocked)+len(a.StillPending))
	for i := range a.Pods {
		rows = append(rows, changeOf(&a.Pods[i]))
	}
	for i := range a.Blocked {
		h := &a.Blocked[i]
		rows = append(rows, views.WhatIfChange{
			Pod: printable.Text(h.Pod.String()), Key: h.Pod.String(), From: views.Bound, To: views.Bound, Unchanged: true,
			Without: printable.Text(h.Node), With: printable.Text(h.Node), Reason: printable.Text(blockedReason(h)),
		})
	}
	for i := range a.StillPending {
		c := &a.StillPending[i]
		row := changeOf(c)
		row.Unchanged = true
		if was := c.Without.Reason.Reason; was != "" && was != c.With.Reason.Reason {
			row.Reason += " instead of " + printable.Text(was)
		}
		rows = append(rows, row)
	}
	v.Changes.Rows, v.Changes.Total = rows, len(rows)
	return v
}

// blockedReason describes why a budget blocks an eviction, with remedies.
func blockedReason(h *whatif.BlockedEviction) string {
	reason := "blocked: " + h.Message
	for _, t := range h.Causes {
		reason += " · " + t.Detail + ": " + strings.Join(t.Remedies, "; or ")
	}
	return reason
}

func changeOf(c *whatif.PodChange) views.WhatIfChange {
	v := views.WhatIfChange{
		Pod: printable.Text(c.Pod.String()), Key: c.Pod.String(), From: outcomeState(&c.Without), To: outcomeState(&c.With),
		Without: printable.Text(c.Without.Node), With: printable.Text(c.With.Node), Reason: printable.Text(c.With.Reason.Reason),
	}
	if c.Kind == whatif.Created {
		v.From = views.Created // there is no such pod without the changes, rather than one that was deleted
	}
	if v.Reason == "" {
		v.Reason = printable.Text(c.With.RemovedBy)
	}
	if c.Cause != "" {
		why := []string{"by " + printable.Text(c.Cause)}
		if v.Reason != "" {
			why = append(why, v.Reason)
		}
		v.Reason = strings.Join(why, " · ")
	}
	return v
}

// outcomeState returns the state of an outcome. A pod that no profile schedules stays as it was created.
func outcomeState(o *whatif.PodOutcome) views.PodState {
	if o.State == "" && o.Pending() {
		return views.Created
	}
	return podStateAt(o.State)
}

func totalsOf(o whatif.ClusterSummary) views.Totals {
	return views.Totals{
		Placed: o.Placed, Pending: o.Pending, Evicted: o.Evicted, Moved: o.Moved, CPU: o.CPU, Memory: o.Memory, Spread: o.Spread,
	}
}

// changeKinds are in the order of the screen, those that are bad for the pod first.
var changeKinds = [...]whatif.ChangeKind{
	whatif.Evicted, whatif.BecomesPending,
	whatif.Placed, whatif.NotEvicted, whatif.Moved, whatif.OtherNode, whatif.Created, whatif.Gone,
}

// countKinds counts the pods by the kind of their change: the totals of both runs may be equal for different pods.
func countKinds(pods []whatif.PodChange) []views.NamedCount {
	var counts []views.NamedCount
	for _, kind := range changeKinds {
		n := int64(0)
		for i := range pods {
			if pods[i].Kind == kind {
				n++
			}
		}
		if n > 0 {
			counts = append(counts, views.NamedCount{Name: kind.String(), Count: n, Bad: kind.Bad()})
		}
	}
	return counts
}
