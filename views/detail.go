package views

import (
	"strings"

	"orrery/themes"
	"orrery/views/draw"
)

// detail draws the selected row in full below its list if there is room, since columns cut off what does not fit. It
// returns the area left for the list. A preview has more of it, beside the list, but not why a what-if moves a pod.
func (s *drawCtx) detail(a draw.Area, title, text string) draw.Area {
	const least, medium, roomy = 6, 10, 14
	if !s.full || a.H < least || title == "" || s.ui.Preview && s.pane.ID != WhatIfPane {
		return a
	}
	lines := 3
	switch {
	case a.H < medium: // the row itself says what it is about
		foot, rest := a.Bottom(1)
		a.In(foot).Fit(0, 0, a.W, themes.Style(themes.Text), text)
		return a.In(rest)
	case a.H < roomy:
		lines = 2
	}
	foot, rest := a.Bottom(lines + 1)
	at := a.In(foot)
	x := at.Text(0, 0, themes.Style(themes.Border), "── ")
	x = at.FitPath(x, 0, max(a.W-x-2, 0), themes.Text.With(themes.Bold), title)
	at.Repeat(x+1, 0, a.W-x-1, themes.Style(themes.Border), '─')
	at.Wrap(0, 1, a.W, lines, themes.Style(themes.Text), text)
	return a.In(rest)
}

// selected returns the row of a list that the cursor is on; nil if it was not collected.
func selected[T any](s *drawCtx, list *List[T]) *T { return list.At(s.ui.Cursor.Selected) }

// joinDetails joins the parts that are not empty.
func joinDetails(parts ...string) string {
	var present []string
	for _, p := range parts {
		if p != "" {
			present = append(present, p)
		}
	}
	return strings.Join(present, " · ")
}

// labelled returns a text after its label; empty if there is no text.
func labelled(word, text string) string {
	if text == "" {
		return ""
	}
	return word + " " + text
}
