package collect

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"orrery/core/answers/shadow"
	"orrery/core/safe/printable"
	"orrery/core/trace"
	"orrery/views"
)

// AddAgreement adds how the cluster's scheduler compares with Orrery to a model. Predicted is the number of pods that Orrery has
// placed and the cluster's scheduler has not decided yet.
func AddAgreement(m *views.Model, j *shadow.Comparator, predicted int, query Query) {
	counts := j.Counters()
	m.Agreement = &views.Agreement{
		Agreed: int64(counts.Agreed), Explained: int64(counts.Explained), Differs: int64(counts.Differs), Unschedulable: int64(counts.Unschedulable),
		Missed: int64(counts.NotCompared), Others: int64(counts.OtherSchedulers), Predicted: predicted,
	}
	views.PaneOf(views.AgreementPane).Collect(m, comparison{j: j}, query.list(), map[views.PaneID]any{})
}

// AddRecordedDifferences adds the unexplained differences that the marks of a recording tell of to a model.
func AddRecordedDifferences(m *views.Model, marks []trace.MarkAt, query Query) {
	var all recordedDifferences
	for i, mark := range slices.Backward(marks) {
		if mark.Mark.Kind != trace.Difference {
			continue
		}
		reason := printable.Line(mark.Mark.Text, 300)
		if reason == "" { // names were hashed
			reason = "unexplained; its text was left out, as names are hashed"
		}
		all.list = append(all.list, views.Difference{Seq: uint64(i), At: mark.At, Pod: podName(mark.Mark.Pod), Reason: reason, Told: true})
	}
	m.Agreement = &views.Agreement{Differs: int64(len(all.list)), Recorded: true}
	views.PaneOf(views.AgreementPane).Collect(m, all, query.list(), map[views.PaneID]any{})
}

// recordedDifferences is the source of those that were marked, the latest first.
type recordedDifferences struct {
	views.Source
	list []views.Difference
}

func (r recordedDifferences) Differences() views.Rows[views.Difference] {
	return views.Rows[views.Difference]{
		Total:  len(r.list),
		Window: func(first, n int) []views.Difference { return r.list[first : first+n] },
		All:    func(into []views.Difference) []views.Difference { return append(into, r.list...) },
	}
}

// comparison is the source of the differences.
type comparison struct {
	views.Source
	j *shadow.Comparator
}

// Differences are the latest first.
func (c comparison) Differences() views.Rows[views.Difference] {
	some := func(into []views.Difference, first, end int) []views.Difference {
		i := 0
		for f := range c.j.Findings() {
			if i >= end {
				break
			}
			if i >= first {
				into = append(into, differenceOf(f))
			}
			i++
		}
		return into
	}
	n := c.j.FindingCount()
	return views.Rows[views.Difference]{
		Total:  n,
		Window: func(first, n int) []views.Difference { return some(make([]views.Difference, 0, n), first, first+n) },
		All:    func(into []views.Difference) []views.Difference { return some(into, 0, n) },
	}
}

func differenceOf(f *shadow.Finding) views.Difference {
	d := views.Difference{
		Seq: f.Seq, At: f.At, Pod: podName(f.Pod), Explained: f.Class == shadow.Explained, Actual: printable.Text(f.Real), Best: bestNodes(f),
		ScoreGap: f.Best - f.Score, Scored: len(f.Margins) > 0, Reason: differenceReason(f),
	}
	for _, m := range f.Margins {
		d.Parts = append(d.Parts, views.DifferencePart{Plugin: printable.Text(m.Plugin), Ahead: m.Ahead})
	}
	if f.Message != "" {
		d.Details = append(d.Details, "its message: "+printable.Line(f.Message, 300))
	}
	for _, o := range withoutFirst(f.Objections) {
		d.Details = append(d.Details, printable.Text(o.Plugin)+": "+printable.Text(o.Reason))
	}
	for _, c := range withoutFirst(f.Causes) {
		d.Details = append(d.Details, "and "+causeText(c))
	}
	if f.Real != "" && f.Feasible == 0 {
		d.Details = append(d.Details, "no feasible node")
	}
	return d
}

func withoutFirst[T any](list []T) []T { return list[min(1, len(list)):] }

// bestNodes names the best nodes.
func bestNodes(f *shadow.Finding) string {
	if len(f.BestNodes) == 0 {
		return ""
	}
	name := printable.Text(f.BestNodes[0])
	if f.Tied > 1 {
		name += " +" + strconv.Itoa(f.Tied-1)
	}
	return name
}

// differenceReason is the main reason of a difference.
func differenceReason(f *shadow.Finding) string {
	switch {
	case len(f.Causes) > 0:
		return causeText(f.Causes[0])
	case f.Sampled:
		return "the best of the " + strconv.Itoa(f.SampleSize) + " nodes that percentageOfNodesToScore has it look for"
	case f.Unsearched:
		return "not looked into: too many differences at once"
	case f.Real == "":
		return "declared unschedulable, but " + strconv.Itoa(f.Feasible) + " of " + strconv.Itoa(f.Nodes) + " nodes are feasible"
	case len(f.Objections) > 0:
		return printable.Text(f.Objections[0].Plugin) + " rejects the node: " + printable.Text(f.Objections[0].Reason)
	case len(f.Margins) > 0 && f.Margins[0].Ahead > 0:
		return printable.Text(f.Margins[0].Plugin) + " scores the other node higher by " + strconv.FormatInt(f.Margins[0].Ahead, 10)
	}
	return "another node scores higher"
}

// causeText describes an event that one of the two schedulers saw later.
func causeText(c shadow.Cause) string {
	var b strings.Builder
	when := " before"
	if c.SeenEarly {
		b.WriteString("it had already seen: ")
		when = " after"
	} else {
		b.WriteString("it had not seen yet: ")
	}
	b.WriteString(printable.Text(c.What))
	b.WriteString(", " + c.Offset.Round(time.Millisecond).String() + when)
	return b.String()
}
