package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
)

// playsWhatIf reports whether an entry is the orrery on which a what-if is played.
func (p *navEntry) playsWhatIf() bool {
	return p.pane == views.OrreryPane && p.page == nil && p.answer != nil
}

// showsWhatIf reports whether an entry shows the result of a what-if, as a table or played.
func (p *navEntry) showsWhatIf() bool {
	return p.page == nil && (p.pane == views.WhatIfPane && (p.answer == nil || !p.answer.Moments) || p.playsWhatIf())
}

// playWhatIf opens the orrery, and plays a what-if on it.
func (s *Screen) playWhatIf(answer *views.WhatIf) {
	s.push(navEntry{pane: views.OrreryPane, answer: answer, playedFrom: s.options.Clock(), cursor: s.orreryCursor()})
}

// orreryCursor is the cursor of the orrery beneath, if that is open: the picture keeps its selection when a what-if is played on it.
func (s *Screen) orreryCursor() views.Cursor {
	if s.top().pane == views.OrreryPane {
		return s.top().cursor
	}
	return views.Cursor{}
}

// playMsg says that the next picture of a what-if that plays is due.
type playMsg struct{}

// playOn asks for the next picture while a what-if plays; nothing moves after that.
func (s *Screen) playOn() tea.Cmd {
	t := s.top()
	if !t.playsWhatIf() || s.playDue {
		return nil
	}
	was := s.state.Played
	s.state.Played = min(s.options.Clock()-t.playedFrom, views.PlayTime)
	s.dirty = s.dirty || s.state.Played != was
	if s.state.Played == views.PlayTime {
		return nil
	}
	s.playDue = true
	return tea.Tick(time.Second/time.Duration(defaultFPS), func(time.Time) tea.Msg { return playMsg{} })
}
