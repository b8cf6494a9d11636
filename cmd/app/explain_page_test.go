package app

import (
	"fmt"
	"strings"
	"testing"
)

// A page is cut where the most is said, so that something of everything is left, and says how much it leaves out.
func TestPage_FitsUnlessAllIsAskedFor(t *testing.T) {
	filled := func(all bool) string {
		p := &page{all: all}
		top := p.block("")
		top.add("the answer")
		top.whole = true
		b := p.block("Reasons")
		for i := range 30 {
			b.add(fmt.Sprintf("  reason %d", i))
		}
		b = p.block("What helps")
		for i := range 6 {
			b.add(fmt.Sprintf("  remedy %d", i), "    its command")
		}
		var text strings.Builder
		p.write(&text)
		return text.String()
	}
	page := filled(false)
	if lines := strings.Count(page, "\n"); lines > pageHeight {
		t.Errorf("it has %d lines, want at most %d:\n%s", lines, pageHeight, page)
	}
	for _, part := range []string{"the answer\n", "Reasons\n  reason 0\n", "What helps\n  remedy 0\n    its command\n", "more with -v\n"} {
		if !strings.Contains(page, part) {
			t.Errorf("it lacks %q:\n%s", part, page)
		}
	}
	if whole := filled(true); strings.Contains(whole, "more with -v") || !strings.Contains(whole, "reason 29") || !strings.Contains(whole, "remedy 5") {
		t.Errorf("all of it is\n%s", whole)
	}
}

// Of several answers the first are left.
func TestPage_LeavesOutTheLastAnswers(t *testing.T) {
	p := &page{}
	p.add("30 pending pods in 20 groups")
	for i := range 20 {
		b := p.block("")
		b.part, b.whole = true, true
		b.add(fmt.Sprintf("group %d", i))
		b.add("  its cause")
	}
	p.add("2 more nodes would place 9 of them")
	var text strings.Builder
	p.write(&text)
	if got := text.String(); strings.Count(got, "\n") > pageHeight+2 || !strings.Contains(got, "group 0\n") || strings.Contains(got, "group 19\n") ||
		!strings.Contains(got, "… and 13 more with -v\n") || !strings.HasSuffix(got, "\n2 more nodes would place 9 of them\n") {
		t.Errorf("got\n%s", got)
	}
}
