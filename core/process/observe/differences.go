package observe

import (
	"fmt"
	"slices"

	"orrery/core/answers/shadow"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/core/trace"
)

// Differences finds the decisions that differ without an explanation since it was last asked.
type Differences struct{ counted, last uint64 }

// Fresh returns the new ones, oldest first. The comparator keeps a bounded number of them.
func (d *Differences) Fresh(c *shadow.Comparator) []shadow.Finding {
	n := c.Counters().Differs
	if n == d.counted {
		return nil
	}
	d.counted = n
	var fresh []shadow.Finding
	for f := range c.Findings() {
		if f.Seq <= d.last {
			break
		}
		if f.Class == shadow.Differs {
			fresh = append(fresh, *f)
		}
	}
	slices.Reverse(fresh)
	if len(fresh) > 0 {
		d.last = fresh[len(fresh)-1].Seq
	}
	return fresh
}

// DifferenceText says what the cluster's scheduler decided about a pod, and what Orrery chooses. Its texts are printable.
func DifferenceText(pod, node string, best []string, lead int64, unsearched bool) string {
	theirs, ours := "bound to "+node, "no node"
	if node == "" {
		theirs = "declared unschedulable"
	}
	if len(best) > 0 {
		ours = best[0]
	}
	text := fmt.Sprintf("%s %s, and Orrery chooses %s", pod, theirs, ours)
	if lead > 0 {
		text += ", which leads by " + plural.Count(lead, "point")
	}
	if unsearched {
		text += "; not looked into, as too many differed at once"
	}
	return text
}

func markOf(f *shadow.Finding) trace.Mark {
	var best []string
	for _, node := range f.BestNodes {
		best = append(best, printable.Line(node, 200))
	}
	text := DifferenceText(printable.Line(f.Pod.String(), 200), printable.Line(f.Real, 200), best, Lead(f), f.Unsearched)
	return trace.Mark{Kind: trace.Difference, Pod: f.Pod, Text: "unexplained: " + text}
}

// Lead is by how many points the best nodes lead, if the pod's node is feasible; else zero.
func Lead(f *shadow.Finding) int64 {
	if len(f.BestNodes) == 0 || len(f.Objections) > 0 {
		return 0
	}
	return f.Best - f.Score
}
