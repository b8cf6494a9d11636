package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/views"
	"orrery/views/collect"
)

// whatIfMsg is the result of the what-if with that number.
type whatIfMsg struct {
	number int
	answer *views.WhatIf
	err    error
}

// commandWhatIf runs a what-if of the typed changes.
func (s *Screen) commandWhatIf(rest string) tea.Cmd {
	changes, err := change.ParseAll(strings.Fields(rest))
	if err != nil {
		s.fail(err.Error())
		return nil
	}
	s.whatIfNumber++
	number := s.whatIfNumber
	s.whatIfPending = true
	s.setStatus("computing what-if " + printable.Line(change.Words(changes), 120) + " … esc cancels")
	s.submit(func(p *loop) { p.askWhatIf(number, changes) })
	return nil
}

// askWhatIf forks the engine and runs the what-if off the loop's goroutine, so that the recording plays on meanwhile.
func (p *loop) askWhatIf(number int, changes []change.Change) {
	words := change.Words(changes)
	at, command := p.source.WhatIfCommand(changes)
	ahead := p.ahead(changes)
	p.onFork(at, func(fork *engine.Engine, err error) {
		if err != nil {
			p.send(whatIfMsg{number: number, err: fmt.Errorf("trying a what-if: %w", err)})
			return
		}
		answer, err := whatif.Evaluate(fork, changes, whatif.Options{})
		if err == nil {
			err = ahead.addTo(answer, fork)
		}
		if err != nil {
			p.send(whatIfMsg{number: number, err: err})
			return
		}
		shown := collect.WhatIf(answer, printable.Text(words), printable.Text(command))
		shown.Typed = words
		p.send(whatIfMsg{number: number, answer: shown})
	})
}

// openWhatIf opens the result, unless the what-if was cancelled or superseded.
func (s *Screen) openWhatIf(msg whatIfMsg) {
	if msg.number != s.whatIfNumber || !s.whatIfPending {
		return
	}
	s.whatIfPending = false
	if msg.err != nil {
		s.fail(msg.err.Error())
		return
	}
	s.status = ""
	played := s.top().pane == views.OrreryPane
	if s.top().showsWhatIf() { // of another release
		s.pop()
	}
	s.whatIfs = append([]*views.WhatIf{msg.answer}, s.whatIfs[:min(len(s.whatIfs), maxWhatIfs-1)]...)
	if played {
		s.playWhatIf(msg.answer)
		return
	}
	s.push(navEntry{pane: views.WhatIfPane, answer: msg.answer})
}
