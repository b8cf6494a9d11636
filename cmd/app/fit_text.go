package app

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"orrery/core/safe/printable"
)

// text writes the verdict first, then where the pods go, what it costs others, and why a pod has no node.
func (d *fitDocument) text(w io.Writer) {
	if d.fallback != "" {
		fmt.Fprintf(w, "(%s)\n", d.fallback)
	}
	fmt.Fprintln(w, printable.Line(d.Summary, 600))
	admitted := "the defaults of Kubernetes"
	if d.AdmittedBy == byServer {
		admitted = "what the API server admits (dryRun=All)"
	}
	fmt.Fprintf(w, "  evaluated at %s%s%s, with %s; nothing was created\n", d.At, d.Source.location(d.position, d.Trace), decidedAs(d.Kubernetes), admitted)
	d.numbers(w)
	if d.Price != nil {
		fmt.Fprintf(w, "  price of all nodes: %s\n", d.Price)
	}
	section(w, "Objects", d.objectLines())
	d.Pools.text(w)
	section(w, countText(len(d.Preempted), "pod")+" preempted", changeLines(d.Preempted))
	section(w, countText(len(d.Others), "pod")+" of others would change outcome", changeLines(d.Others))
	section(w, "Budgets", d.budgetLines())
	section(w, "Quotas", d.quotaLines())
	d.why(w)
	var notes [][]string
	for _, n := range d.Notes {
		notes = append(notes, []string{printable.Line(n, 300)})
	}
	section(w, "Notes", notes)
	fmt.Fprintf(w, "\nRun again: %s\n", printable.Line(d.Command, 2000))
	d.Source.text(w)
}

// numbers writes what a search found.
func (d *fitDocument) numbers(w io.Writer) {
	if c := d.Count; c != nil {
		fmt.Fprintf(w, "  by the sums of requests on each node at most %d; %s tried\n", c.Bound, countText(c.Tried, "number"))
	}
	if n := d.Nodes; n != nil {
		fmt.Fprintf(w, "  by the sum of requests at least %d; %s tried\n", n.Bound, countText(n.Tried, "number"))
	}
	if d.Seconds > 0 {
		fmt.Fprintf(w, "  the last pod gets its node %s after the objects are created\n", durationText(durationOf(d.Seconds)))
	}
}

// maxOnNodes bounds the nodes that are named for an object.
//
//orrery:limit answers; nodes named for an object of a printed fit; the others are counted; JSON has all
const maxOnNodes = 8

func (d *fitDocument) objectLines() [][]string {
	var lines [][]string
	for i := range d.Objects {
		o := &d.Objects[i]
		name := strings.ToLower(o.Kind) + " " + printable.Line(strings.TrimPrefix(o.Namespace+"/"+o.Name, "/"), 150)
		lines = append(lines, []string{name, fmt.Sprintf("%d of %d placed", o.Placed, max(o.Wanted, len(o.Pods))), o.where()})
		if o.Refused != "" {
			lines = append(lines, []string{"", "refused", printable.Line(o.Refused, 300)})
		}
		reasons := map[string]bool{}
		for j := range o.Pods {
			p := &o.Pods[j]
			if p.Node == "" && p.Reason != nil && !reasons[p.Reason.Message] && len(reasons) < maxOnNodes {
				reasons[p.Reason.Message] = true
				lines = append(lines, []string{"", printable.Line(p.Pod.Name, 100), printable.Line(p.Reason.Message, 200)})
			}
		}
	}
	return lines
}

// where names the nodes of an object's pods.
func (o *fitObject) where() string {
	var parts []string
	for i, on := range o.Nodes {
		if i == maxOnNodes {
			parts = append(parts, fmt.Sprintf("and %d more", len(o.Nodes)-maxOnNodes))
			break
		}
		text := printable.Line(on.Node, 100)
		if on.Pods > 1 {
			text += " (" + strconv.Itoa(on.Pods) + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func (d *fitDocument) budgetLines() [][]string {
	var lines [][]string
	for _, b := range d.Budgets {
		says := "within what it allows"
		if b.Violated {
			says = "violated"
		}
		lines = append(lines, []string{
			printable.Line(b.Namespace+"/"+b.Name, 150), fmt.Sprintf("allows %s, %d preempted", countText(b.Allowed, "disruption"), b.Preempted), says,
		})
	}
	return lines
}

func (d *fitDocument) quotaLines() [][]string {
	var lines [][]string
	for _, q := range d.Quotas {
		full := ""
		if q.Full {
			full = "nothing left"
		}
		used := q.After + " of " + q.Hard
		if q.Before != "" {
			used = q.Before + " -> " + used
		}
		lines = append(lines, []string{printable.Line(q.Namespace+"/"+q.Name, 150), printable.Line(q.Resource, 100), used, full})
	}
	return lines
}

// why writes the answer of explain about the first pod without a node.
func (d *fitDocument) why(w io.Writer) {
	if d.Why == nil {
		return
	}
	fmt.Fprintf(w, "\nWhy %s has no node\n", podName(*d.First))
	p := page{}
	p.reasons(d.Why.Reasons)
	p.sections(d.Why.Sections)
	p.remedies(d.Why.Remedies)
	p.write(w)
}
