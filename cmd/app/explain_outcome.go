package app

import (
	"slices"
	"strings"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// todayDocument is a decision that is not made.
type todayDocument struct {
	Verdict string `json:"verdict"`
	Node    string `json:"node,omitempty"`
}

// bindingWaits reports whether the pod is placed and its binding waits on Permit, or for its claims: that is the answer then, not
// the decision.
func bindingWaits(e *engine.Engine, pod world.PodRef) bool {
	return slices.ContainsFunc(e.Bindings(), func(b engine.BindingInFlight) bool { return b.Pod.UID == pod.UID && len(b.Objects)+len(b.Waiting) > 0 })
}

// held reports whether the pod has no node and waits for something besides its turn, whatever would be decided, or has one on which
// it waits for its gang.
func (d *explanationDocument) held() bool {
	return d.Waiting != "" && (d.lifecycle.Phase == diagnose.PhasePending || d.Status.in == engine.StateWaiting)
}

// gangText says what holds the pod's gang back, where that is more than what the pod waits for; empty for others.
func (d *explanationDocument) gangText() string {
	switch g := d.Gang; {
	case g == nil || !g.Held() || len(d.Status.Gates) > 0:
		return ""
	case g.Deadlock():
		return g.Summary
	case d.Waiting == "":
		return "gang " + g.Name + " is " + g.Summary
	}
	return ""
}

// setOutcome makes the answer one about where the pod is, if that is settled: what would be decided is beside it then.
func (d *explanationDocument) setOutcome(of *diagnose.Diagnosis) {
	l := &d.lifecycle
	d.finding, d.notEvaluated = of.Finding, of.NotEvaluated
	if d.Evaluated.AsDecided {
		d.Waiting = "" // what it waited for then
	}
	switch {
	case l.Node != "":
		d.Verdict = engine.Placed.String()
	case l.Leaves():
		d.Verdict = engine.Skipped.String()
	}
	switch {
	case l.IsBound() || l.Leaves() || l.Phase == diagnose.PhaseBinding && d.Waiting == "":
		d.Waiting, d.Message = "", ""
		if d.today = of.Today(); d.today != "" && !d.Evaluated.AsDecided {
			d.Today = &todayDocument{of.Decision.Verdict.String(), of.Decision.Node}
		} else {
			d.today = ""
		}
		if d.finding == l.Text() || d.notEvaluated != "" {
			d.finding = d.notEvaluated
		}
		d.Summary = d.headline()
		if d.finding != "" {
			d.Summary += "; " + d.finding
		}
	case d.unled != "":
		if d.finding = of.Summary; d.Verdict == engine.Placed.String() && d.Waiting == "" {
			d.finding = "once one leads it would be placed on " + of.Decision.Node + ": " + of.Finding
		}
		d.Summary = d.unled + "; " + d.finding
	case d.gangText() != "":
		d.Summary = d.gangText() + "; " + d.Summary
		d.finding = of.Summary
	case d.notEvaluated != "" && d.Waiting == "":
		d.finding = ""
	case d.Verdict == engine.Unschedulable.String() && d.Waiting == "":
		d.finding = "" // it is the headline
	default:
		d.finding = d.Summary
	}
}

// next says of a pod that waits for a node since when it does, and what to try first; empty for others.
func (d *explanationDocument) next() string {
	if d.lifecycle.Phase != diagnose.PhasePending || d.lifecycle.Leaves() || d.Verdict != engine.Unschedulable.String() {
		return ""
	}
	var parts []string
	if !d.created.IsZero() {
		parts = append(parts, "pending for "+durationText(max(d.at.Sub(d.created), 0)))
	}
	if help := d.firstHelp(); help != "" {
		parts = append(parts, help)
	}
	return strings.Join(parts, "; ")
}

// firstHelp is the remedy that places the pod or, without any, what would have to be different.
func (d *explanationDocument) firstHelp() string {
	for _, places := range []bool{true, false} {
		for i := range d.Remedies {
			if r := &d.Remedies[i]; r.Places == places && !r.Needless {
				return "what would help first: " + r.Text
			}
		}
	}
	for i := range d.Reasons {
		if d.Reasons[i].Hint != "" {
			return "it " + d.Reasons[i].Hint
		}
	}
	return ""
}

// headline returns where the pod is, or what would be decided, in a few words. It is unescaped, as the summary is.
func (d *explanationDocument) headline() string {
	l := &d.lifecycle
	switch {
	case l.IsBound() && d.today != "":
		return l.Text() + "; " + d.today
	case l.IsBound() || l.Leaves():
		return l.Text()
	case d.unled != "":
		return "Pending: " + d.unled
	case d.gangText() != "":
		return "Pending: " + d.gangText()
	case d.Waiting != "":
		return "Pending: " + d.Waiting
	case d.notEvaluated != "":
		return "Pending: " + d.notEvaluated
	case l.Phase == diagnose.PhaseBinding:
		return l.Text()
	}
	switch d.Verdict {
	case engine.Placed.String():
		return "would be placed on " + d.Winner.Node
	case engine.Failed.String():
		return "failed: " + d.Message
	case engine.Skipped.String():
		return "skipped: " + d.Message
	}
	return "Pending: " + d.Summary
}

// yes of a question about a node is of that node.
func (d *explanationDocument) yes() bool {
	if d.NodeVerdict != nil {
		return d.NodeVerdict.Feasible
	}
	switch l := &d.lifecycle; {
	case l.Phase == diagnose.PhaseEnded:
		return true
	case l.IsBound():
		return !l.NoNode || l.Termination != nil
	case l.Phase == diagnose.PhasePending && (d.unled != "" || d.gangText() != "" || d.Verdict != engine.Placed.String()):
		return false
	}
	return !d.held()
}
