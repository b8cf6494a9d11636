package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"orrery/core/answers/change"
	"orrery/core/answers/whatif"
	"orrery/core/operator/usage"
	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/trace"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/demo"
	"orrery/demo/playback"
	"orrery/themes"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/draw"
)

// render draws the picture.
func (s picture) render() ([]byte, error) {
	theme, ok := themes.Named(s.theme)
	if s.theme == "" {
		theme, ok = themes.Shipped()[0], true
	}
	if !ok {
		return nil, fmt.Errorf("there is no theme %q", s.theme)
	}
	recording, err := s.open()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	about := draw.Picture{Title: s.title, Description: s.altText}
	at := s.moment(recording)
	if s.frames == 0 {
		canvas, err := s.frame(recording, at)
		if err != nil {
			return nil, err
		}
		err = canvas.WriteSVG(&b, theme, about)
		return b.Bytes(), err
	}
	moving := draw.Animation{Picture: about, Every: s.every}
	for i := range s.frames {
		canvas, err := s.frame(recording, at.Add(time.Duration(i)*s.every))
		if err != nil {
			return nil, err
		}
		moving.Frames = append(moving.Frames, canvas)
	}
	err = moving.WriteSVG(&b, theme)
	return b.Bytes(), err
}

// frame draws the screen at a moment.
func (s picture) frame(recording *playback.Recording, at time.Time) (*draw.Canvas, error) {
	recording.SeekTo(at)
	m, err := s.model(recording)
	if err != nil {
		return nil, err
	}
	canvas := draw.New(s.w, s.h)
	ui := &views.State{Open: s.pane, Focus: views.QueuePane, Hints: []draw.Hint{
		{Key: "/", Action: "filter"}, {Key: ":", Action: "command"}, {Key: "enter", Action: "open"}, {Key: "space", Action: "play"}, {Key: "z", Action: "zoom"}, {Key: "?", Action: "help"},
	}}
	views.Screen(canvas, m, ui, draw.Braille, recording.Now())
	return canvas, nil
}

func (s picture) open() (*playback.Recording, error) {
	r, err := demo.Open(s.trace)
	if err != nil {
		return nil, err
	}
	return playback.Open(r, playback.Options{
		Name:     s.trace,
		Follower: func(*engine.Engine) play.Follower { return collect.NewHistory(collect.HistoryOptions{}) },
	})
}

// moment is when the picture is taken.
func (s picture) moment(recording *playback.Recording) time.Time {
	if s.after != nil {
		for _, m := range recording.Marks() {
			if m.Mark.Kind == *s.after {
				return m.At.Add(s.at)
			}
		}
	}
	return recording.Start().Add(s.at)
}

// model is what there is to see then.
func (s picture) model(recording *playback.Recording) (*views.Model, error) {
	history, _ := recording.Follower().(*collect.History)
	collector := collect.New(collect.Options{Source: s.trace, Mode: views.Demo, History: history})
	look := collect.Query{Open: views.Overview, Rows: s.h, Columns: s.w, Lines: s.h, Timeline: timeline(recording)}
	look.Timeline.Paused = s.frames == 0
	if s.selects != nil {
		for _, pane := range []views.PaneID{views.Overview, views.EvictionsPane, views.DecisionsPane} {
			look.Open = pane
			pod, node := s.selects(collector.Model(recording.Engine(), look))
			if pod != "" || node != "" {
				namespace, name, _ := strings.Cut(pod, "/")
				look.Pod, look.Node = world.PodRef{Namespace: namespace, Name: name}, node
				break
			}
		}
		if look.Pod == (world.PodRef{}) && look.Node == "" {
			return nil, fmt.Errorf("there is nothing to open in %s at that moment", s.trace)
		}
	}
	look.Open = s.pane
	if s.pane == views.PressurePane {
		record, _ := recording.Usage(look.Node)
		look.Usage = usage.Recorded(recording.Header(), look.Node, record)
	}
	if s.whatIf != "" {
		var err error
		if look.WhatIf, err = s.whatIfAnswer(recording); err != nil {
			return nil, err
		}
		m := collector.Model(recording.Engine(), look)
		m.Header.Mode = views.WhatIfMode
		return m, nil
	}
	return collector.Model(recording.Engine(), look), nil
}

// whatIfAnswer tries the change on a copy.
func (s picture) whatIfAnswer(recording *playback.Recording) (*views.WhatIf, error) {
	changes, err := change.ParseAll(strings.Fields(s.whatIf))
	if err != nil {
		return nil, err
	}
	fork, err := recording.Engine().Fork()
	if err != nil {
		return nil, err
	}
	if recording.Now().After(fork.Now()) {
		if err := fork.Apply(world.Input{At: recording.Now(), Event: world.Tick{}}); err != nil {
			return nil, err
		}
	}
	answer, err := whatif.Evaluate(fork, changes, whatif.Options{})
	if err != nil {
		return nil, err
	}
	return collect.WhatIf(answer, s.whatIf, change.Command(s.trace, recording.Now().Sub(recording.Start()), changes)), nil
}

// marks are how the kinds of marks look.
var marks = map[trace.MarkKind]views.Mark{
	trace.Note: {Glyph: '◇'}, trace.Preemption: {Glyph: '⚑'}, trace.Eviction: {Glyph: '▼', Bad: true},
	trace.LeaderChange: {Glyph: '♥'}, trace.FirstFailure: {Glyph: '✗', Bad: true},
}

func timeline(recording *playback.Recording) *views.Timeline {
	t := &views.Timeline{Start: recording.Start(), End: recording.End(), At: recording.Now(), Speed: "1x", Paused: true}
	for _, m := range recording.Marks() {
		mark := marks[m.Mark.Kind]
		mark.At, mark.Label = m.At, printable.Text(m.Mark.Text)
		t.Marks = append(t.Marks, mark)
	}
	return t
}
