package views

import (
	"strings"

	"orrery/views/draw"
)

// explainText draws everything but the matrix, one part below the other: in their natural order if there is room for all,
// else as a text that scrolls, in which facts have more rows and the fixes come first or second.
type explainText struct {
	*drawCtx
	aside bool // it has the aside too

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

// evidence draws the charts, the facts, and the chain of the storage.
func (t *explainText) evidence(a draw.Area, y int) int {
	next, all := explainCharts(a, y, a.H, t.Explain.Charts)
	facts := t.Explain.Facts
	if all {
		facts = t.Explain.Undrawn
	}
	return explainEvidence(a, next, t.Explain, facts, t.lines)
}

// rest draws what was not tried, the scores and the aside.
func (t *explainText) rest(a draw.Area, y int) int {
	y = explainLines(a, y, "not tried", t.lines, t.Explain.Hints)
	if t.Explain.RunnerUp != "" {
		y = waterfall(a, y, t.Explain) + 1
	}
	if t.aside {
		y = explainAside(a, y, t.Explain, max(t.lines, asideLine))
	}
	return y
}
