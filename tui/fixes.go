package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/printable"
	"orrery/core/whatif/change"
	"orrery/views"
)

// fixes are those of the open explanation; none while its frame is still to come.
func (s *Screen) fixes() []views.Remedy {
	if s.top().pane != views.ExplainPane || s.top().page != nil || !s.frameMatches() || s.frame.Model.Explain == nil {
		return nil
	}
	return s.frame.Model.Explain.Remedies
}

// selectedFix returns the fix under the cursor; nil if the cursor is in the list of nodes.
func (s *Screen) selectedFix() *views.Remedy {
	all, t := s.fixes(), s.top()
	if t.onNodes || len(all) == 0 {
		return nil
	}
	return &all[min(t.fix, len(all)-1)]
}

// moveInFixes moves the cursor between the fixes and the list of nodes below them, and reports whether it did: any other
// move is one in the list.
func (s *Screen) moveInFixes(by int) bool {
	all, t := s.fixes(), s.top()
	switch {
	case t.pane != views.ExplainPane || t.page != nil:
		return false
	case t.onNodes && len(all) > 0 && t.cursor.Selected+by < 0:
		t.onNodes, t.fix = false, len(all)-1
		s.move(0)
		return true
	case t.onNodes:
		return false
	case len(all) == 0:
		t.onNodes = true
		return false
	}
	t.fix = max(min(t.fix, len(all)-1)+by, 0)
	if t.fix >= len(all) {
		t.onNodes = true
	}
	return true
}

// tryFix runs the what-if of a fix.
func (s *Screen) tryFix(fix *views.Remedy) tea.Cmd { return s.commandWhatIf(fix.Words) }

// addCommands adds to an explanation's fixes the commands that repeat their what-ifs.
func (p *loop) addCommands(e *views.Explanation) {
	if e == nil {
		return
	}
	e.Remedies = append([]views.Remedy(nil), e.Remedies...) // the collector keeps its own
	for i := range e.Remedies {
		if changes, err := change.ParseAll(strings.Fields(e.Remedies[i].Words)); err == nil {
			_, command := p.source.WhatIfCommand(changes)
			e.Remedies[i].Command = printable.Text(command)
		}
	}
}
