package diagnose

import (
	"orrery/core/answers/answer"
	"orrery/core/scheduler/engine"
)

// conclude says first what is: where the pod is, if that is settled, with what would be decided beside it; and of a pod that waits, why.
func (d *Diagnosis) conclude() {
	l := &d.Lifecycle
	d.Verdict, d.Message, d.Summary = d.Decision.Verdict.String(), d.Decision.Message, d.decided
	switch {
	case l.Node != "":
		d.Verdict = engine.Placed.String()
	case l.Leaves():
		d.Verdict = engine.Skipped.String()
	}
	settled := l.IsBound() || l.Leaves() || l.Phase == PhaseBinding && d.Waiting == ""
	if settled {
		d.Waiting, d.Message = "", ""
	}
	if today := d.today(); today != "" {
		d.Today = &answer.Place{Verdict: d.Decision.Verdict.String(), Node: d.Decision.Node}
	}
	finding := d.beside(settled)
	d.Headline = d.headline()
	switch {
	case settled:
		d.Summary = joined(d.Headline, finding)
	case d.unled != "":
		d.Summary = joined(d.unled, finding)
	case d.gangText() != "":
		d.Summary = joined(d.gangText(), d.decided)
	}
	d.Yes = d.yes()
	d.Settled = l.Phase != PhasePending && !d.held()
	for _, text := range []string{d.next(), finding} {
		if text != "" {
			d.Then = append(d.Then, text)
		}
	}
}

func joined(first, second string) string {
	if second == "" {
		return first
	}
	return first + "; " + second
}

// beside is what was found besides the headline; empty where that says it.
func (d *Diagnosis) beside(settled bool) string {
	placed := d.Verdict == engine.Placed.String()
	switch {
	case d.unevaluated != "" && (settled || d.Waiting != ""):
		return d.unevaluated
	case settled && d.Evaluated.AsDecided && d.Decision.Node != d.Lifecycle.Node:
		return "another scheduler bound it; the choice here was " + d.Decision.Node + ", " + d.Finding
	case settled && d.Finding != d.Lifecycle.Text():
		return d.Finding
	case settled || d.unevaluated != "":
		return ""
	case d.unled != "" && placed && d.Waiting == "":
		return "once one leads it would be placed on " + d.Decision.Node + ": " + d.Finding
	case d.Waiting != "" && d.unled == "" && d.gangText() == "":
		return d.afterwards()
	case d.Waiting != "":
		return d.decided
	case d.Decision.Verdict == engine.Unschedulable && d.unled == "" && d.gangText() == "":
		return "" // it is the headline
	}
	return d.Finding
}

// headline says where the pod is, or what it waits for.
func (d *Diagnosis) headline() string {
	l := &d.Lifecycle
	switch {
	case d.NodeVerdict != nil:
		return d.nodeHeadline()
	case l.IsBound() || l.Leaves():
		return joined(l.Text(), d.today())
	case d.unled != "":
		return "Pending: " + d.unled
	case d.gangText() != "":
		return "Pending: " + d.gangText()
	case d.Waiting != "":
		return "Pending: " + d.Waiting
	case d.unevaluated != "":
		return "Pending: " + d.unevaluated
	case l.Phase == PhaseBinding:
		return l.Text()
	}
	switch d.Decision.Verdict {
	case engine.Placed:
		tried := "not yet tried"
		if d.Status.Attempts > 0 {
			tried = "to be tried again"
		}
		return "Pending: queued, " + tried + "; would be placed on " + d.Decision.Node
	case engine.Failed:
		return "failed: " + d.Decision.Message
	case engine.Skipped:
		return "skipped: " + d.Decision.Message
	}
	return "Pending: " + d.decided
}

// today says what would be decided about a bound pod if it had no node; empty unless that was asked for.
func (d *Diagnosis) today() string {
	if !d.question.Now || !d.Lifecycle.IsBound() || d.Lifecycle.Leaves() || d.unevaluated != "" {
		return ""
	}
	switch d.Decision.Verdict {
	case engine.Placed:
		if d.Decision.Node == d.Lifecycle.Node {
			return "today it would go there again"
		}
		return "today it would go to " + d.Decision.Node
	case engine.Unschedulable:
		return "today no node would take it"
	case engine.Failed:
		return "today its scheduling would fail"
	}
	return ""
}

// gangText says what holds the pod's gang back, where that is more than what the pod waits for; empty for others.
func (d *Diagnosis) gangText() string {
	switch g := d.Gang; {
	case g == nil || !g.Held() || len(d.Status.Gates) > 0:
		return ""
	case g.Deadlock():
		return g.Summary()
	case d.Waiting == "":
		return "gang " + g.Name + " is " + g.Summary()
	}
	return ""
}

// next says of a pod that waits since when it does, and what to try first; empty for others.
func (d *Diagnosis) next() string {
	if d.Lifecycle.Phase != PhasePending || d.Lifecycle.Leaves() {
		return ""
	}
	text := ""
	if created := d.created; !created.IsZero() {
		text = "pending for " + answer.Span(d.now.Sub(created))
	}
	if help := d.firstHelp(); help != "" {
		return joined(text, help)
	}
	return text
}

// firstHelp is the remedy that places the pod or lets its gang go or, without any, what would have to be different.
func (d *Diagnosis) firstHelp() string {
	const first = "what would help first: "
	if told, is := d.Answer.Gang.(*ToldGang); is && d.gangText() != "" {
		if len(told.Remedies) > 0 {
			return first + told.Remedies[0].Text
		}
		return ""
	}
	for _, places := range []bool{true, false} {
		for i := range d.Answer.Remedies {
			if r := &d.Answer.Remedies[i]; (r.Places || r.Effect == "") == places && !r.Needless {
				return first + r.Text
			}
		}
	}
	for i := range d.Reasons {
		r := &d.Reasons[i]
		if d.Waiting != "" || len(r.OnlyOn) == 0 || r.Evidence == nil {
			continue
		}
		if hint := r.Evidence.Hint(); hint != "" {
			return "it " + hint
		}
	}
	return ""
}

// held reports whether the pod has no node and waits for something besides its turn, whatever would be decided, or has a place where it
// waits for its gang, its volumes or its devices.
func (d *Diagnosis) held() bool {
	return d.Waiting != "" && (d.Lifecycle.Phase == PhasePending || d.Lifecycle.Phase == PhaseBinding)
}

// yes of a question about a node is of that node.
func (d *Diagnosis) yes() bool {
	if d.NodeVerdict != nil {
		return d.NodeVerdict.Feasible
	}
	switch l := &d.Lifecycle; {
	case l.Phase == PhaseEnded:
		return true
	case l.IsBound():
		return !l.NoNode || l.Termination != nil
	case l.Phase == PhasePending && (d.unled != "" || d.gangText() != "" || d.Decision.Verdict != engine.Placed):
		return false
	}
	return !d.held()
}
