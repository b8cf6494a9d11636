package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/whatif"
	"orrery/core/world"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/themes"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// take draws the picture.
func (s shot) take() ([]byte, error) {
	theme, ok := themes.Named(s.theme)
	if s.theme == "" {
		theme, ok = themes.Shipped()[0], true
	}
	if !ok {
		return nil, fmt.Errorf("there is no theme %q", s.theme)
	}
	deck, err := s.open()
	if err != nil {
		return nil, err
	}
	deck.SeekTo(s.moment(deck))
	m, err := s.model(deck)
	if err != nil {
		return nil, err
	}
	canvas := draw.New(s.w, s.h)
	ui := &views.State{Open: s.pane, Focus: views.QueuePane, Hints: []draw.Hint{
		{Key: "/", Does: "filter"}, {Key: ":", Does: "command"}, {Key: "enter", Does: "open"}, {Key: "space", Does: "play"}, {Key: "z", Does: "zoom"}, {Key: "?", Does: "help"},
	}}
	views.Screen(canvas, m, ui, draw.Braille, deck.Now())
	var b bytes.Buffer
	err = canvas.WriteSVG(&b, theme, draw.Picture{Title: s.title, Tells: s.tells})
	return b.Bytes(), err
}

func (s shot) open() (*playback.Deck, error) {
	r, err := demo.Open(s.trace)
	if err != nil {
		return nil, err
	}
	return playback.Open(r, playback.Options{
		Name:      s.trace,
		Companion: func(*engine.Engine) play.Companion { return collect.NewChronicle(collect.ChronicleOptions{}) },
	})
}

// moment is when the picture is taken.
func (s shot) moment(deck *playback.Deck) time.Time {
	if s.after != nil {
		for _, m := range deck.Marks() {
			if m.Mark.Kind == *s.after {
				return m.At.Add(s.at)
			}
		}
	}
	return deck.Start().Add(s.at)
}

// model is what there is to see then.
func (s shot) model(deck *playback.Deck) (*views.Model, error) {
	chronicle, _ := deck.Companion().(*collect.Chronicle)
	collector := collect.New(collect.Run{Source: s.trace, Mode: views.Demo, Chronicle: chronicle})
	look := collect.Look{Open: views.Overview, Rows: s.h, Columns: s.w, Timeline: timeline(deck)}
	if s.finds != nil {
		for _, pane := range []views.PaneID{views.Overview, views.EvictionsPane, views.DecisionsPane} {
			look.Open = pane
			pod, node := s.finds(collector.Model(deck.Engine(), look))
			if pod != "" || node != "" {
				namespace, name, _ := strings.Cut(pod, "/")
				look.Pod, look.Node = world.Ref{Namespace: namespace, Name: name}, node
				break
			}
		}
		if look.Pod == (world.Ref{}) && look.Node == "" {
			return nil, fmt.Errorf("there is nothing to open in %s at that moment", s.trace)
		}
	}
	look.Open = s.pane
	if s.asks != "" {
		var err error
		if look.WhatIf, err = s.answer(deck); err != nil {
			return nil, err
		}
		m := collector.Model(deck.Engine(), look)
		m.Header.Mode = views.Hypothetical
		return m, nil
	}
	return collector.Model(deck.Engine(), look), nil
}

// answer tries the change on a copy.
func (s shot) answer(deck *playback.Deck) (*views.WhatIf, error) {
	changes, err := whatif.ParseAll(strings.Fields(s.asks))
	if err != nil {
		return nil, err
	}
	fork, err := deck.Engine().Fork()
	if err != nil {
		return nil, err
	}
	if deck.Now().After(fork.Now()) {
		if err := fork.Apply(world.Input{At: deck.Now(), Event: world.Passed{}}); err != nil {
			return nil, err
		}
	}
	answer, err := whatif.Ask(fork, changes, whatif.Options{})
	if err != nil {
		return nil, err
	}
	return collect.WhatIf(answer, "what if "+s.asks+"?", whatif.Command(s.trace, deck.Now().Sub(deck.Start()), changes)), nil
}

// marks are how the kinds of marks look.
var marks = map[trace.MarkKind]views.Mark{
	trace.Note: {Glyph: '◇'}, trace.Preemption: {Glyph: '⚑'}, trace.Eviction: {Glyph: '▼', Bad: true},
	trace.LeaderChange: {Glyph: '♥'}, trace.FirstFailure: {Glyph: '✗', Bad: true},
}

func timeline(deck *playback.Deck) *views.Timeline {
	t := &views.Timeline{Start: deck.Start(), End: deck.End(), At: deck.Now(), Speed: "1x", Paused: true}
	for _, m := range deck.Marks() {
		mark := marks[m.Mark.Kind]
		mark.At, mark.Label = m.At, printable.Text(m.Mark.Text)
		t.Marks = append(t.Marks, mark)
	}
	return t
}
