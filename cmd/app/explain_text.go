package app

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"orrery/core/answers/answer"
	"orrery/core/answers/diagnose"
	"orrery/core/safe/printable"
)

// text writes the answer first, then the evidence, then what helps, then where it comes from: on a page, unless all of it was asked for.
func (d *answerDocument) text(w io.Writer) {
	p := page{all: d.verbose}
	if d.Source != nil {
		p.below = 4
	}
	if d.fallback != "" {
		p.add("(" + d.fallback + ")")
	}
	if !d.Kubernetes.IsZero() {
		p.add("(as Kubernetes " + d.Kubernetes.String() + " decides)")
	}
	p.words(&d.Words, false)
	if d.NodeVerdict != nil {
		p.node(d.NodeVerdict)
	}
	if d.NodeVerdict == nil || d.verbose {
		d.ofAllNodes(&p)
	}
	for i := range d.Parts {
		p.words(&d.Parts[i], true)
		p.sections(d.Parts[i].Sections)
		if i < len(d.Gangs) {
			p.gangRemedies(d.Gangs[i].(*diagnose.ToldGang))
		}
	}
	if c := d.Capacity; c != nil {
		p.block("").add(fmt.Sprintf("%s like %s would place %d of the %s", countText(c.Nodes, "more node"), printable.Line(c.Like, 100), c.Places, countText(*d.Pods, "pod")))
	}
	p.write(w)
	d.Source.text(w)
}

// ofAllNodes writes what an answer about one node leaves out.
func (d *answerDocument) ofAllNodes(p *page) {
	p.table("", d.evaluatedFacts())
	p.reasons(d.Reasons)
	p.sections(d.Sections)
	p.remedies(d.Remedies)
	if told, is := d.Gang.(*diagnose.ToldGang); is {
		p.gangRemedies(told)
	}
	if d.RunnerUp != nil {
		p.table("Score by plugin", d.scoreLines())
	}
}

// evaluatedFacts are the facts, with what evaluated them.
func (d *answerDocument) evaluatedFacts() [][]string {
	var table [][]string
	for _, f := range d.Facts {
		if !f.Internal || d.verbose {
			table = append(table, []string{f.Name, limited(f.Value)})
		}
	}
	if d.evaluated != "" {
		table = append(table, []string{"evaluated", d.evaluated})
	}
	return table
}

// words writes a title with its answer, and the next sentences below it. Of a part of the answer, the answer is below the title, too.
func (p *page) words(w *answer.Words, part bool) {
	b := p.block("")
	b.part = part
	if title := printable.Line(w.Title, 200); part {
		b.add(title)
		b.add("  " + limited(w.Headline))
	} else if title == "" {
		b.add(limited(w.Headline))
	} else {
		b.add(title + " " + limited(w.Headline))
	}
	for _, text := range w.Then {
		b.add("  " + limited(text))
	}
	b.whole = true
}

// longest bounds a sentence of an answer.
const longest = 4000

func limited(text string) string { return printable.Line(text, longest) }

func (p *page) reasons(all []answer.Reason) {
	var b *block
	for i := range all {
		r := &all[i]
		if b == nil {
			b = p.block("Reasons")
		}
		line := "  " + countText(r.Nodes, "node") + ": " + limited(r.Message)
		if r.Plugin != "" { // else it is the engine's own: nodes that a PreFilter plugin left out
			line += " (" + printable.Line(r.Plugin, 100) + ")"
		}
		b.add(line)
		for _, fact := range r.Beside {
			b.add("    " + limited(fact))
		}
	}
}

func (p *page) sections(all []answer.Section) {
	for i := range all {
		if s := &all[i]; !s.Internal || p.all {
			b := p.block(s.Title)
			for _, l := range s.Lines {
				b.add(strings.Repeat("  ", l.Depth+1) + limited(l.Says))
			}
		}
	}
}

// remedies writes the remedies by what they come to.
func (p *page) remedies(all []answer.Remedy) {
	for _, kind := range []struct {
		title string
		of    func(*answer.Remedy) bool
	}{
		{"Tried on a copy, each alone places the pod", func(r *answer.Remedy) bool { return r.Places && !r.Needless }},
		{"Works only if this pod is scheduled before the others (simulated)", func(r *answer.Remedy) bool { return !r.Places && !r.Needless }},
		{"Not needed: the pod will be placed anyway; each of these places it sooner (simulated)", func(r *answer.Remedy) bool { return r.Needless }},
	} {
		var b *block
		for i := range all {
			if r := &all[i]; kind.of(r) {
				if b == nil {
					b = p.block(kind.title)
				}
				b.add("  "+limited(r.Text)+goesTo(r)+": "+limited(r.Effect), "    "+limited(r.Command))
			}
		}
	}
}

func goesTo(r *answer.Remedy) string {
	switch {
	case r.Node == "":
		return ""
	case r.ByTies:
		return ", goes to " + printable.Line(r.Node, 60) + " if ties between nodes fall so"
	}
	return ", goes to " + printable.Line(r.Node, 60)
}

func (p *page) gangRemedies(g *diagnose.ToldGang) {
	if len(g.Remedies) == 0 {
		return
	}
	b := p.block("Tried on a copy, each alone lets the gang go")
	for _, r := range g.Remedies {
		b.add("  "+limited(r.Text)+": "+limited(r.Effect), "    "+limited(r.Command))
	}
}

func (d *answerDocument) scoreLines() [][]string {
	lines := [][]string{{"", d.Winner.Node, d.RunnerUp.Node, "margin"}}
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

// node writes what every plugin said of one node.
func (p *page) node(v *answer.NodeVerdict) {
	if v.KeptSince > 0 && p.all {
		p.block("").add(fmt.Sprintf("  the verdict on an earlier pod like it, unchanged since generation %d", v.KeptSince))
	}
	var table [][]string
	for i := range v.Filters {
		result := "rejects"
		if v.Filters[i].Passes() {
			result = "passes"
		}
		table = append(table, []string{result, v.Filters[i].Plugin, limited(strings.Join(v.Filters[i].Reasons, ", "))})
	}
	if len(table) == 0 {
		table = [][]string{{"no Filter plugin ran: the pod was rejected in PreFilter"}}
	}
	p.table("On "+printable.Line(v.Node, 100), table)
	if list, is := v.Devices.([]diagnose.DeviceOn); is {
		table = nil
		for i := range list {
			table = append(table, []string{printable.Line(list[i].Claim+", request "+list[i].Request, 80), printable.Line(list[i].Device, 120), limited(list[i].Says)})
		}
		p.table("Devices there", table)
	}
	if len(v.Scores) == 0 {
		return
	}
	table = [][]string{{"", "raw", "normalized", "weight", "weighted"}}
	for _, s := range v.Scores {
		row := []string{s.Plugin}
		for _, n := range []int64{s.Raw, s.Normalized, s.Weight, s.Weighted} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		table = append(table, row)
	}
	p.table(fmt.Sprintf("Score %d", v.Total), table)
}
