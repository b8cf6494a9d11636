package report_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode"

	"golang.org/x/net/html"

	"orrery/core/answers/period"
	"orrery/core/safe/printable"
	"orrery/themes"
	"orrery/views/draw"
	"orrery/views/report"
)

// hostile is a report all of whose texts are the same.
func hostile(text string) *report.Period {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	r := &period.Report{
		From: at, To: at.Add(time.Hour), Decisions: map[string]int{"placed": 3, "unschedulable": 2}, Pods: period.Pods{Came: 3, Bound: 3, Waiting: 1},
		Objective: period.Objective{
			Target: 5, Share: .99, Within: 2, Counted: period.Latency{Pods: 3, P99: 7}, All: period.Latency{Pods: 4},
			Excluded: []period.ExcludedPods{{Reason: period.Capacity, Why: text}},
		},
		Owners:    []period.Owner{{Namespace: text, Owner: text, Causes: []period.Cause{{Plugin: text, Reason: text, Seconds: 3}}}},
		Preempted: []period.Pair{{Preemptor: text, Victim: text, Victims: 1, First: at, Last: at}},
		Evicted:   []period.Eviction{{Owner: text, Reason: text, Pods: 1, First: at, Last: at}},
		Changes:   []period.Change{{At: at, What: text, Of: text}},
		Samples:   []period.Sample{{At: at, Nodes: 1, Unschedulable: 3}, {At: at.Add(time.Hour), Nodes: 2, Displaced: 1}},
	}
	p := &report.Period{Title: text, Source: text, Release: text, Report: r, Notes: []string{text}, Command: text}
	printable.Strings(p)
	return p
}

func page(t *testing.T, p *report.Period) string {
	t.Helper()
	var frames []*draw.Canvas
	for i := range p.Samples {
		c := draw.New(60, 3)
		c.All(draw.Braille).Text(0, 0, themes.Style(themes.Text), fmt.Sprintf("%d %s", i, p.Title))
		frames = append(frames, c)
	}
	var b bytes.Buffer
	if err := p.HTML(&b, frames, themes.Shipped()[0]); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements are all that a page or a picture in it may have.
var elements = map[string]bool{
	"html": true, "head": true, "meta": true, "title": true, "style": true, "body": true, "main": true, "header": true, "h1": true, "h2": true, "p": true, "ul": true,
	"li": true, "b": true, "span": true, "section": true, "figure": true, "figcaption": true, "strong": true, "i": true, "svg": true, "path": true, "polygon": true,
	"polyline": true, "rect": true, "div": true, "label": true, "input": true, "g": true, "text": true, "circle": true, "table": true, "thead": true, "tbody": true,
	"tr": true, "th": true, "td": true, "code": true, "pre": true, "footer": true,
}

// checkPage checks that a page has no other elements, nothing that is requested or run, and only texts that are printable.
func checkPage(t *testing.T, text string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() != io.EOF {
				t.Fatal(z.Err())
			}
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := z.Token()
			if !elements[tag.Data] {
				t.Fatalf("the page has an element <%s>", tag.Data)
			}
			for _, a := range tag.Attr {
				name := strings.ToLower(a.Key)
				if strings.HasPrefix(name, "on") || name == "src" || name == "href" || name == "xlink:href" || name == "action" || name == "srcset" || name == "style" {
					t.Fatalf("the page has an attribute %s=%q", a.Key, a.Val)
				}
			}
		case html.TextToken:
			if at := strings.IndexFunc(string(z.Text()), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); at >= 0 {
				t.Fatalf("the page has an unprintable character in %q", z.Text())
			}
		case html.CommentToken:
			t.Fatalf("the page has a comment")
		}
	}
}

// FuzzPeriod_HostileTexts reads texts of a cluster that become a page, or Markdown.
//
//orrery:reads views/report
func FuzzPeriod_HostileTexts(f *testing.F) {
	for _, text := range []string{
		"web", `<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "</style><script>", "{{.}}", "x\x1b[31m\x00", "a|b`c\n# d", "]]></text><a href=//x>", "\u202eevil", "</title><svg onload=x>",
		"javascript:alert(1)", "' onclick='", "<!--", "&lt;script&gt;", "\xff\xfe",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p := hostile(text)
		checkPage(t, page(t, p))
		for line := range strings.Lines(p.Markdown()) {
			if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Fatalf("Markdown has the line %q", line)
			}
		}
	})
}

func TestHTML_IsOneFileThatForbidsRequests(t *testing.T) {
	text := page(t, hostile("shop"))
	for _, want := range []string{
		`content="default-src 'none'; style-src 'unsafe-inline'"`, `id="m1"`, `class="f1"`, "Objective missed: 66.6% of the 3 pods", "prefers-color-scheme:dark", `<g class="f0">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	for _, word := range []string{"http:", "https:", "url(", "@import", "<script", "<link", "<img"} {
		if strings.Contains(strings.ReplaceAll(text, `xmlns="http://www.w3.org/2000/svg"`, ""), word) {
			t.Errorf("the page has %s", word)
		}
	}
	if text != page(t, hostile("shop")) {
		t.Error("the page differs from time to time")
	}
}

func TestHTML_RefusesFramesOfOtherMoments(t *testing.T) {
	err := hostile("shop").HTML(io.Discard, []*draw.Canvas{draw.New(1, 1)}, themes.Shipped()[0])
	if err == nil || !strings.Contains(err.Error(), "1 frames for 2 moments") {
		t.Errorf("the error is %v", err)
	}
}

func TestMarkdown_HasEveryPart(t *testing.T) {
	text := hostile("shop").Markdown()
	for _, want := range []string{"# shop", "## Verdict", "## What happened", "## Scheduling latency", "## Who waited longest", "## Pre-emptions", "## Evictions", "## Changes", "## To repeat it", "| `shop/shop` |"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}
