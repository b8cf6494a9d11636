// Package report writes what the screen shows as Markdown, to be handed on: the verdict, the evidence, the timeline, what was tried and
// the commands that repeat it.
//
//	views.Model, and what was tried ──► Markdown ──► a file
//
// Texts of a model are printable already. Here their Markdown is taken off them too: names stand in code, and what else comes from the
// cluster cannot begin a link, a tag or a table.
package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"orrery/core/answers/answer"
	"orrery/core/safe/plural"
	"orrery/views"
)

// Report is what a report is made of. What is nil is left out.
type Report struct {
	// Title says what it is about; Source is the recording or the cluster, Release the modelled release of Kubernetes.
	Title, Source, Mode, Release string
	// At is the time that is shown, Offset the same since the start of a recording; empty for a cluster.
	At     time.Time
	Offset string
	Health []views.Trouble
	// Explain and Journey are of a pod, Node is a node, WhatIf a what-if or two moments, Comparison two nodes or pods.
	Explain    *views.Explanation
	Journey    *views.Journey
	Node       *views.NodeDetail
	WhatIf     *views.WhatIf
	Comparison *views.Comparison
	// Timeline has the marks until then, Tried the what-ifs of the session, the latest first.
	Timeline *views.Timeline
	Tried    []*views.WhatIf
	// Commands repeat the answers.
	Commands []string
}

// The bounds of the parts.
const (
	//orrery:limit screen; rows of a table in a report; the others are counted
	maxRows = 200
	//orrery:limit screen; marks of the timeline in a report, the last ones; the others are counted
	maxMarks = 40
)

// Markdown writes a report.
func Markdown(r *Report) string {
	w := &writer{}
	w.line("# " + text(r.Title))
	w.line("")
	w.line("- source: " + code(r.Source) + ", " + r.Mode)
	when := r.At.UTC().Format(time.RFC3339)
	if r.Offset != "" {
		when += ", " + r.Offset + " after the start"
	}
	w.line("- time: " + when)
	if r.Release != "" {
		w.line("- modelled release: Kubernetes " + text(r.Release))
	}
	w.verdict(r)
	w.evidence(r)
	w.journey(r.Journey)
	w.marks(r.Timeline)
	w.tried(r.Tried)
	w.commands(r.Commands)
	return w.String()
}

// writer writes lines of Markdown.
type writer struct{ strings.Builder }

func (w *writer) line(s string) { w.WriteString(s + "\n") }

func (w *writer) heading(s string) { w.line("\n## " + s + "\n") }

// table writes a table, if it has rows.
func (w *writer) table(head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	w.line("| " + strings.Join(head, " | ") + " |")
	w.line("|" + strings.Repeat("---|", len(head)))
	for _, row := range rows[:min(len(rows), maxRows)] {
		w.line("| " + strings.Join(row, " | ") + " |")
	}
	if more := len(rows) - maxRows; more > 0 {
		w.line("\nand " + plural.Count(more, "more row"))
	}
}

// verdict writes what it comes to in a sentence or two.
func (w *writer) verdict(r *Report) {
	w.heading("Verdict")
	said := false
	say := func(s string) {
		if s != "" {
			w.line(text(s) + "\n")
			said = true
		}
	}
	if r.WhatIf != nil {
		say(r.WhatIf.Verdict)
	}
	if r.Explain != nil {
		say(r.Explain.Headline)
		for _, line := range r.Explain.Then {
			say(line)
		}
	}
	if r.Comparison != nil {
		say(r.Comparison.Kind + " " + r.Comparison.A + " and " + r.Comparison.B + " differ in " + plural.Count(r.Comparison.Differ, "row"))
	}
	for i := range r.Health {
		say(r.Health[i].Text)
	}
	if !said {
		say("no trouble")
	}
}

// evidence writes what the verdict rests on.
func (w *writer) evidence(r *Report) {
	w.explanation(r.Explain)
	if c := r.Comparison; c != nil {
		w.heading("Comparison")
		var rows [][]string
		for i := range c.List.Rows {
			row := &c.List.Rows[i]
			switch {
			case row.Heading:
				rows = append(rows, []string{"**" + text(row.Name) + "**", "", ""})
			case row.Same:
				rows = append(rows, []string{text(row.Name), code(row.A), code(row.B)})
			default:
				rows = append(rows, []string{"≠ " + text(row.Name), code(row.A), code(row.B)})
			}
		}
		w.table([]string{"", code(c.A), code(c.B)}, rows)
	}
	w.whatIf(r.WhatIf)
	w.node(r.Node)
}

func (w *writer) explanation(e *views.Explanation) {
	if e == nil {
		return
	}
	if len(e.Reasons) > 0 {
		w.heading("Reasons")
		var rows [][]string
		for i := range e.Reasons {
			g := &e.Reasons[i]
			rows = append(rows, []string{strconv.Itoa(g.Nodes), text(g.Message), text(g.Plugin)})
		}
		w.table([]string{"nodes", "reason", "plugin"}, rows)
	}
	if e.Winner != nil && e.RunnerUp != nil {
		w.heading("Scores")
		var rows [][]string
		for i := range e.Scores {
			p := &e.Scores[i]
			rows = append(rows, []string{text(p.Plugin), strconv.FormatInt(p.Winner, 10), strconv.FormatInt(p.RunnerUp, 10)})
		}
		w.table([]string{"plugin", code(e.Winner.Node), code(e.RunnerUp.Node)}, rows)
	}
	if len(e.Remedies) > 0 {
		w.heading("Fixes, tried on a copy")
		w.table([]string{"fix", "effect"}, remedies(e.Remedies))
	}
}

func remedies(list []answer.Remedy) [][]string {
	rows := make([][]string, len(list))
	for i := range list {
		effect := "the gang goes"
		if list[i].Node != "" {
			effect = "placed on " + code(list[i].Node)
		}
		rows[i] = []string{text(list[i].Text), effect}
	}
	return rows
}

func (w *writer) whatIf(f *views.WhatIf) {
	if f == nil {
		return
	}
	before, after := "without", "with"
	if f.Moments {
		before, after = f.Before, f.After
	}
	w.heading(text(f.Tried))
	a, b := &f.Without, &f.With
	percent := func(v float64) string { return strconv.FormatFloat(100*v, 'f', 1, 64) + "%" }
	count := func(name string, x, y int) []string { return []string{name, strconv.Itoa(x), strconv.Itoa(y)} }
	w.table([]string{"", before, after}, [][]string{
		count("pods placed", a.Placed, b.Placed), count("pods pending", a.Pending, b.Pending), count("moved", a.Moved, b.Moved), count("evicted", a.Evicted, b.Evicted),
		{"cpu requested", percent(a.CPU), percent(b.CPU)},
		{"memory requested", percent(a.Memory), percent(b.Memory)},
		{"utilization spread", percent(a.Spread), percent(b.Spread)},
	})
	for _, note := range f.Notes {
		w.line("\n- " + text(note))
	}
	w.line("")
	var rows [][]string
	for i := range f.Changes.Rows {
		c := &f.Changes.Rows[i]
		place := func(state views.PodState, node string) string {
			if node == "" {
				return state.Word()
			}
			return state.Word() + " on " + code(node)
		}
		rows = append(rows, []string{code(c.Pod), place(c.From, c.Without), place(c.To, c.With), text(c.Reason)})
	}
	w.table([]string{"pod", before, after, "reason"}, rows)
}

func (w *writer) node(n *views.NodeDetail) {
	if n == nil {
		return
	}
	w.heading("Node " + code(n.Row.Name))
	var rows [][]string
	for _, resource := range n.Resources {
		rows = append(rows, []string{text(resource.Name), resource.Used + " of " + resource.Most})
	}
	for _, fact := range n.Facts {
		rows = append(rows, []string{text(fact.Name), text(fact.Value)})
	}
	w.table([]string{"", ""}, rows)
	w.line("")
	rows = nil
	for _, o := range n.Owners {
		rows = append(rows, []string{code(o.Name), strconv.Itoa(o.Pods), o.CPU, o.Memory})
	}
	w.table([]string{"owner", "pods", "cpu", "memory"}, rows)
}

func (w *writer) journey(j *views.Journey) {
	if j == nil || len(j.Steps.Rows) == 0 {
		return
	}
	w.heading("Journey of " + code(j.Pod))
	var rows [][]string
	for _, t := range slices.Backward(j.Steps.Rows) { // a report is read from the beginning
		rows = append(rows, []string{t.At.UTC().Format("15:04:05.000"), t.From.Word() + " → " + t.To.Word(), text(t.Event), text(t.Note)})
	}
	w.table([]string{"at", "state", "event", "message"}, rows)
}

func (w *writer) marks(t *views.Timeline) {
	if t == nil {
		return
	}
	var rows [][]string
	for i := range t.Marks {
		if m := &t.Marks[i]; !m.At.After(t.At) {
			rows = append(rows, []string{m.At.Sub(t.Start).Round(time.Millisecond).String(), text(m.Kind), text(m.Label)})
		}
	}
	if len(rows) == 0 {
		return
	}
	w.heading("Timeline")
	if more := len(rows) - maxMarks; more > 0 {
		w.line(plural.Count(more, "earlier mark") + " left out\n")
		rows = rows[more:]
	}
	w.table([]string{"after", "mark", "what happened"}, rows)
}

func (w *writer) tried(list []*views.WhatIf) {
	if len(list) == 0 {
		return
	}
	w.heading("What was tried")
	var rows [][]string
	for _, f := range list {
		rows = append(rows, []string{text(f.Tried), text(f.Verdict), fmt.Sprintf("%d → %d", f.Without.Pending, f.With.Pending), fmt.Sprintf("%d", f.With.Evicted)})
	}
	w.table([]string{"what if", "verdict", "pods pending", "evicted"}, rows)
}

func (w *writer) commands(list []string) {
	if len(list) == 0 {
		return
	}
	w.heading("To repeat it")
	w.line("```sh")
	for _, command := range list {
		w.line(strings.ReplaceAll(command, "```", "'''"))
	}
	w.line("```")
}

// code sets a name in code.
func code(name string) string {
	if name == "" {
		return "–"
	}
	return "`" + strings.NewReplacer("`", "'", "|", "\\|", "\n", " ").Replace(name) + "`"
}

// text takes the Markdown off a text.
func text(s string) string {
	return strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;", "|", "\\|", "#", "\\#", "\n", " ").Replace(s)
}
