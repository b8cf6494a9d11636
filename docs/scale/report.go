package main

import (
	"fmt"
	"strings"
	"time"
)

const preamble = `# How Orrery grows with a cluster

What a decision costs, from the arrival of a pod to the watch event of its binding, in one goroutine, with nothing recorded; the
median of %d pods of each kind, and the 99th percentile. Nodes have 128 cpus and lie in three zones; all pods that are bound at the
start request 1 cpu and 2 GiB. Without "all scored", percentageOfNodesToScore is adaptive: a search visits up to a tenth of 5,000
nodes, and a twentieth of more than 5,600. Written by ` + "`make bench-scale`" + ` on %s; do not edit it.

![time per decision by kind of pod and number of nodes](scale.svg)

`

const reasons = `
## What grows, and why

| kind | from %s to %s nodes | a decision grows with |
|---|--:|---|
`

func document(results []result, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, preamble, measured, date)
	b.WriteString(table(results))
	first, last := results[0], results[len(results)-1]
	fmt.Fprintf(&b, reasons, grouped(first.size.nodes), grouped(last.size.nodes))
	for i, k := range podKinds {
		growth := float64(last.decisions[i].median) / float64(first.decisions[i].median)
		fmt.Fprintf(&b, "| %s | %.1fx | %s |\n", k.name, growth, k.grows)
	}
	return b.String()
}

// table has a column for each size.
func table(results []result) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, r := range results {
		fmt.Fprintf(&b, " %s |", r.size)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", len(results)) + "\n")
	row := func(name string, value func(result) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, r := range results {
			fmt.Fprintf(&b, " %s |", value(r))
		}
		b.WriteString("\n")
	}
	for i, k := range podKinds {
		row(k.name, func(r result) string { return r.decisions[i].String() })
	}
	row("one template, after one node's change", func(r result) string { return r.change.String() })
	row("a fork", func(r result) string { return rounded(r.fork.median) })
	row("a frame of the overview", func(r result) string { return rounded(r.frame.median) })
	row("memory held", func(r result) string { return fmt.Sprintf("%.2f GiB", float64(r.memory)/(1<<30)) })
	return b.String()
}

func (q quantiles) String() string { return rounded(q.median) + " · " + rounded(q.p99) }

// rounded is a time with two or three digits.
func rounded(d time.Duration) string {
	switch {
	case d < 10*time.Microsecond:
		return d.Round(100 * time.Nanosecond).String()
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < 100*time.Millisecond:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(time.Millisecond).String()
}

// grouped is a number with commas.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}
