package app

import (
	"fmt"
	"io"
	"strings"

	"orrery/core/safe/printable"
)

// maxPoolLines bounds the pools that are named for each group of pods.
//
//orrery:limit answers; node pools and groups of pods in a printed answer; JSON has all
const maxPoolLines = 20

// text writes the nodes that pools add, and why they take no more.
func (d *poolsDocument) text(w io.Writer) {
	if d == nil {
		return
	}
	var added, refused, unknown [][]string
	for _, a := range d.Added {
		added = append(added, []string{printable.Line(a.Pool, 100), countText(a.Nodes, "node"), printable.Line(a.Shape, 120), "of " + printable.Line(a.Origin, 80)})
	}
	title := "Nodes that pools add"
	if d.Price != nil {
		title += ", price " + d.Price.String()
	}
	section(w, title, added)
	for _, r := range d.Refused[:min(len(d.Refused), maxPoolLines)] {
		name := podName(r.Pod)
		if r.Pods > 1 {
			name += fmt.Sprintf(" and %d more", r.Pods-1)
		}
		if len(r.Pools) == 0 {
			refused = append(refused, []string{name, "", "no pool is known"})
		}
		for _, v := range r.Pools[:min(len(r.Pools), maxPoolLines)] {
			says := printable.Line(v.Contradiction, 300)
			if says == "" {
				says = "could take it, by what it declares"
			}
			refused = append(refused, []string{name, printable.Line(v.Pool, 100), says})
			name = ""
		}
	}
	section(w, "Which pool could take it", refused)
	for _, u := range d.Unknown[:min(len(d.Unknown), maxPoolLines)] {
		unknown = append(unknown, []string{printable.Line(u.Pool, 100), printable.Line(strings.Join(u.Unknown, "; "), 400)})
	}
	section(w, "What is not known of the pools", unknown)
}
