package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/printable"
	"orrery/core/whatif"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// Repeatable is a Source that can be asked again from a shell.
type Repeatable interface {
	// Asked is the moment that a question is about now, and the command that asks it again then.
	Asked(changes []whatif.Change) (at time.Time, command string)
}

// answerMsg is the answer to the question of that number.
type answerMsg struct {
	number int
	answer *views.WhatIf
	err    error
}

// commandWhatIf asks what a change would do.
func (s *Screen) commandWhatIf(rest string) tea.Cmd {
	changes, err := whatif.ParseAll(strings.Fields(rest))
	if err != nil {
		s.say(err.Error())
		return nil
	}
	s.question++
	number := s.question
	s.asking = true
	s.say("asking what if " + printable.Line(whatif.Words(changes), 120) + " … esc gives up")
	s.order(func(p *pump) { p.ask(number, changes) })
	return nil
}

// ask forks the engine here and asks the fork elsewhere, so that the recording plays on meanwhile.
func (p *pump) ask(number int, changes []whatif.Change) {
	fork, err := p.source.Engine().Fork()
	if err != nil {
		p.tell(answerMsg{number: number, err: fmt.Errorf("forking the scheduler for a what-if: %w", err)})
		return
	}
	words := whatif.Words(changes)
	at, command := p.source.Now(), ":whatif "+words
	if r, ok := p.source.(Repeatable); ok {
		at, command = r.Asked(changes)
	}
	p.start(func() {
		if at.After(fork.Now()) { // time has passed since the last that happened
			if err := fork.Apply(world.Input{At: at, Event: world.Passed{}}); err != nil {
				p.tell(answerMsg{number: number, err: fmt.Errorf("letting time pass for a what-if: %w", err)})
				return
			}
		}
		answer, err := whatif.Ask(fork, changes, whatif.Options{})
		if err != nil {
			p.tell(answerMsg{number: number, err: err})
			return
		}
		p.tell(answerMsg{number: number, answer: collect.WhatIf(answer, printable.Text("what if "+words+"?"), printable.Text(command))})
	})
}

// answered opens the answer, unless nobody waits for it any more.
func (s *Screen) answered(msg answerMsg) {
	if msg.number != s.question || !s.asking {
		return
	}
	s.asking = false
	if msg.err != nil {
		s.say(msg.err.Error())
		return
	}
	s.status = ""
	s.enter(place{pane: views.WhatIfPane, answer: msg.answer})
}
