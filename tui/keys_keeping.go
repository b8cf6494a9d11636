package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/printable"
	"orrery/views"
)

// keepingBindings take something away with one.
var keepingBindings = []binding{
	{
		name: "copy", keys: []string{"y"}, shown: "y", does: "copy", tells: "the name, to the clipboard", group: keeping, hint: 14,
		able: (*Screen).nothingToCopy, do: func(s *Screen, _ string) tea.Cmd { return s.copySelected() },
	},
	{
		name: "picture", keys: []string{"S"}, shown: "S", tells: "the screen to an SVG file", group: keeping,
		do: func(s *Screen, _ string) tea.Cmd { return s.save("", true) },
	},
	{
		name: "text", keys: []string{"ctrl+s"}, shown: "ctrl+s", tells: "the screen to a text file", group: keeping,
		do: func(s *Screen, _ string) tea.Cmd { return s.save("", false) },
	},
}

// worthCopying is what y copies and what it is called.
func (s *Screen) worthCopying() (text string) {
	t := s.top()
	switch {
	case t.page != nil:
		return strings.Join(t.page.lines, "\n") + "\n"
	case t.pane == views.WhatIfPane && s.frame != nil && s.frame.Model.WhatIf != nil:
		return s.frame.Model.WhatIf.Command
	case s.aboutNode():
		node, _ := s.selectedNode()
		return node
	}
	if pod, ok := s.selectedPod(); ok {
		return pod.String()
	}
	return ""
}

func (s *Screen) nothingToCopy() string {
	if s.worthCopying() == "" {
		return "nothing is selected"
	}
	return ""
}

// copySelected puts the selection into the clipboard, and on the screen for terminals that do not let it.
func (s *Screen) copySelected() tea.Cmd {
	text := s.worthCopying()
	cmd, ok := s.options.Terminal.Copy(text)
	if !ok {
		s.say("that is too much for a clipboard; ctrl+s saves it to a file")
		return nil
	}
	if lines := strings.Count(text, "\n"); lines > 1 {
		s.say("copied " + s.top().page.title)
	} else {
		s.say("copied " + printable.Text(strings.TrimSpace(text)))
	}
	return cmd
}
