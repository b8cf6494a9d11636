package views

import (
	"slices"
	"strings"

	"orrery/core/answers/answer"
	"orrery/views/draw"
)

// explainText draws everything but the matrix, one part below the other: in their natural order if there is room for all,
// else as a text that scrolls, in which facts have more rows and the fixes come first or second.
type explainText struct {
	*drawCtx
	compact   bool // a fix has one row
	lines     int  // the rows of a fact at most
	fixesAt   int  // before which part the fixes come
	fixWindow []draw.Window
}

// tallest is more rows than any explanation has. A fact has at most longFact rows, or shortFact where that makes all fit.
const (
	tallest   = 2000
	shortFact = 2
	longFact  = 6
)

// draw draws the text, and returns how many rows it takes.
func (t *explainText) draw(a draw.Area) int {
	parts := [...]func(draw.Area, int) int{t.reasons, t.evidence, t.rest}
	t.compact, t.fixesAt = a.H < fewRows, 2
	for _, t.lines = range [...]int{longFact, shortFact} {
		if rows := t.all(a.Scrolled(tallest, tallest), parts[:]); rows <= a.H {
			t.all(a.Scrolled(0, tallest), parts[:])
			t.record(a, draw.Window{Count: a.H}, rows, parts[:])
			return rows
		}
	}
	foot, rest := a.Bottom(1)
	view := a.In(rest)
	t.lines, t.fixesAt = longFact, 1
	if t.reasons(view.Scrolled(tallest, tallest), 0) > view.H/2 {
		t.fixesAt = 0
	}
	below := max(t.all(view.Scrolled(tallest, tallest), parts[:])-view.H, 0)
	first := max(min(t.ui.Scroll, below), 0)
	t.all(view.Scrolled(first, tallest), parts[:])
	t.record(view, draw.Window{First: first, Count: view.H}, view.H+below, parts[:])
	drawMore(a.In(foot), first, below-first, "down, ctrl+d")
	return a.H
}

// all draws the parts, and the fixes before one of them; it returns how many rows they take.
func (t *explainText) all(a draw.Area, parts []func(draw.Area, int) int) int {
	y := 0
	for i, part := range parts {
		if i == t.fixesAt {
			y, t.fixWindow = explainFixes(a, y, t.drawCtx, t.compact)
		}
		y = part(a, y)
	}
	return max(y-1, 0) // without the blank row after the last
}

// record records where the text was drawn, and for a search all its rows.
func (t *explainText) record(a draw.Area, w draw.Window, total int, parts []func(draw.Area, int) int) {
	h := t.ui.Hits
	if h == nil || !t.full {
		return
	}
	h.Text, h.TextRows, h.Fixes = w, total, t.fixWindow
	if t.ui.Searching {
		c := draw.New(a.W, total)
		t.all(c.All(a.Glyphs()).Scrolled(0, tallest), parts)
		h.Lines = strings.Split(c.Plain(), "\n")
	}
}

func (t *explainText) reasons(a draw.Area, y int) int { return reasonGroups(a, y, t.Explain) }

// evidence draws the charts, and the facts behind the reasons that they do not show.
func (t *explainText) evidence(a draw.Area, y int) int {
	e := t.Explain
	next, all := explainCharts(a, y, a.H, e.Charts)
	var facts []string
	for i := range e.Reasons {
		for _, fact := range e.Reasons[i].Beside {
			drawn := all && slices.ContainsFunc(e.Charts, func(c answer.Chart) bool { return slices.Contains(c.Drawn, fact) })
			if !drawn && !slices.Contains(facts, fact) {
				facts = append(facts, fact)
			}
		}
	}
	return explainLines(a, next, "evidence", t.lines, facts)
}

// rest draws the other sections, the scores, and what is known besides.
func (t *explainText) rest(a draw.Area, y int) int {
	e := t.Explain
	for i := range e.Sections {
		if s := &e.Sections[i]; !s.Internal {
			y = explainChain(a, y, s.Title, s.Lines)
		}
	}
	if e.RunnerUp != nil {
		y = waterfall(a, y, e) + 1
	}
	var facts []string
	for _, f := range e.Facts {
		if !f.Internal {
			facts = append(facts, f.Name+" "+f.Value)
		}
	}
	return explainLines(a, y, "known besides", t.lines, facts)
}
