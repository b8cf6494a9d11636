package tui

import (
	tea "charm.land/bubbletea/v2"

	"orrery/views/draw"
	"orrery/views/find"
)

// verbs are the keys that can be pressed for a found thing.
type verbs struct {
	of   find.Thing
	list []*binding
	at   int
	// rows are where they were drawn.
	rows draw.Rect
}

// isVerb reports whether a key acts on what is selected.
func isVerb(b *binding) bool {
	return b.group == inspectKeys || b.group == clusterKeys || b.group == ownKeys || b.name == "copy"
}

// verbsOf returns what can be done with a found thing, besides opening it; nil, which the status says, if there is nothing.
func (s *Screen) verbsOf(t *find.Thing) *verbs {
	about, pane := subjectOf(t)
	if about == nil {
		s.setStatus("tab: there is nothing else to do with a " + t.Kind.String() + "; enter opens it")
		return nil
	}
	v := &verbs{of: *t}
	s.subject = about
	for i := range bindings {
		if b := &bindings[i]; isVerb(b) && b.worksOn(pane) && b.disabledReason(s) == "" {
			v.list = append(v.list, b)
		}
	}
	s.subject = nil
	return v
}

// selectedHasVerbs reports whether anything can be done with the selected thing besides opening it.
func (f *finder) selectedHasVerbs() bool {
	t := f.selected()
	if t == nil {
		return false
	}
	about, _ := subjectOf(t)
	return about != nil
}

// press handles a key: it moves, runs the selected verb or that of the key, or goes back to what was found.
func (v *verbs) press(s *Screen, msg tea.KeyPressMsg) tea.Cmd {
	switch pressed := msg.String(); pressed {
	case "esc", "shift+tab", "left", "backspace":
		s.finder.verbs = nil
	case "up", "ctrl+p", "k":
		v.at = (v.at + len(v.list) - 1) % len(v.list)
	case "down", "ctrl+n", "j", "tab":
		v.at = (v.at + 1) % len(v.list)
	case "enter":
		return v.run(s, v.list[v.at])
	default:
		for _, b := range v.list {
			if b.keys[0] == pressed {
				return v.run(s, b)
			}
		}
		s.setStatus(pressed + " does nothing with a " + v.of.Kind.String() + " · esc goes back")
	}
	return nil
}

// run closes the finder and does with the thing what a key does with what is selected.
func (v *verbs) run(s *Screen, b *binding) tea.Cmd {
	s.finder = nil
	s.subject, _ = subjectOf(&v.of)
	cmd := s.run(b, b.keys[0])
	s.subject = nil
	return cmd
}
