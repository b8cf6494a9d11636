package tui

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/whatif"
	"orrery/core/world"
	"orrery/views"
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
		p.tell(answerMsg{number: number, answer: whatIfOf(answer, printable.Text("what if "+words+"?"), printable.Text(command))})
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

// whatIfOf is an answer as it is shown.
func whatIfOf(a *whatif.Answer, question, command string) *views.WhatIf {
	v := &views.WhatIf{Question: question, Command: command, Before: outcomeOf(a.Before), After: outcomeOf(a.After)}
	v.Held, v.Waiting = len(a.Held), len(a.Waiting)
	if a.Truncated {
		v.Notes = append(v.Notes, "cut off before it came to rest: more would happen later")
	}
	for _, note := range a.Notes {
		v.Notes = append(v.Notes, printable.Text(note))
	}
	rows := make([]views.WhatIfChange, 0, len(a.Pods)+len(a.Held)+len(a.Waiting))
	for i := range a.Pods {
		rows = append(rows, changeOf(&a.Pods[i]))
	}
	for i := range a.Held {
		h := &a.Held[i]
		rows = append(rows, views.WhatIfChange{
			Pod: printable.Text(h.Pod.String()), Key: h.Pod.String(), From: views.Bound, To: views.Bound, Same: true,
			Before: printable.Text(h.Node), After: printable.Text(h.Node), Why: "held: " + printable.Text(h.Why),
		})
	}
	for i := range a.Waiting {
		row := changeOf(&a.Waiting[i])
		row.Same = true
		rows = append(rows, row)
	}
	v.Changes.Rows, v.Changes.Total = rows, len(rows)
	return v
}

func changeOf(c *whatif.PodChange) views.WhatIfChange {
	v := views.WhatIfChange{
		Pod: printable.Text(c.Pod.String()), Key: c.Pod.String(), From: stateOf(c.Before.Place), To: stateOf(c.After.Place),
		Before: printable.Text(c.Before.Node), After: printable.Text(c.After.Node), Why: printable.Text(c.After.Why),
	}
	if v.Why == "" {
		v.Why = printable.Text(c.After.Left)
	}
	return v
}

func outcomeOf(o whatif.Outcome) views.Outcome {
	return views.Outcome{
		Placed: o.Placed, Pending: o.Pending, Evicted: o.Evicted, Moved: o.Moved, CPU: o.CPU, Memory: o.Memory, Spread: o.Spread,
	}
}

// stateOf is where a pod is, as the screen tells it.
func stateOf(p engine.Place) views.PodState {
	switch p {
	case engine.PlaceActive:
		return views.Active
	case engine.PlaceBackoff:
		return views.Backoff
	case engine.PlaceUnschedulable:
		return views.Unschedulable
	case engine.PlaceGated:
		return views.Gated
	case engine.PlaceWaiting, engine.PlaceBinding:
		return views.InFlight
	case engine.PlaceBound:
		return views.Bound
	}
	return views.Gone
}
