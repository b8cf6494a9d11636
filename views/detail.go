package views

import (
	"cmp"
	"strconv"
	"strings"

	"orrery/themes"
	"orrery/views/draw"
)

// detail tells the whole of the selected row at the foot of its list, where there is room for both: columns cut what does not
// fit, and somewhere it has to be said in full. It gives the area that is left for the list.
func (s *scene) detail(a draw.Area, title, text string) draw.Area {
	const least = 14
	if !s.full || a.H < least || title == "" {
		return a
	}
	const lines = 3
	foot, rest := a.Bottom(lines + 1)
	at := a.In(foot)
	x := at.Text(0, 0, themes.Style(themes.Border), "── ")
	x = at.FitPath(x, 0, max(a.W-x-2, 0), themes.Text.With(themes.Bold), title)
	at.Repeat(x+1, 0, a.W-x-1, themes.Style(themes.Border), '─')
	at.Wrap(0, 1, a.W, lines, themes.Style(themes.Text), text)
	return a.In(rest)
}

// selected is the row of a list that the cursor is on; nil if it was not collected.
func selected[T any](s *scene, list *List[T]) *T { return list.At(s.ui.Cursors[s.pane.ID].Selected) }

// sentence joins what there is to say.
func sentence(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, " · ")
}

// after is a text behind a word that says what it is, and nothing if there is no text.
func after(word, text string) string {
	if text == "" {
		return ""
	}
	return word + " " + text
}

func podDetail(a draw.Area, s *scene, p *PodRow) draw.Area {
	if p == nil {
		return a
	}
	return s.detail(a, p.Name, sentence(p.State.Word(), p.Reason, after("room is made on", p.Nominated), after("turned down by", p.Plugin), after("brought back by", p.Awaits)))
}

func decisionDetail(a draw.Area, s *scene, d *DecisionRow) draw.Area {
	if d == nil {
		return a
	}
	verdict, place := verdictLooks[d.Verdict].word, "on"
	if d.Verdict != Placed {
		place = "room is made on"
	}
	searched := ""
	if d.Nodes > 0 && d.Message == "" { // the message says it otherwise
		searched = strconv.Itoa(d.Feasible) + " of " + strconv.Itoa(d.Examined) + " nodes looked at would do, of " + strconv.Itoa(d.Nodes)
	}
	return s.detail(a, d.Pod, sentence(verdict+" at try "+strconv.Itoa(d.Attempt), after(place, d.Node), searched, cmp.Or(d.Message, d.Reason)))
}

func changeDetail(a draw.Area, s *scene, c *WhatIfChange) draw.Area {
	if c == nil {
		return a
	}
	is := c.To.Word() + after(" on", c.After)
	if c.Same {
		return s.detail(a, c.Pod, sentence(is+" either way", c.Why))
	}
	return s.detail(a, c.Pod, sentence(c.From.Word()+after(" on", c.Before)+" → "+is, c.Why))
}
