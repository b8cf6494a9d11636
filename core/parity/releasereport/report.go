package main

import (
	"fmt"
	"slices"
	"strings"

	"orrery/core/parity/kubesource"
	"orrery/core/safe/plural"
)

// report is what differs between two releases.
type report struct {
	older, newer string
	gates        []gateMove
	read         lists // gates that the scheduler's source names
	plugins      lists
	metrics      lists
	fields       lists
	files        []kubesource.FileDifference
}

// gateMove is a feature gate whose state differs; a state is empty where the release does not have the gate.
type gateMove struct{ name, was, is string }

func (r *report) compareGates() error {
	states := map[string]*gateMove{}
	for i, patch := range []string{r.older, r.newer} {
		specs, err := kubesource.Gates(patch)
		if err != nil {
			return err
		}
		rows, err := specs.Table(kubesource.MinorOf(patch))
		if err != nil {
			return fmt.Errorf("reading the feature gates of Kubernetes %s: %w", patch, err)
		}
		for _, row := range rows {
			if states[row.Name] == nil {
				states[row.Name] = &gateMove{name: row.Name}
			}
			if i == 0 {
				states[row.Name].was = stateOf(row)
			} else {
				states[row.Name].is = stateOf(row)
			}
		}
	}
	for _, m := range states {
		if m.was != m.is {
			r.gates = append(r.gates, *m)
		}
	}
	slices.SortFunc(r.gates, func(a, b gateMove) int { return strings.Compare(a.name, b.name) })
	return nil
}

// stateOf says what a gate is by default: beta, on.
func stateOf(row kubesource.Row) string {
	text := strings.ToLower(row.In.Stage)
	if row.In.Stage == "GA" {
		text = "GA"
	}
	switch {
	case row.In.On && row.In.Locked:
		text += ", locked on"
	case row.In.Locked:
		text += ", locked off"
	case row.In.On:
		text += ", on"
	default:
		text += ", off"
	}
	if row.WithoutOlder {
		text += " (on with min-compatibility-version of its own)"
	}
	return text
}

// text writes the report as Markdown, with some of the files.
func (r *report) text(files int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# kube-scheduler %s → %s\n\n", r.older, r.newer)
	fmt.Fprintf(&b, "Read from the sources: what of scheduling differs, and so has to become a rule, a table's row or nothing.\n\n")
	read, others := r.gatesByUse()
	fmt.Fprintf(&b, "## Feature gates that moved: %d that the scheduler reads, %d others\n\n| gate | %s | %s |\n|---|---|---|\n", len(read), len(others), r.older, r.newer)
	for _, m := range read {
		fmt.Fprintf(&b, "| **%s** | %s | %s |\n", m.name, orDash(m.was), orDash(m.is))
	}
	for _, m := range others {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", m.name, orDash(m.was), orDash(m.is))
	}
	fmt.Fprintf(&b, "\n## Default plugins\n\n%s", r.pluginText())
	r.metrics.write(&b, "Metrics of pkg/scheduler")
	r.fields.byType().write(&b, "API fields that scheduling reads")
	added, removed := 0, 0
	for _, f := range r.files {
		added, removed = added+f.Added, removed+f.Removed
	}
	fmt.Fprintf(&b, "\n## Files that differ: %d, %d lines added, %d removed\n\n| file | added | removed | |\n|---|---|---|---|\n", len(r.files), added, removed)
	for i, f := range r.files {
		if files > 0 && i == files {
			fmt.Fprintf(&b, "| and %d more | | | |\n", len(r.files)-i)
			break
		}
		note := ""
		if f.New {
			note = "new"
		} else if f.Gone {
			note = "gone"
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s |\n", f.Name, f.Added, f.Removed, note)
	}
	return b.String()
}

// gatesByUse splits the gates by whether the source of the scheduler names them in one of the releases.
func (r *report) gatesByUse() (read, others []gateMove) {
	for _, m := range r.gates {
		if slices.Contains(r.read.was, m.name) || slices.Contains(r.read.is, m.name) {
			read = append(read, m)
		} else {
			others = append(others, m)
		}
	}
	return read, others
}

func orDash(text string) string {
	if text == "" {
		return "–"
	}
	return text
}

// pluginText says which default plugins differ, and whether the order of the others does.
func (r *report) pluginText() string {
	added, gone := r.plugins.differences()
	text := listText(added, gone)
	was, is := missing(r.plugins.was, gone), missing(r.plugins.is, added)
	if slices.Equal(was, is) {
		return text + "The others are the same, in the same order.\n"
	}
	return text + "The others are in another order: " + strings.Join(is, ", ") + ".\n\nBefore: " + strings.Join(was, ", ") + ".\n"
}

// differences returns what only one of the lists has.
func (l lists) differences() (added, gone []string) {
	return missing(l.is, l.was), missing(l.was, l.is)
}

func missing(from, in []string) []string {
	return slices.DeleteFunc(slices.Clone(from), func(text string) bool { return slices.Contains(in, text) })
}

func (l lists) write(b *strings.Builder, title string) {
	added, gone := l.differences()
	fmt.Fprintf(b, "\n## %s: %d new, %d gone\n\n%s", title, len(added), len(gone), listText(added, gone))
}

// byType replaces the fields of a type that only one of the lists has by the type, with how many fields it has.
func (l lists) byType() lists {
	return lists{wholeTypes(l.was, l.is), wholeTypes(l.is, l.was)}
}

func wholeTypes(of, other []string) []string {
	counts, known := map[string]int{}, map[string]bool{}
	for _, field := range of {
		counts[typeOf(field)]++
	}
	for _, field := range other {
		known[typeOf(field)] = true
	}
	var all []string
	for _, field := range of {
		switch name := typeOf(field); {
		case known[name]:
			all = append(all, field)
		case counts[name] > 0:
			all = append(all, fmt.Sprintf("%s, a type of %s", name, plural.Count(counts[name], "field")))
			counts[name] = 0
		}
	}
	return all
}

// typeOf returns the type of a field.
func typeOf(field string) string { return field[:strings.LastIndex(field, ".")] }

func listText(added, gone []string) string {
	var b strings.Builder
	for _, text := range added {
		fmt.Fprintf(&b, "- new: `%s`\n", text)
	}
	for _, text := range gone {
		fmt.Fprintf(&b, "- gone: `%s`\n", text)
	}
	return b.String()
}
