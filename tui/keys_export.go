package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/views"
)

// exportBindings copy or save what the screen shows.
var exportBindings = []binding{
	{
		name: "copy", keys: []string{"y"}, label: "y", short: "copy", long: "the name, to the clipboard", group: exportKeys, where: everywhere, hint: 14,
		disabled: (*Screen).cannotCopy, run: func(s *Screen, _ string) tea.Cmd { return s.copySelected() },
	},
	{
		name: "picture", keys: []string{"S"}, label: "S", long: "the screen to an SVG file", group: exportKeys, where: everywhere,
		run: func(s *Screen, _ string) tea.Cmd { return s.save("", true) },
	},
	{
		name: "report", keys: []string{"R"}, label: "R", long: "what is shown, as a report in Markdown", group: exportKeys, where: everywhere,
		run: func(s *Screen, _ string) tea.Cmd { return s.commandReport("") },
	},
	{
		name: "text", keys: []string{"ctrl+s"}, label: "ctrl+s", long: "the screen to a text file", group: exportKeys, where: everywhere,
		run: func(s *Screen, _ string) tea.Cmd { return s.save("", false) },
	},
}

// copyText returns what y copies; empty if nothing is selected.
func (s *Screen) copyText() (text string) {
	t := s.top()
	switch {
	case s.subject != nil && s.subject.object.name != "":
		return strings.TrimPrefix(s.subject.object.namespace+"/"+s.subject.object.name, "/")
	case s.subject != nil: // below
	case t.page != nil && t.page.copied != "":
		return t.page.copied
	case t.page != nil:
		return strings.Join(t.page.lines, "\n") + "\n"
	case t.pane == views.WhatIfPane && s.frame != nil && s.frame.Model.WhatIf != nil && s.frame.Model.WhatIf.Command != "":
		return s.frame.Model.WhatIf.Command
	case s.selectedFix() != nil:
		return s.selectedFix().Command
	}
	if s.selectionIsNode() {
		node, _ := s.selectedNode()
		return node
	}
	if pod, ok := s.selectedPod(); ok {
		return pod.String()
	}
	return ""
}

func (s *Screen) cannotCopy() string {
	if s.copyText() == "" {
		return "nothing is selected"
	}
	return ""
}

// copySelected copies the selection to the clipboard, and shows it for terminals that refuse.
func (s *Screen) copySelected() tea.Cmd {
	text := s.copyText()
	cmd, ok := s.options.Terminal.Copy(text)
	if !ok {
		s.setStatus("too long for the clipboard; ctrl+s saves it to a file")
		return nil
	}
	if lines := strings.Count(text, "\n"); lines > 1 {
		s.setStatus("copied " + s.top().page.title)
	} else {
		s.setStatus("copied " + printable.Text(strings.TrimSpace(text)))
	}
	return cmd
}
