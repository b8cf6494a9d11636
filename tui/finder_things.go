package tui

import (
	"strconv"

	"orrery/core/safe/printable"
	"orrery/themes"
	"orrery/views"
	"orrery/views/find"
)

// quoted quotes what was typed for the status line.
func quoted(text string) string { return strconv.Quote(printable.Line(text, 60)) }

// keyThings are the panes, the keys and the commands. Keys that move within a list are left out: they are quicker pressed than found.
func (s *Screen) keyThings() []find.Thing {
	var list []find.Thing
	for i := range commands {
		w := &commands[i]
		t := find.Thing{Kind: find.Command, Name: w.usage(), Key: w.name, About: w.help}
		switch {
		case w.pane:
			t.Kind, t.Name = find.Pane, w.name
			if p := pane(views.PaneID(w.name)); p.Digit != 0 {
				t.Shortcut = string(p.Digit)
			}
		case w.key:
			b := bindingNamed(w.name)
			if b.group == navigationKeys && (b.where.name == onLists.name || b.where.name == onOverview.name) {
				continue
			}
			t.Shortcut = b.label
		}
		list = append(list, t)
	}
	for i := range bindings { // keys that come in twos have no command
		if b := &bindings[i]; len(b.keys) == 2 && b.group == timeKeys {
			for at, k := range b.keys {
				list = append(list, find.Thing{Kind: find.Command, Name: b.name, Key: b.name + " " + k, About: b.long, Shortcut: k, At: at})
			}
		}
	}
	return list
}

// bindingNamed returns the first row of the key table with a name; nil if there is none.
func bindingNamed(name string) *binding {
	for i := range bindings {
		if bindings[i].name == name {
			return &bindings[i]
		}
	}
	return nil
}

// screenThings are what the screen itself knows: marks of the recording, earlier what-ifs, themes, contexts and recordings.
func (s *Screen) screenThings() []find.Thing {
	var list []find.Thing
	if s.frame != nil && s.frame.Model.Timeline != nil {
		t := s.frame.Model.Timeline
		for i := range t.Marks {
			m := &t.Marks[i]
			thing := find.Thing{Kind: find.Mark, Name: m.Label, About: wholeSeconds(m.At.Sub(t.Start)) + " " + m.Kind, Glyph: m.Glyph, Token: themes.Accent, At: i}
			if thing.Key = strconv.Itoa(i); m.Bad {
				thing.Token = themes.Bad
			}
			list = append(list, thing)
		}
	}
	for i, w := range s.whatIfs {
		list = append(list, find.Thing{Kind: find.WhatIf, Name: w.Tried, Key: strconv.Itoa(i), About: w.Command, Glyph: '⚑', Token: themes.Nominated, At: i})
	}
	for _, t := range s.options.Themes {
		about := ""
		if t.Name == s.theme.Name {
			about = "the present one"
		}
		list = append(list, find.Thing{Kind: find.Theme, Name: printable.Line(t.Name, 60), Key: t.Name, About: about})
	}
	list = append(list, contextThings(s.contextNames)...)
	for _, story := range s.options.Stories {
		list = append(list, find.Thing{Kind: find.Recording, Name: story.Name, About: story.Title})
	}
	return list
}

func contextThings(names []string) []find.Thing {
	list := make([]find.Thing, len(names))
	for i, name := range names {
		list[i] = find.Thing{Kind: find.Context, Name: printable.Line(name, 80), Key: name}
	}
	return list
}

// maxRecent bounds the pods and nodes that were opened last, and maxWhatIfs the what-ifs, that the finder offers.
const (
	//orrery:limit screen; pods and nodes opened last that the finder offers first; the oldest goes
	maxRecent = 16
	//orrery:limit screen; what-ifs of the session that the finder and reports have; the oldest goes
	maxWhatIfs = 16
)

// remember puts a pod or a node that is opened before those that were opened earlier.
func (s *Screen) remember(p *navEntry) {
	ref := find.Ref{Kind: find.Pod, Key: p.pod.String()}
	switch {
	case p.page != nil:
		return
	case p.pod.Name != "":
	case p.node != "":
		ref = find.Ref{Kind: find.Node, Key: p.node}
	default:
		return
	}
	recent := []find.Ref{ref}
	for _, r := range s.recent {
		if r != ref && len(recent) < maxRecent {
			recent = append(recent, r)
		}
	}
	s.recent = recent
}
