package app

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"orrery/core/answers/diagnose"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
)

// text writes the verdict first, then the evidence, then what helps, then where the answer comes from.
func (d *explanationDocument) text(w io.Writer) {
	if d.fallback != "" {
		fmt.Fprintf(w, "(%s)\n", d.fallback)
	}
	pod := printable.Line(d.Pod.Namespace+"/"+d.Pod.Name, 200)
	fmt.Fprintf(w, "%s %s\n", pod, printable.Line(d.headline(), 600))
	if d.finding != "" {
		fmt.Fprintf(w, "  %s\n", printable.Text(d.finding))
	}
	if next := d.next(); next != "" {
		fmt.Fprintf(w, "  %s\n", printable.Line(next, 600))
	}
	fmt.Fprintln(w)
	writeTable(w, "  ", d.facts())
	d.writeReasons(w)
	section(w, "Storage", d.storageLines())
	section(w, "Devices", d.deviceLines())
	d.Gang.text(w)
	section(w, "Preemption", d.preemptionLines())
	section(w, "PostFilter results", d.postFilterLines())
	section(w, "The scheduler's message", d.messageLines())
	section(w, "What would help", d.hintLines())
	section(w, "Tried on a copy, each alone places the pod", d.remedyLines(func(r *remedy) bool { return r.Places && !r.Needless }))
	section(w, "Works only if this pod is scheduled before the others (simulated)",
		d.remedyLines(func(r *remedy) bool { return !r.Places && !r.Needless }))
	section(w, "Not needed: the pod will be placed anyway; each of these places it sooner (simulated)",
		d.remedyLines(func(r *remedy) bool { return r.Needless }))
	if d.RunnerUp != nil {
		section(w, "Score by plugin", d.scoreLines())
	}
	if d.NodeVerdict != nil {
		d.NodeVerdict.text(w)
	}
	d.Source.text(w)
}

func section(w io.Writer, title string, table [][]string) {
	if len(table) > 0 {
		fmt.Fprintf(w, "\n%s\n", title)
		writeTable(w, "  ", table)
	}
}

func (d *explanationDocument) facts() [][]string {
	is := d.Status.words()
	if !d.Status.since.IsZero() {
		is += " since " + timeText(d.Status.since) + " (" + durationText(d.at.Sub(d.Status.since)) + ")"
	}
	if d.Status.Attempts > 0 {
		is += ", " + countText(d.Status.Attempts, "attempt")
	}
	facts := [][]string{{"state", is}}
	facts = append(facts, d.Status.Queue.facts()...)
	for _, kill := range d.Status.OutOfMemory {
		facts = append(facts, []string{"out of memory", "container " + printable.Line(kill.Container, 100) + " was killed at " + string(kill.At) + ", " +
			countText(int64(kill.Restarts), "restart")})
	}
	if !d.Status.retry.IsZero() {
		facts = append(facts, []string{"retry", timeText(d.Status.retry) + " (in " + durationText(max(d.Status.retry.Sub(d.at), 0)) + ")"})
	}
	if len(d.Status.RejectedBy) > 0 {
		facts = append(facts, []string{"rejected by", printable.Line(strings.Join(d.Status.RejectedBy, ", "), 200)})
	}
	if len(d.Status.RequeuesOn) > 0 {
		facts = append(facts, []string{"requeued when", printable.Line(strings.Join(d.Status.RequeuesOn, "; when "), 400)})
	}
	if !d.Status.retryBy.IsZero() {
		facts = append(facts, []string{"retry by", timeText(d.Status.retryBy) + " (in " + durationText(max(d.Status.retryBy.Sub(d.at), 0)) + ")"})
	}
	evaluated, how := timeText(d.Evaluated.at)+d.Source.location(d.Evaluated.position, d.Trace), "evaluated"
	if d.Evaluated.AsDecided {
		evaluated += ", when it was decided"
	} else if d.Status.Node != "" && !d.lifecycle.Leaves() {
		how, evaluated = "re-evaluated", evaluated+", as if unbound"
	}
	facts = append(facts, []string{how, evaluated})
	if len(d.UnknownExtenders) > 0 {
		facts = append(facts, []string{"unknown", "what extenders say, which are not asked: " + printable.Line(strings.Join(d.UnknownExtenders, ", "), 400)})
	}
	if d.Verdict == engine.Skipped.String() || d.lifecycle.Leaves() && !d.Evaluated.AsDecided || d.notEvaluated != "" {
		return facts
	}
	facts = append(facts, []string{"nodes", fmt.Sprintf("%d of %d feasible, %d examined", d.Nodes.Feasible, d.Nodes.Total, d.Nodes.Examined)})
	if d.Kept != nil {
		facts = append(facts, []string{"cached", d.Kept.words(d.Nodes.Total)})
	}
	return facts
}

// words say on how many nodes the filters were not run again, since earlier pods like this one had the same results.
func (k *keptVerdicts) words(nodes int) string {
	words := fmt.Sprintf("filter results of %d of %d nodes", k.Nodes, nodes)
	if len(k.Afresh) > 0 {
		words += "; called anyway: " + printable.Line(strings.Join(k.Afresh, ", "), 300)
	}
	return words
}

func (d *explanationDocument) hintLines() [][]string {
	var lines [][]string
	for _, r := range d.Reasons {
		if r.Hint != "" {
			lines = append(lines, []string{printable.Line(r.Hint, 300)})
		}
	}
	return lines
}

// preemptionLines are what a preemption found; without evidence, the plugin's message is among the PostFilter results.
func (d *explanationDocument) preemptionLines() [][]string {
	var lines [][]string
	for _, fact := range d.PreemptionFacts {
		lines = append(lines, []string{printable.Line(fact, 500)})
	}
	return lines
}

// remedyLines returns the remedies of one kind, with the pod's node, all that would change, and the command that shows it.
func (d *explanationDocument) remedyLines(of func(*remedy) bool) [][]string {
	var lines [][]string
	for i := range d.Remedies {
		if r := &d.Remedies[i]; of(r) {
			lines = append(lines,
				[]string{printable.Line(r.Text, 150) + r.goesTo() + ": " + printable.Line(r.Effect, 300)},
				[]string{"  " + printable.Line(r.Command, 2000)})
		}
	}
	return lines
}

func (r *remedy) goesTo() string {
	if r.Node == "" {
		return ""
	}
	if r.ByTies {
		return ", goes to " + printable.Line(r.Node, 60) + " if ties between nodes fall so"
	}
	return ", goes to " + printable.Line(r.Node, 60)
}

// writeReasons writes each reason with the facts behind it.
func (d *explanationDocument) writeReasons(w io.Writer) {
	for i, r := range d.Reasons {
		if i == 0 {
			fmt.Fprintln(w, "\nReasons")
		}
		fmt.Fprintf(w, "  %s: %s%s\n", countText(r.Nodes, "node"), printable.Line(r.Reason, 200), inParentheses(r.Plugin))
		for _, fact := range r.Facts {
			if !diagnose.Repeats(d.Summary, fact) {
				fmt.Fprintf(w, "    %s\n", printable.Line(fact, 500))
			}
		}
	}
}

// inParentheses is empty for the engine's own reason: nodes that a PreFilter plugin left out.
func inParentheses(plugin string) string {
	if plugin == "" {
		return ""
	}
	return " (" + plugin + ")"
}

// storageLines are the links from the pod's claims to the nodes of its volumes.
func (d *explanationDocument) storageLines() [][]string {
	if d.Storage == nil {
		return nil
	}
	var lines [][]string
	for _, line := range d.Storage.Lines() {
		lines = append(lines, []string{printable.Line(line, 500)})
	}
	return lines
}

// deviceLines are the links from the pod's claims for devices to the nodes that have some.
func (d *explanationDocument) deviceLines() [][]string {
	if d.Devices == nil {
		return nil
	}
	var lines [][]string
	for _, line := range d.Devices.Lines() {
		lines = append(lines, []string{printable.Line(line, 500)})
	}
	return lines
}

// postFilterLines returns the results of plugins that failed for the pod as a whole, if they were asked for: what they mean
// is among the reasons and the preemption's facts.
func (d *explanationDocument) postFilterLines() [][]string {
	if !d.verbose {
		return nil
	}
	var lines [][]string
	for _, s := range d.PluginResults {
		if s.Code != "Success" && s.Code != "Skip" {
			lines = append(lines, []string{s.Point, s.Plugin, s.Code, printable.Line(strings.Join(s.Reasons, ", "), 300)})
		}
	}
	return lines
}

// messageLines is the message that the pod's event and condition have, if it was asked for.
func (d *explanationDocument) messageLines() [][]string {
	if !d.verbose || d.Message == "" {
		return nil
	}
	return [][]string{{printable.Text(d.Message)}}
}

func (d *explanationDocument) scoreLines() [][]string {
	lines := [][]string{{"", printable.Line(d.Winner.Node, 60), printable.Line(d.RunnerUp.Node, 60), "margin"}}
	row := func(name string, winner, runnerUp int64) {
		lines = append(lines, []string{name, strconv.FormatInt(winner, 10), strconv.FormatInt(runnerUp, 10), signed(winner - runnerUp)})
	}
	for _, s := range d.Scores {
		if s.Winner != 0 || s.RunnerUp != 0 {
			row(s.Plugin, s.Winner, s.RunnerUp)
		}
	}
	row("total", d.Winner.Score, d.RunnerUp.Score)
	return lines
}

func signed(n int64) string {
	if n == 0 {
		return "="
	}
	return fmt.Sprintf("%+d", n)
}

// deviceLines are the devices that the node reaches, by request.
func (v *nodeVerdict) deviceLines() [][]string {
	var lines [][]string
	for i := range v.Devices {
		d := &v.Devices[i]
		lines = append(lines, []string{
			printable.Line(d.Claim+", request "+d.Request, 80), printable.Line(d.Device, 120), printable.Line(d.Says, 400),
		})
	}
	return lines
}

func (v *nodeVerdict) text(w io.Writer) {
	verdict := "is not feasible"
	if v.Feasible {
		verdict = "is feasible"
	}
	if !v.Examined {
		verdict += ", not examined by the search"
	}
	fmt.Fprintf(w, "\n%s %s\n", printable.Line(v.Node, 100), verdict)
	if v.KeptSince > 0 {
		fmt.Fprintf(w, "  the verdict on an earlier pod like it, unchanged since generation %d\n", v.KeptSince)
	}
	if len(v.Filters) == 0 {
		fmt.Fprintln(w, "  no Filter plugin ran: the pod was rejected in PreFilter")
	}
	var table [][]string
	for _, f := range v.Filters {
		result := "passes"
		if f.Code != "Success" && f.Code != "Skip" {
			result = "rejects"
		}
		table = append(table, []string{result, f.Plugin, printable.Line(strings.Join(f.Reasons, ", "), 200)})
	}
	writeTable(w, "  ", table)
	section(w, "Devices there", v.deviceLines())
	if len(v.Scores) == 0 {
		return
	}
	fmt.Fprintf(w, "\nScore %d\n", v.Total)
	table = [][]string{{"", "raw", "normalized", "weight", "weighted"}}
	for _, s := range v.Scores {
		table = append(table, []string{
			s.Plugin, strconv.FormatInt(s.Raw, 10), strconv.FormatInt(s.Normalized, 10), strconv.FormatInt(s.Weight, 10), strconv.FormatInt(s.Weighted, 10),
		})
	}
	writeTable(w, "  ", table)
}
