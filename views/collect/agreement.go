package collect

import (
	"strconv"
	"strings"
	"time"

	"orrery/core/printable"
	"orrery/core/shadow"
	"orrery/views"
)

// Agreement is how the cluster's scheduler compares with Orrery. Predicted is how many pods Orrery has placed that the
// cluster's scheduler has not said anything about.
func Agreement(j *shadow.Judge, predicted int, look Look) *views.Agreement {
	t := j.Tally()
	a := &views.Agreement{
		Agreed: int64(t.Agreed), Explained: int64(t.Explained), Differs: int64(t.Differs), Unschedulable: int64(t.Unschedulable),
		Missed: int64(t.Missed), Others: int64(t.Others), Predicted: predicted,
	}
	first, end := look.window(j.Kept())
	a.List.First, a.List.Total = first, j.Kept()
	i := 0
	for f := range j.Findings() {
		if i >= end {
			break
		}
		if i >= first {
			a.List.Rows = append(a.List.Rows, differenceOf(f))
		}
		i++
	}
	return a
}

func differenceOf(f *shadow.Finding) views.Difference {
	d := views.Difference{
		Seq: f.Seq, At: f.At, Pod: podName(f.Pod), Explained: f.Class == shadow.Explained, Real: printable.Text(f.Real), Ours: oursOf(f),
		Behind: f.Best - f.Score, Scored: len(f.Margins) > 0, Why: whyOf(f),
	}
	for _, m := range f.Margins {
		d.Parts = append(d.Parts, views.DifferencePart{Plugin: printable.Text(m.Plugin), Ahead: m.Ahead})
	}
	if f.Message != "" {
		d.Details = append(d.Details, "it says: "+printable.Line(f.Message, 300))
	}
	for _, o := range rest(f.Against) {
		d.Details = append(d.Details, printable.Text(o.Plugin)+": "+printable.Text(o.Reason))
	}
	for _, c := range rest(f.Causes) {
		d.Details = append(d.Details, "and "+causeWords(c))
	}
	if f.Real != "" && f.Feasible == 0 {
		d.Details = append(d.Details, "no node would do")
	}
	return d
}

func rest[T any](list []T) []T { return list[min(1, len(list)):] }

// oursOf names the best nodes.
func oursOf(f *shadow.Finding) string {
	if len(f.Ours) == 0 {
		return ""
	}
	name := printable.Text(f.Ours[0])
	if f.Tied > 1 {
		name += " +" + strconv.Itoa(f.Tied-1)
	}
	return name
}

// whyOf is the sentence that says most of a difference.
func whyOf(f *shadow.Finding) string {
	switch {
	case len(f.Causes) > 0:
		return causeWords(f.Causes[0])
	case f.Sampled:
		return "the best of the " + strconv.Itoa(f.Wanted) + " nodes that percentageOfNodesToScore has it look for"
	case f.Real == "":
		return "declared unschedulable, and " + strconv.Itoa(f.Feasible) + " of " + strconv.Itoa(f.Nodes) + " nodes would do"
	case len(f.Against) > 0:
		return printable.Text(f.Against[0].Plugin) + " rejects the node: " + printable.Text(f.Against[0].Reason)
	case len(f.Margins) > 0 && f.Margins[0].Ahead > 0:
		return printable.Text(f.Margins[0].Plugin) + " is for the other node by " + strconv.FormatInt(f.Margins[0].Ahead, 10)
	}
	return "another node is better"
}

// causeWords tell of an event that one of the two schedulers saw later.
func causeWords(c shadow.Cause) string {
	var b strings.Builder
	when := " before"
	if c.Foreseen {
		b.WriteString("it knew already: ")
		when = " after"
	} else {
		b.WriteString("it had not seen yet: ")
	}
	b.WriteString(printable.Text(c.What))
	b.WriteString(", " + c.Off.Round(time.Millisecond).String() + when)
	return b.String()
}
