package report

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"orrery/core/answers/answer"
	"orrery/views"
)

var at = time.Date(2026, 3, 2, 9, 0, 41, 0, time.UTC)

// named is a report in which everything from the cluster has a name.
func named(name string) *Report {
	explain := &views.Explanation{}
	explain.Headline, explain.Then = "Pending: "+name, []string{"pending for 5s"}
	explain.Reasons = []answer.Reason{{Nodes: 32, Message: name, Plugin: "PodTopologySpread"}}
	explain.Remedies = []answer.Remedy{{Text: "lower " + name, Node: name}}
	comparison := &views.Comparison{Kind: "nodes", A: name, B: name, Differ: 1}
	comparison.List.Rows = []views.CompareRow{{Name: "node", Heading: true}, {Name: name, A: name, B: ""}, {Name: "zone", A: "a", B: "a", Same: true}}
	tried := &views.WhatIf{Tried: "drain " + name, Verdict: "worse: 1 pod pending", Command: "orrery whatif drain n", Without: views.Totals{Pending: 1}, With: views.Totals{Pending: 2}}
	tried.Changes.Rows = []views.WhatIfChange{{Pod: name, From: views.Bound, To: views.Unschedulable, Without: name, Reason: name}}
	journey := &views.Journey{Pod: name}
	journey.Steps.Rows = []views.JourneyStep{{At: at, From: views.Active, To: views.InFlight, Event: "PodPopped", Note: name}}
	node := &views.NodeDetail{Row: views.NodeRow{Name: name}, Resources: []views.Resource{{Name: "cpu", Amount: views.Amount{Used: "1", Most: "8"}}}, Owners: []views.NodeOwner{{Name: name, Pods: 3, CPU: "1", Memory: "1Gi"}}}
	return &Report{
		Title: "Pod " + name, Source: name, Mode: "DEMO", Release: "1.36", At: at, Offset: "41s", Explain: explain, Comparison: comparison, WhatIf: tried, Journey: journey, Node: node,
		Timeline: &views.Timeline{Start: at.Add(-41 * time.Second), At: at, Marks: []views.Mark{{At: at, Kind: "note", Label: name}, {At: at.Add(time.Hour), Kind: "note", Label: "not yet"}}},
		Tried:    []*views.WhatIf{tried}, Commands: []string{"orrery explain --trace x " + name}, Health: []views.Trouble{{Text: "1 pod Pending, " + name}},
	}
}

func TestMarkdown_HasEveryPart(t *testing.T) {
	text := Markdown(named("shop/web-0"))
	for _, want := range []string{
		"# Pod shop/web-0\n", "- source: `shop/web-0`, DEMO\n", "- time: 2026-03-02T09:00:41Z, 41s after the start\n", "- modelled release: Kubernetes 1.36\n",
		"\n## Verdict\n\nworse: 1 pod pending\n", "| 32 | shop/web-0 | PodTopologySpread |", "| lower shop/web-0 | placed on `shop/web-0` |", "| ≠ shop/web-0 | `shop/web-0` | – |",
		"| pods pending | 1 | 2 |", "| `shop/web-0` | bound on `shop/web-0` | unschedulable | shop/web-0 |", "## Journey of `shop/web-0`", "| 41s | note | shop/web-0 |",
		"| drain shop/web-0 | worse: 1 pod pending | 1 → 2 | 0 |", "```sh\norrery explain --trace x shop/web-0\n```", "| `shop/web-0` | 3 | 1 | 1Gi |",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "not yet") {
		t.Errorf("the report has what is still to come:\n%s", text)
	}
	if healthy := Markdown(&Report{Title: "x", At: at}); !strings.Contains(healthy, "## Verdict\n\nno trouble\n") {
		t.Errorf("of a healthy cluster it is\n%s", healthy)
	}
}

// TestMarkdown_KeepsBackslashes: one before a sign of Markdown must not take away the one that the report puts there, and at the end of a
// cell it must not take the cell's end.
func TestMarkdown_KeepsBackslashes(t *testing.T) {
	for in, want := range map[string]string{`a\b`: `a\\b`, `\|x`: `\\\|x`, `\*x*`: `\\\*x\*`, `end\`: `end\\`, "C:\\\\": `C:\\\\`, `\[a](b)`: `\\\[a\](b)`} {
		if got := text(in); got != want {
			t.Errorf("%q is written as %q, want %q", in, got, want)
		}
	}
	for _, name := range []string{`back\`, `\|`, `a\\|b`, `\`} {
		for line := range strings.SplitSeq(Markdown(named(name)), "\n") {
			if !strings.HasPrefix(line, "|") {
				continue
			}
			if !strings.HasSuffix(line, "|") || strings.HasSuffix(line, `\|`) && !strings.HasSuffix(line, `\\|`) {
				t.Errorf("with the name %q the last cell has no end: %s", name, line)
			}
		}
	}
}

// TestMarkdown_NamesStayNames: whatever a name is, the report has the same lines, cells and headings as with an ordinary one, and no link.
func TestMarkdown_NamesStayNames(t *testing.T) {
	shape := func(name string) (lines, cells, headings, fences int) {
		for line := range strings.SplitSeq(strings.ReplaceAll(Markdown(named(name)), "\\|", ""), "\n") {
			lines++
			cells += strings.Count(line, "|")
			if strings.HasPrefix(line, "#") {
				headings++
			}
			fences += strings.Count(line, "```")
		}
		return lines, cells, headings, fences
	}
	lines, cells, headings, fences := shape("ordinary")
	fence, span := regexp.MustCompile("(?s)```sh.*?\n```"), regexp.MustCompile("`[^`\n]*`")
	link := regexp.MustCompile(`(^|[^\\])\[[^\]]*[^\\]\]\(`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching("[a-z`|#<>*_ \\[\\]()-]{1,20}").Draw(t, "name")
		l, c, h, f := shape(name)
		if l != lines || h != headings || f != fences {
			t.Fatalf("with %q there are %d lines, %d headings and %d fences, want %d, %d and %d", name, l, h, f, lines, headings, fences)
		}
		if c < cells {
			t.Fatalf("with %q there are %d cells, want %d", name, c, cells)
		}
		rest := fence.ReplaceAllString(Markdown(named(name)), "")
		rest = span.ReplaceAllString(strings.NewReplacer("\\\\", "", "\\`", "").Replace(rest), "")
		if link.MatchString(rest) || strings.Contains(rest, "<") {
			t.Fatalf("with %q the report has a link or a tag:\n%s", name, rest)
		}
	})
}
