package diagnose

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"orrery/core/answers/answer"
	"orrery/core/safe/plural"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// write puts the diagnosis into the answer: its fields, and the words for people.
func (d *Diagnosis) write() {
	d.Words = answer.Words{Title: d.Pod.Namespace + "/" + d.Pod.Name}
	d.writeFields()
	d.conclude()
	d.writeFacts()
	if d.Storage != nil {
		d.Section("Storage", d.Storage.Links(d.Summary)...)
	}
	if d.Devices != nil {
		d.Section("Devices", d.Devices.Links(d.Summary)...)
	}
	if d.Gang != nil {
		d.Section("Gang", d.Gang.Links()...)
	}
	d.Section("Preemption", answer.Lines(d.PreemptionFacts)...)
	d.Section("What would help", answer.Lines(d.hints())...)
	d.writeMessages()
}

// writeFields sets the fields that are the same in the decision.
func (d *Diagnosis) writeFields() {
	of := &d.Decision
	if d.Counts == nil {
		d.Counts = &answer.NodeCounts{Total: of.Nodes}
	}
	if k := d.Kept; k.Nodes > 0 {
		d.KeptVerdicts = &answer.KeptVerdicts{Nodes: k.Nodes, OldestGeneration: k.Oldest, NewestGeneration: k.Newest, Afresh: k.Afresh}
	}
	d.UnknownExtenders, d.PluginResults = of.Unknown, resultsOf(d.Statuses, "")
	if d.Storage != nil {
		d.Answer.Storage = d.Storage
	}
	if d.Devices != nil {
		d.Answer.Devices = d.Devices
	}
	if p := of.Preemption; p != nil {
		d.Preemption = &answer.Preemption{Node: p.Node, Violations: p.Violations, Criterion: string(p.By)}
		for _, victim := range p.Victims {
			d.Preemption.Victims = append(d.Preemption.Victims, refOf(world.PodRefOf(victim)))
		}
	}
	if of.Node != "" {
		d.Winner = &answer.ScoredNode{Node: of.Node, Score: of.Score}
	}
	if of.RunnerUp != "" {
		d.RunnerUp = &answer.ScoredNode{Node: of.RunnerUp, Score: of.RunnerUpScore}
	}
	d.Reasons = slices.Clone(d.Reasons)
	if d.Reasons == nil {
		d.Reasons = []Reason{}
	}
	for i := range d.Reasons {
		r := &d.Reasons[i]
		r.Beside = slices.DeleteFunc(slices.Clone(r.Facts), func(fact string) bool { return slices.Contains(d.said, fact) })
		d.Charts = append(d.Charts, chartsOf(r)...)
	}
}

func refOf(r world.PodRef) answer.Ref {
	return answer.Ref{Namespace: r.Namespace, Name: r.Name, UID: string(r.UID)}
}

// resultsOf are plugin statuses; those without an extension point get the given one.
func resultsOf(all []engine.PluginStatus, point string) []answer.PluginResult {
	list := make([]answer.PluginResult, len(all))
	for i, s := range all {
		list[i] = answer.PluginResult{Point: s.Point, Plugin: s.Plugin, Code: s.Code.String(), Reasons: s.Reasons}
		if s.Point == "" {
			list[i].Point = point
		}
	}
	return list
}

// stateWords say what a pod of a state is or does, and what comes before its node, if it has one.
var stateWords = map[engine.PodState][2]string{
	engine.StateGated: {"gated"}, engine.StateBackoff: {"in backoffQ"}, engine.StateUnschedulable: {"in unschedulablePods"}, engine.StateActive: {"in activeQ"},
	engine.StateScheduling: {"waiting for extenders"}, engine.StateWaiting: {"waiting on Permit", " for "}, engine.StateBinding: {"binding", " to "},
	engine.StateBound: {"bound", " to "}, engine.StateGone: {"not in the scheduler"}, StateTerminating: {"terminating", " on "},
}

func stateText(s *answer.Status) string {
	words := stateWords[engine.PodState(s.State)]
	switch {
	case s.State == string(engine.StateGated) && len(s.Gates) > 0:
		return words[0] + " by " + strings.Join(s.Gates, ", ")
	case s.Node != "" && words[1] != "":
		return words[0] + words[1] + s.Node
	}
	return words[0]
}

func (d *Diagnosis) writeFacts() {
	s := d.Status
	is := stateText(s)
	if !s.Since.IsZero() {
		is += d.since(s.Since)
	}
	if s.Attempts > 0 {
		is += ", " + plural.Count(s.Attempts, "attempt")
	}
	if s.Estimated && d.Lifecycle.Phase == PhasePending && !d.Lifecycle.Leaves() {
		is += ": an estimate, the scheduler itself was not asked (--attach)"
	}
	d.Named("state", is)
	d.writeQueue(s.Queue)
	for _, kill := range s.OutOfMemory {
		d.Named("out of memory", "container "+kill.Container+" was killed at "+answer.At(kill.At)+", "+plural.Count(kill.Restarts, "restart"))
	}
	if !s.RetryAt.IsZero() {
		d.Named("retry", d.in(s.RetryAt))
	}
	d.Internally("rejected by", strings.Join(s.RejectedBy, ", "))
	d.Named("requeued when", strings.Join(s.RequeuesOn, "; when "))
	if !s.RetryBy.IsZero() {
		d.Named("retry by", d.in(s.RetryBy))
	}
	switch {
	case d.Evaluated.AsDecided:
		d.Named("decided", answer.At(d.Evaluated.At)+" ("+answer.Span(d.now.Sub(d.Evaluated.At))+" ago), decision "+strconv.FormatUint(d.Decision.Seq, 10))
	case d.Lifecycle.IsBound() && !d.question.Now && !d.Lifecycle.Leaves():
		d.Named("decided", "before anything that is known here")
	}
	if len(d.UnknownExtenders) > 0 {
		d.Named("unknown", "extenders not asked: "+strings.Join(d.UnknownExtenders, ", "))
	}
	if d.Decision.Verdict != engine.Skipped {
		d.Named("nodes", fmt.Sprintf("%d of %d feasible, %d examined", d.Counts.Feasible, d.Counts.Total, d.Counts.Examined))
	}
	if k := d.KeptVerdicts; k != nil {
		words := fmt.Sprintf("filter results of %d of %d nodes", k.Nodes, d.Counts.Total)
		if len(k.Afresh) > 0 {
			words += "; called anyway: " + strings.Join(k.Afresh, ", ")
		}
		d.Internally("cached", words)
	}
}

// writeQueue says where a pod stands in the queue of a running scheduler.
func (d *Diagnosis) writeQueue(p *answer.QueuePosition) {
	switch {
	case p == nil:
		return
	case p.Position == 0:
		d.Named("queue", "one of "+plural.Count(p.Of, "pod")+" in "+p.Queue)
	default:
		d.Named("queue", ordinal(p.Position)+" of "+strconv.Itoa(p.Of)+" in "+p.Queue)
	}
	switch {
	case p.WaitSeconds > 0:
		wait := time.Duration(math.Ceil(min(p.WaitSeconds, 1e9))) * time.Second
		d.Named("its turn", fmt.Sprintf("in about %s, at the present %g decisions per second", answer.Span(wait), p.DecisionsPerSecond))
	case p.Position > 0:
		d.Named("its turn", "not known: nothing was decided in the last minute")
	}
	d.Named("last failed on", p.LastFailure)
}

// ordinal writes 1st, 2nd, 3rd, 4th.
func ordinal(n int) string {
	ending := "th"
	if n/10%10 != 1 && n%10 >= 1 && n%10 <= 3 {
		ending = []string{"st", "nd", "rd"}[n%10-1]
	}
	return strconv.Itoa(n) + ending
}

func (d *Diagnosis) since(t time.Time) string {
	return " since " + answer.At(t) + " (" + answer.Span(d.now.Sub(t)) + ")"
}

func (d *Diagnosis) in(t time.Time) string {
	return answer.At(t) + " (in " + answer.Span(t.Sub(d.now)) + ")"
}

// hints say what would make a node feasible that only one reason blocks.
func (d *Diagnosis) hints() []string {
	var hints []string
	for i := range d.Reasons {
		if hint := d.Reasons[i].Hint; hint != "" && !slices.Contains(hints, hint) {
			hints = append(hints, hint)
		}
	}
	return hints
}

// writeMessages writes what plugins said of the pod as a whole, and the message of its event: what they mean is said elsewhere.
func (d *Diagnosis) writeMessages() {
	var lines []Link
	for i := range d.PluginResults {
		if r := &d.PluginResults[i]; !r.Passes() {
			lines = append(lines, Link{Says: r.Point + "  " + r.Plugin + "  " + r.Code + "  " + strings.Join(r.Reasons, ", ")})
		}
	}
	d.Section("Plugin results", lines...)
	if d.Message != "" {
		d.Section("The scheduler's message", Link{Says: d.Message})
	}
	for i := range d.Sections {
		if s := &d.Sections[i]; s.Title == "Plugin results" || s.Title == "The scheduler's message" {
			s.Internal = true
		}
	}
}
