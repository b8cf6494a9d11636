package comparisons

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
)

const preamble = `# Does Orrery decide as kube-scheduler does?

Yes, and you can check it: kube-scheduler **v1.37.2** is compiled in beside Orrery, both get the same input, and every
answer is compared; those of 1.35 and 1.36 run in processes of their own. What differs on purpose is listed below; a test
fails on anything else. This file is written from core/parity by ` + "`make docs`" + `; do not edit it.

` + "```" + `
make parity CASES=50000 SEED=1
` + "```" + `

runs every comparison with that many cases. A case is made from the seed and its number, so the same two numbers give the
same case on every machine. A case that differs is reduced to what matters, and printed with the command that repeats it.
` + "`make test`" + ` runs the default number of cases of seed 1.

A generated cluster has up to a hundred and ninety nodes with pods, services and controllers, disruption budgets, labeled
namespaces, a configuration with one or two profiles, random feature gates, pending pods, and a list of changes: nodes,
pods and objects of storage are added, updated and deleted, and time passes. Some have inline disks, and some have volumes,
claims, classes, drivers, capacities and attachments. Some have extenders, and some claims for devices. None has
custom plugins whose pods wait in Permit, or failing API calls but bindings and the writes of volumes and claims.
kube-scheduler searches with one worker there, its calls return at once, and it pops the next pod when the last one's
binding, preemption and events are done.

`

// Document returns the contents of docs/parity.md. It reads the packages' own differences from the source tree at root.
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
	all := All()
	for i, c := range all {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", c.Name, c.Compares)
		same := slices.IndexFunc(all[:i], func(other *Comparison) bool { return slices.Equal(other.Differences, c.Differences) })
		switch {
		case len(c.Differences) == 0:
		case same >= 0:
			fmt.Fprintf(&b, "\nThe differences are those of [%s](#%s).\n", all[same].Name, anchor(all[same].Name))
		default:
			writeDifferences(&b, c.Differences)
		}
	}
	b.WriteString("\n## What differs on purpose, by package\n\n" +
		"Nothing here changes which nodes a pod fits on or what a node scores. The texts are from the packages' documentation.\n")
	for _, p := range packages {
		fmt.Fprintf(&b, "\n### %s\n\n%s", p.path, p.text)
	}
	return b.String(), nil
}

func writeDifferences(b *strings.Builder, differences []Difference) {
	b.WriteString("\n| kube-scheduler, or upstream's part | Orrery | Compared |\n|---|---|---|\n")
	for _, d := range differences {
		compared := d.Compared
		if compared == "" {
			compared = "each occurrence must be this difference"
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", d.Upstream, d.Orrery, compared)
	}
}

func (c *Comparison) cases() string {
	if c.Cases == 0 {
		return "all, once"
	}
	return humanize.Comma(int64(c.Cases)) + " " + c.Unit
}

// anchor returns a heading's anchor as Markdown viewers generate it.
func anchor(heading string) string {
	return strings.NewReplacer(" ", "-", ",", "").Replace(strings.ToLower(heading))
}
