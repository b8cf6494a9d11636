package collect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/capacity"
	"orrery/core/answers/consolidate"
	"orrery/core/answers/fit"
	"orrery/core/answers/pool"
	"orrery/core/objects/requests"
	"orrery/core/safe/plural"
	"orrery/core/safe/printable"
	"orrery/views"
)

// Fit converts the answer whether objects of a file fit: the cluster without and with them. The file and the command are printable.
func Fit(a *fit.Answer, notes []string, file, command string) *views.WhatIf {
	v := WhatIf(a.Outcome.Result, "fit "+file, command)
	v.Verdict, v.Bad = printable.Line(a.Verdict(), 300), !a.Fits
	for _, note := range notes {
		v.Notes = append(v.Notes, printable.Line(note, 200))
	}
	return v
}

// Grouping returns by what nodes are grouped: zone, type, pool or the key of a label; nil for nothing.
func Grouping(by string) func(*v1.Node) string {
	key := by
	switch by {
	case "":
		return nil
	case "pool":
		return pool.NameOf
	case "zone":
		key = v1.LabelTopologyZone
	case "type":
		key = v1.LabelInstanceTypeStable
	}
	return func(node *v1.Node) string { return node.Labels[key] }
}

// table aligns rows of cells.
func table(rows [][]string) []string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, "  "+strings.Join(row, "\t")) // into memory
	}
	_ = w.Flush()
	lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return lines
}

// Capacity writes the room of a cluster, line by line.
func Capacity(r *capacity.Report, by string) []string {
	lines := groupLines("all nodes", &r.All)
	for i := range r.Groups {
		g := &r.Groups[i]
		lines = append(lines, "")
		lines = append(lines, groupLines(printable.Line(by+" "+cmp.Or(g.Name, "none"), 100), g)...)
	}
	lines = append(lines, "", "the largest pod that fits on one node")
	largest := [][]string{{"memory for each core", "cpu", "memory", "on"}}
	for _, l := range r.Largest {
		largest = append(largest, []string{memory(l.PerCore), cpu(l.CPU), memory(l.Memory), printable.Line(l.Node, 100)})
	}
	lines = append(lines, table(largest)...)
	if len(r.Shapes) > 0 {
		shapes := [][]string{{"cpu", "memory", "there are", "more fit", "fragmented"}}
		for _, s := range r.Shapes {
			shapes = append(shapes, []string{cpu(s.CPU), memory(s.Memory), fmt.Sprint(s.Pods), fmt.Sprint(s.Fit), fmt.Sprintf("%.0f%%", 100*s.Fragmented())})
		}
		lines = append(lines, "", "what most pods request")
		lines = append(lines, table(shapes)...)
	}
	return lines
}

func cpu(n int64) string    { return requests.Human(v1.ResourceCPU, n) }
func memory(n int64) string { return requests.Human(v1.ResourceMemory, n) }

func groupLines(name string, g *capacity.Group) []string {
	rows := [][]string{{"", "allocatable", "requested", "", "free", "most on one node"}}
	for _, r := range g.Resources {
		human := func(n int64) string { return requests.Human(r.Name, n) }
		rows = append(rows, []string{
			printable.Line(string(r.Name), 60), human(r.Allocatable), human(r.Requested), fmt.Sprintf("%.0f%%", 100*r.Share()), human(r.Free), human(r.Largest),
		})
	}
	return append([]string{fmt.Sprintf("%s: %s, %d open, %s", name, plural.Count(g.Nodes, "node"), g.Open, plural.Count(g.Pods, "pod"))}, table(rows)...)
}

// Plan writes a plan to empty nodes, node by node: those that are emptied in their order, each with where its pods go, and then those that
// stay.
func Plan(p *consolidate.Plan) []string {
	lines := []string{printable.Line(p.Verdict(), 300), ""}
	lines = append(lines, table([][]string{
		{"", "before", "after"},
		{"nodes", fmt.Sprint(p.Before.Nodes), fmt.Sprint(p.After.Nodes)},
		{"cpu requested", fmt.Sprintf("%.0f%%", 100*p.Before.CPU), fmt.Sprintf("%.0f%%", 100*p.After.CPU)},
		{"memory requested", fmt.Sprintf("%.0f%%", 100*p.Before.Memory), fmt.Sprintf("%.0f%%", 100*p.After.Memory)},
		{"most cpu free on one node", cpu(p.Before.LargestCPU), cpu(p.After.LargestCPU)},
		{"most memory free on one node", memory(p.Before.LargestMemory), memory(p.After.LargestMemory)},
	})...)
	for i, wave := range p.Waves {
		lines = append(lines, "", fmt.Sprintf("wave %d: %s drained at the same time", i+1, plural.Count(len(wave), "node")))
		for _, node := range wave {
			var rows [][]string
			for _, m := range p.Moves {
				if m.From == node {
					rows = append(rows, []string{printable.Line("  "+m.Pod.Namespace+"/"+m.Pod.Name, 150), "→", printable.Line(m.To, 100)})
				}
			}
			lines = append(lines, fmt.Sprintf("  %s, %s", printable.Line(node, 100), plural.Count(len(rows), "pod")))
			if len(rows) > 0 {
				lines = append(lines, table(rows)...)
			}
		}
	}
	if len(p.Blocked) > 0 {
		var rows [][]string
		for _, b := range slices.SortedStableFunc(slices.Values(p.Blocked), func(a, b consolidate.Blocked) int { return cmp.Compare(a.Kind, b.Kind) }) {
			detail := b.Detail
			if b.Pod != "" {
				detail = b.Pod + " · " + detail
			}
			rows = append(rows, []string{printable.Line(b.Node, 100), string(b.Kind), printable.Line(detail, 200)})
		}
		lines = append(lines, "", "nodes that stay")
		lines = append(lines, table(rows)...)
	}
	return lines
}
