package tui

import (
	"fmt"
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// pendingMsg is the result of the summary with that number.
type pendingMsg struct {
	number  int
	summary *views.Pending
	err     error
}

// openPending groups the pending pods on a copy of the engine, and opens the summary when it is there.
func (s *Screen) openPending() {
	s.summaryNumber++
	number, namespace := s.summaryNumber, s.namespace
	s.summaryPending = true
	s.setStatus("diagnosing the pending pods … esc cancels")
	s.submit(func(p *loop) {
		at, _ := p.source.WhatIfCommand(nil)
		p.onFork(at, func(fork *engine.Engine, err error) {
			msg := pendingMsg{number: number, err: err}
			if err == nil {
				msg.summary, msg.err = collect.Pending(fork, namespace, p.shadows())
			}
			p.send(msg)
		})
	})
}

// showPending shows the summary, unless it was cancelled or superseded. It replaces an earlier one on the screen.
func (s *Screen) showPending(msg pendingMsg) {
	if msg.number != s.summaryNumber || !s.summaryPending {
		return
	}
	s.summaryPending = false
	s.setStatus("")
	switch {
	case msg.err != nil:
		s.fail(msg.err.Error())
		return
	case s.top().pane == views.PendingPane:
		s.top().summary = msg.summary
		s.setStatus("diagnosed again")
	default:
		s.push(navEntry{pane: views.PendingPane, summary: msg.summary})
	}
}

// onFork calls do with a fork of the engine at a time, off the loop's goroutine, so that the recording plays on
// meanwhile.
func (p *loop) onFork(at time.Time, do func(*engine.Engine, error)) {
	fork, err := p.source.Engine().Fork()
	if err != nil {
		do(nil, fmt.Errorf("forking the scheduler: %w", err))
		return
	}
	p.spawn(func() {
		if at.After(fork.Now()) { // the clock has moved since the last event
			if err := fork.Apply(world.Input{At: at, Event: world.Tick{}}); err != nil {
				do(nil, fmt.Errorf("letting time pass on a copy of the scheduler: %w", err))
				return
			}
		}
		do(fork, nil)
	})
}
