package app

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"orrery/core/engine"
	"orrery/core/printable"
)

// text answers in the order in which one asks: what, why, where is it, what would help, and then all the rest.
func (d *explanationDocument) text(w io.Writer) {
	pod := printable.Line(d.Pod.Namespace+"/"+d.Pod.Name, 200)
	fmt.Fprintf(w, "%s %s\n", pod, d.headline())
	fmt.Fprintf(w, "  %s\n\n", d.Cause)
	rows(w, "  ", d.facts())
	section(w, "What would help", d.helpLines())
	section(w, "Would place it, each tried by itself on a copy", d.fixLines())
	section(w, "Why not", d.reasonLines())
	section(w, "Said of the pod", d.statementLines())
	if d.RunnerUp != nil {
		section(w, "Points, by plugin", d.marginLines())
	}
	if d.NodeVerdict != nil {
		d.NodeVerdict.text(w)
	}
	d.Source.text(w)
}

func section(w io.Writer, title string, table [][]string) {
	if len(table) > 0 {
		fmt.Fprintf(w, "\n%s\n", title)
		rows(w, "  ", table)
	}
}

// headline is the answer in a few words.
func (d *explanationDocument) headline() string {
	would := ""
	if !d.Asked.AsDecided {
		would = "would be "
	}
	switch d.Verdict {
	case engine.Placed.String():
		return would + "placed on " + printable.Line(d.Winner.Node, 100)
	case engine.Failed.String():
		return "cannot be decided about: " + printable.Line(d.Message, 300)
	case engine.Skipped.String():
		return "is skipped: it is being deleted"
	}
	return "fits on none of " + counted(d.Nodes.Total, "node")
}

func (d *explanationDocument) facts() [][]string {
	is := d.Where.state()
	if !d.Where.since.IsZero() {
		is += " since " + clock(d.Where.since) + " (" + since(d.at.Sub(d.Where.since)) + ")"
	}
	if d.Where.Attempts > 0 {
		is += ", " + counted(d.Where.Attempts, "attempt")
	}
	facts := [][]string{{"is", is}}
	if !d.Where.retry.IsZero() {
		facts = append(facts, []string{"tries again", clock(d.Where.retry) + " (in " + since(max(d.Where.retry.Sub(d.at), 0)) + ")"})
	}
	if len(d.Where.Blamed) > 0 {
		facts = append(facts, []string{"waits for", "an event that helps with " + printable.Line(strings.Join(d.Where.Blamed, ", "), 200)})
	}
	asked := clock(d.Asked.at) + d.Source.within(offset(d.Asked.at.Sub(d.start)), d.Trace)
	if d.Asked.AsDecided {
		asked += ", when it was decided"
	} else if d.Where.Node != "" {
		asked += ", as if it had no node"
	}
	return append(facts, []string{"asked", asked},
		[]string{"nodes", fmt.Sprintf("%d of %d would do, %d were looked at", d.Nodes.Feasible, d.Nodes.Total, d.Nodes.Searched)})
}

func (d *explanationDocument) helpLines() [][]string {
	var lines [][]string
	for _, help := range d.Help {
		lines = append(lines, []string{help})
	}
	if p := d.Preemption; p != nil {
		line := fmt.Sprintf("preemption: %s would make room on %s", counted(len(p.Victims), "pod"), printable.Line(p.Node, 100))
		if p.Violations > 0 {
			line += ", " + strconv.Itoa(p.Violations) + " in spite of a disruption budget"
		}
		lines = append(lines, []string{line})
		for _, v := range p.Victims[:min(len(p.Victims), 8)] {
			lines = append(lines, []string{"  " + printable.Line(v.Namespace+"/"+v.Name, 150)})
		}
	}
	return lines
}

// fixLines are what was tried, where the pod went, and the words that ask what else it would bring.
func (d *explanationDocument) fixLines() [][]string {
	var lines [][]string
	for _, f := range d.Fixes {
		lines = append(lines, []string{
			printable.Line(f.Text, 150), "goes to " + printable.Line(f.Node, 60), "orrery whatif " + printable.Line(f.Change.String(), 200),
		})
	}
	return lines
}

func (d *explanationDocument) reasonLines() [][]string {
	var lines [][]string
	for _, r := range d.Reasons {
		lines = append(lines, []string{counted(r.Nodes, "node"), printable.Line(r.Reason, 200), r.Plugin})
	}
	return lines
}

// statementLines are what plugins said of the pod as a whole, but for those that had nothing against it.
func (d *explanationDocument) statementLines() [][]string {
	var lines [][]string
	for _, s := range d.Statements {
		if s.Code != "Success" && s.Code != "Skip" {
			lines = append(lines, []string{s.Point, s.Plugin, s.Code, printable.Line(strings.Join(s.Reasons, ", "), 300)})
		}
	}
	return lines
}

func (d *explanationDocument) marginLines() [][]string {
	lines := [][]string{{"", printable.Line(d.Winner.Node, 60), printable.Line(d.RunnerUp.Node, 60), "ahead"}}
	for _, m := range d.Margins {
		if m.Winner == 0 && m.RunnerUp == 0 {
			continue // had no say
		}
		lines = append(lines, []string{m.Plugin, strconv.FormatInt(m.Winner, 10), strconv.FormatInt(m.RunnerUp, 10), signed(m.Ahead)})
	}
	return append(lines, []string{"total", strconv.FormatInt(d.Winner.Score, 10), strconv.FormatInt(d.RunnerUp.Score, 10), signed(d.Winner.Score - d.RunnerUp.Score)})
}

func signed(n int64) string {
	if n == 0 {
		return "="
	}
	return fmt.Sprintf("%+d", n)
}

func (v *nodeVerdict) text(w io.Writer) {
	verdict := "would not do"
	if v.Feasible {
		verdict = "would do"
	}
	if !v.Searched {
		verdict += "; the search did not come by it"
	}
	fmt.Fprintf(w, "\n%s %s\n", printable.Line(v.Node, 100), verdict)
	if len(v.Filters) == 0 {
		fmt.Fprintln(w, "  no plugin was asked about nodes: the pod was turned down before")
	}
	var table [][]string
	for _, f := range v.Filters {
		said := "yes"
		if f.Code != "Success" && f.Code != "Skip" {
			said = "no"
		}
		table = append(table, []string{said, f.Plugin, printable.Line(strings.Join(f.Reasons, ", "), 200)})
	}
	rows(w, "  ", table)
	if len(v.Scores) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s points\n", strconv.FormatInt(v.Total, 10))
	table = [][]string{{"", "raw", "of 100", "weight", "points"}}
	for _, s := range v.Scores {
		table = append(table, []string{
			s.Plugin, strconv.FormatInt(s.Raw, 10), strconv.FormatInt(s.Normalized, 10), strconv.FormatInt(s.Weight, 10), strconv.FormatInt(s.Weighted, 10),
		})
	}
	rows(w, "  ", table)
}
