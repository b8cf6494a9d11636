package tui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
	"orrery/views/collect"
)

// What the pump tells the screen.
type (
	// frameMsg says that there is a frame to be taken.
	frameMsg struct{}
	// sayMsg is a sentence for the line of hints.
	sayMsg struct{ text string }
)

// order is something the pump is asked to do between two strokes of work.
type order func(*pump)

// pump owns a source: all calls of it, and all reading of its engine, are made here.
type pump struct {
	source    Source
	collector *collect.Collector
	look      collect.Look
	box       mailbox
	orders    chan order
	tell      func(tea.Msg)
	// clock is real time that only goes forward, after is how a beat is waited for.
	clock func() time.Duration
	beat  time.Duration
	// away says that nobody looks: the terminal has not the focus.
	away bool

	last  time.Duration // when Advance was called last
	built time.Duration // when the last frame was made
	stale bool          // something has changed since
	// partial says that a long list is still being gone through.
	partial bool

	// then is done once the engine is let go: what changes the source.
	then func()
	// start runs work that takes long beside the pump.
	start func(func())
}

// awayBeat is how far apart frames are when nobody looks.
const awayBeat = 500 * time.Millisecond

// longestBeat is the most time that is taken to have passed at once: a program that was stopped, or a machine that slept,
// goes on where it was.
const longestBeat = time.Second

// orderRoom is how many orders may wait: more than anybody types while one is carried out.
const orderRoom = 256

func newPump(s Source, fps int, clock func() time.Duration, tell func(tea.Msg)) *pump {
	return &pump{
		source: s, orders: make(chan order, orderRoom), tell: tell, clock: clock, beat: time.Second / time.Duration(fps),
		collector: collect.New(collect.Run{Source: s.Name(), Mode: s.Mode(), Chronicle: s.Chronicle()}),
	}
}

// run pumps until the context ends.
func (p *pump) run(ctx context.Context) {
	p.last = p.clock()
	p.held(p.build)
	for {
		var wakes <-chan struct{}
		if w, ok := p.source.(Waking); ok {
			wakes = w.Wake()
		}
		timer, wait := p.wait()
		select {
		case <-ctx.Done():
			return
		case o := <-p.orders:
			p.carryOut(o)
		case <-wakes:
			p.stale = true
		case <-wait:
			p.turn()
		}
		if timer != nil {
			timer.Stop()
		}
	}
}

// held does something while the engine stands still.
func (p *pump) held(do func()) {
	if h, ok := p.source.(Held); ok {
		h.Hold(do)
	} else {
		do()
	}
	if then := p.then; then != nil {
		p.then = nil
		then()
		p.held(p.build)
	}
}

// calmBeat is how often a source is looked at that says by itself when something has changed.
const calmBeat = time.Second

// wait is a channel that says when to work on: never while nothing moves, at once while the source is behind.
func (p *pump) wait() (*time.Timer, <-chan time.Time) {
	if !p.source.Moving() && !p.partial {
		return nil, nil
	}
	beat := p.beat
	if _, wakes := p.source.(Waking); wakes && !p.stale && !p.partial {
		beat = calmBeat
	}
	if p.away {
		beat = awayBeat
	}
	if h, ok := p.source.(Hurried); ok && h.Behind() && !p.away {
		beat = 0
	}
	timer := time.NewTimer(max(p.last+beat-p.clock(), 0))
	return timer, timer.C
}

// turn lets the source play on. It makes a frame of what came of it when the last one has been seen and a beat has passed
// since, and in any case of what it comes to rest at.
func (p *pump) turn() {
	if p.advance() || p.partial {
		p.stale = true
	}
	if p.stale && (!p.source.Moving() || (p.last-p.built >= p.beat && !p.box.waiting())) {
		p.held(p.build)
	}
}

func (p *pump) advance() bool {
	now := p.clock()
	passed := min(now-p.last, longestBeat)
	p.last = now
	if !p.source.Moving() {
		return false
	}
	return p.source.Advance(passed)
}

// carryOut does what was asked, and everything else that is asked by now, and makes one frame of it. Time stands still
// meanwhile: what is asked is asked of what is on the screen.
func (p *pump) carryOut(o order) {
	if !p.source.Moving() {
		p.last = p.clock()
	}
	p.held(func() {
		for {
			o(p)
			select {
			case o = <-p.orders:
			default:
				p.build()
				return
			}
		}
	})
}

// build makes the frame of what is looked at.
func (p *pump) build() {
	p.built, p.stale = p.last, false
	look := p.look
	look.Timeline = p.source.Timeline()
	if m, ok := p.source.(Measured); ok && look.Open == views.PressurePane {
		look.Usage = m.Usage(look.Node)
	}
	f := &Frame{Look: p.look, Now: p.source.Now(), Moving: p.source.Moving()}
	p.collector.Follow(p.source.Chronicle())
	f.Model = p.collector.Model(p.source.Engine(), look)
	if a, ok := p.source.(Alarmed); ok {
		f.Model.Header.Alert = a.Alert()
	}
	if k, ok := p.source.(Knowing); ok {
		k.Add(f.Model, p.look)
	}
	if look.Open == views.WhatIfPane {
		f.Model.Header.Mode = views.Hypothetical
	}
	f.Unable = p.unable()
	p.partial = f.Model.Narrowed != nil && f.Model.Narrowed.Partial
	if play, ok := p.source.(Playback); ok {
		f.Playing, f.Loop = play.Playing(), play.Loop()
	}
	if p.box.put(f) {
		p.tell(frameMsg{})
	}
}

// give hands in an order. It is refused when so many wait that the core must be stuck.
func (p *pump) give(o order) bool {
	select {
	case p.orders <- o:
		return true
	default:
		return false
	}
}

// take is the latest frame, if there is one that was not taken yet.
func (p *pump) take() *Frame { return p.box.take() }

// regret says why something could not be done; nil is fine.
func (p *pump) regret(err error) {
	if err != nil {
		p.tell(sayMsg{text: err.Error()})
	}
}
