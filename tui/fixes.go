package tui

import (
	"math"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/answers/answer"
	"orrery/core/answers/change"
	"orrery/core/safe/printable"
	"orrery/views"
	"orrery/views/draw"
)

// fixes are those of the open explanation; none while its frame is still to come.
func (s *Screen) fixes() []answer.Remedy {
	if s.top().pane != views.ExplainPane || s.top().page != nil || !s.frameMatches() || s.frame.Model.Explain == nil {
		return nil
	}
	return s.frame.Model.Explain.Remedies
}

// selectedFix returns the fix under the cursor; nil if the cursor is in the list of nodes, or the fix is out of sight.
func (s *Screen) selectedFix() *answer.Remedy {
	all, t := s.fixes(), s.top()
	if t.onNodes || len(all) == 0 {
		return nil
	}
	if i := min(t.fix, len(all)-1); s.fixVisible(i) {
		return &all[i]
	}
	return nil
}

// cursorInList reports whether the cursor is in the list: in an explanation it may be in the text, and the list out of sight.
func (s *Screen) cursorInList() bool {
	t := s.top()
	return t.pane != views.ExplainPane || t.onNodes || len(s.fixes()) == 0 && !s.hits.List.Empty()
}

// fixVisible reports whether the part of the text that is in view has a fix. Before the text was drawn, it has.
func (s *Screen) fixVisible(i int) bool {
	if i >= len(s.hits.Fixes) {
		return s.hits.TextRows == 0
	}
	row, first := s.hits.Fixes[i], s.top().scroll
	return row.First >= first && row.First+row.Count <= first+s.hits.Text.Count
}

// moveInExplanation moves the cursor of an explanation, and reports whether it did: any other move is one in the list of
// nodes, which follows the text. The cursor goes to the next fix that is visible; where there is none, the text scrolls.
func (s *Screen) moveInExplanation(by int) bool {
	t := s.top()
	if t.pane != views.ExplainPane || t.page != nil {
		return false
	}
	if t.onNodes {
		if t.cursor.Selected+by >= 0 {
			return false
		}
		t.onNodes, t.fix, t.scroll = false, max(len(s.fixes())-1, 0), math.MaxInt32 // the drawing knows the end
		s.move(0)
		return true
	}
	end := s.hits.TextRows - s.hits.Text.Count
	if next := t.fix + by; (by == 1 || by == -1) && next >= 0 && next < len(s.fixes()) && s.fixVisible(next) {
		t.fix = next
		return true
	}
	if by > 0 && t.scroll >= end {
		t.onNodes = true
		return len(s.fixes()) > 0 // without fixes the list has the cursor already
	}
	s.scrollExplanation(t.scroll + by)
	return true
}

// scrollExplanation scrolls the text of an explanation to a row, or as far as it goes, and the cursor to a fix that is visible.
func (s *Screen) scrollExplanation(to int) {
	t := s.top()
	t.scroll = max(min(to, s.hits.TextRows-s.hits.Text.Count), 0)
	if at := slices.IndexFunc(s.hits.Fixes, func(w draw.Window) bool { return w.First >= t.scroll }); at >= 0 && !s.fixVisible(t.fix) {
		t.fix = at
	}
}

// tryFix runs the what-if of a fix.
func (s *Screen) tryFix(fix *answer.Remedy) tea.Cmd { return s.commandWhatIf(fix.Change) }

// addCommands adds to an explanation's fixes the commands that repeat their what-ifs.
func (p *loop) addCommands(e *views.Explanation) {
	if e == nil {
		return
	}
	e.Remedies = append([]answer.Remedy(nil), e.Remedies...) // the collector keeps its own
	for i := range e.Remedies {
		if changes, err := change.ParseAll(strings.Fields(e.Remedies[i].Change)); err == nil {
			_, command := p.source.WhatIfCommand(changes)
			e.Remedies[i].Command = printable.Text(command)
		}
	}
}

// notPlaced returns why the open explanation is of the present only; empty if there is the pod's decision to go back to.
func (s *Screen) notPlaced() string {
	var x *views.Explanation
	if s.frameMatches() {
		x = s.frame.Model.Explain
	}
	if x == nil || x.Status.Node == "" {
		return "the pod has no node: this is of the present already"
	}
	return ""
}
