package comparisons

import (
	"fmt"
	"strings"

	"github.com/dustin/go-humanize"
)

const preamble = `# Does Orrery decide as kube-scheduler does?

Yes, and you can check it: kube-scheduler **v1.35.4** is compiled in beside Orrery, both get the same input, and every
answer is compared. What differs on purpose is listed below; a test fails on anything else. This file is written from
core/parity by ` + "`make parity-doc`" + `; do not edit it.

` + "```" + `
make parity CASES=50000 SEED=1
` + "```" + `

runs every comparison with that many cases. A case is made from the seed and its number, so the same two numbers give the
same case on every machine. A case that differs is reduced to what matters, and printed with the command that repeats it.
` + "`make test`" + ` runs the default number of cases of seed 1.

A generated cluster has up to a hundred and ninety nodes with pods, services and controllers, disruption budgets, labeled
namespaces, a configuration with one or two profiles, some feature gates flipped, pending pods, and what happens next:
nodes and pods that are added, change and are deleted, and time that passes. It has no volumes, devices, gangs and
extenders, which Orrery refuses, no third party's pods waiting in Permit or PreBind, and no failing API calls but bindings.
kube-scheduler searches with one worker there, its calls return at once, and it takes the next pod when all that follows
from the last has happened.

`

// Document is docs/parity.md. The packages' own differences are read from the source of the house at root.
func Document(root string) (string, error) {
	packages, err := documented(root)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(preamble)
	b.WriteString("## What is compared\n\n| Comparison | Cases by default | Test in core/parity |\n|---|---|---|\n")
	for _, c := range All() {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | `%s` %s |\n", c.Name, anchor(c.Name), c.cases(), c.Package, c.Test)
	}
	for _, c := range All() {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", c.Name, c.Compares)
		if len(c.Differences) > 0 {
			b.WriteString("\n| kube-scheduler, or upstream's part | Orrery | Compared |\n|---|---|---|\n")
		}
		for _, d := range c.Differences {
			compared := d.Compared
			if compared == "" {
				compared = "each occurrence must be this difference"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", d.Upstream, d.Orrery, compared)
		}
	}
	b.WriteString("\n## What differs on purpose, by package\n\n" +
		"Nothing here changes which nodes a pod fits on or what a node scores. These are the packages' own words.\n")
	for _, p := range packages {
		fmt.Fprintf(&b, "\n### %s\n\n%s", p.path, p.text)
	}
	return b.String(), nil
}

func (c *Comparison) cases() string {
	if c.Cases == 0 {
		return "all, once"
	}
	return humanize.Comma(int64(c.Cases)) + " " + c.Unit
}

// anchor is how Markdown viewers name a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(strings.ToLower(heading), " ", "-")
}
