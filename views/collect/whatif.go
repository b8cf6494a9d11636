package collect

import (
	"strings"

	"orrery/core/printable"
	"orrery/core/whatif"
	"orrery/views"
)

// WhatIf is an answer as it is shown: first the pods that fare differently, then those that a budget holds where they are,
// then those that find no node either way. The question and the command are printable already.
func WhatIf(a *whatif.Answer, question, command string) *views.WhatIf {
	v := &views.WhatIf{
		Question: question, Command: command, Before: outcomeOf(a.Before), After: outcomeOf(a.After),
		Fates: fatesOf(a.Pods), Held: len(a.Held), Waiting: len(a.Waiting),
	}
	if a.Truncated {
		v.Notes = append(v.Notes, "cut off before it came to rest: more would happen later")
	}
	for _, note := range a.Notes {
		v.Notes = append(v.Notes, printable.Text(note))
	}
	rows := make([]views.WhatIfChange, 0, len(a.Pods)+len(a.Held)+len(a.Waiting))
	for i := range a.Pods {
		rows = append(rows, changeOf(&a.Pods[i]))
	}
	for i := range a.Held {
		h := &a.Held[i]
		rows = append(rows, views.WhatIfChange{
			Pod: printable.Text(h.Pod.String()), Key: h.Pod.String(), From: views.Bound, To: views.Bound, Same: true,
			Before: printable.Text(h.Node), After: printable.Text(h.Node), Why: printable.Text(whyHeld(h)),
		})
	}
	for i := range a.Waiting {
		c := &a.Waiting[i]
		row := changeOf(c)
		row.Same = true
		if c.Before.Why != "" && c.Before.Why != c.After.Why {
			row.Why += " instead of " + printable.Text(c.Before.Why)
		}
		rows = append(rows, row)
	}
	v.Changes.Rows, v.Changes.Total = rows, len(rows)
	return v
}

// whyHeld says why a pod is held, and what can be done about it.
func whyHeld(h *whatif.Hold) string {
	why := "held: " + h.Why
	for _, t := range h.Troubles {
		why += " · " + t.Detail + ": " + strings.Join(t.Remedies, "; or ")
	}
	return why
}

func changeOf(c *whatif.PodChange) views.WhatIfChange {
	v := views.WhatIfChange{
		Pod: printable.Text(c.Pod.String()), Key: c.Pod.String(), From: place(c.Before.Place), To: place(c.After.Place),
		Before: printable.Text(c.Before.Node), After: printable.Text(c.After.Node), Why: printable.Text(c.After.Why),
	}
	if v.Why == "" {
		v.Why = printable.Text(c.After.Left)
	}
	return v
}

func outcomeOf(o whatif.Outcome) views.Outcome {
	return views.Outcome{
		Placed: o.Placed, Pending: o.Pending, Evicted: o.Evicted, Moved: o.Moved, CPU: o.CPU, Memory: o.Memory, Spread: o.Spread,
	}
}

// fates are in what pods fare differently, in words, and whether that is bad for them.
var fates = [...]struct {
	fate whatif.Fate
	word string
	bad  bool
}{
	{whatif.Evicted, "evicted", true},
	{whatif.Unplaced, "without a node", true},
	{whatif.Placed, "placed", false},
	{whatif.Spared, "spared", false},
	{whatif.Moved, "moved", false},
	{whatif.Elsewhere, "on another node", false},
	{whatif.Arrives, "new", false},
	{whatif.Vanishes, "gone", false},
}

// fatesOf says how many pods fare differently in what way: the sums of two worlds may be the same though other pods make
// them up.
func fatesOf(pods []whatif.PodChange) []views.Tally {
	var counts [len(fates)]int64
	for i := range pods {
		for j, f := range fates {
			if f.fate == pods[i].Fate {
				counts[j]++
			}
		}
	}
	var tallies []views.Tally
	for i, n := range counts {
		if n > 0 {
			tallies = append(tallies, views.Tally{Name: fates[i].word, Count: n, Bad: fates[i].bad})
		}
	}
	return tallies
}
