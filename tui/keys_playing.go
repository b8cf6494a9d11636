package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
)

// playingBindings move in time.
var playingBindings = []binding{
	{
		name: "pause", keys: []string{"space"}, shown: "space", does: "pause", tells: "pause, and play on", group: playing, hint: 4, able: (*Screen).cannotPlay,
		do: plain(func(s *Screen) { s.play(func(b Playback) error { b.Toggle(); return nil }) }),
	},
	{
		name: "step", keys: []string{"[", "]"}, shown: "[ ]", does: "step", tells: "one decision back, or on", group: playing, hint: 5, able: (*Screen).cannotPlay,
		do: func(s *Screen, key string) tea.Cmd {
			s.play(func(b Playback) error { return b.Step(key == "[") })
			return nil
		},
	},
	{
		name: "input", keys: []string{"I", "i"}, shown: "I i", tells: "one input back, or on", group: playing, able: (*Screen).cannotPlay,
		do: func(s *Screen, key string) tea.Cmd {
			s.play(func(b Playback) error { return b.StepInput(key == "I") })
			return nil
		},
	},
	{
		name: "mark", keys: []string{"{", "}"}, shown: "{ }", does: "mark", tells: "the mark before, or the next", group: playing, hint: 10, able: (*Screen).cannotPlay,
		do: func(s *Screen, key string) tea.Cmd {
			s.play(func(b Playback) error { return b.Mark(key == "{") })
			return nil
		},
	},
	{
		name: "timeline", keys: []string{"M"}, shown: "M", does: "timeline", tells: "the recording from end to end, and all marks", group: playing, hint: 10,
		able: (*Screen).cannotPlay, do: plain((*Screen).toggleTimeline),
	},
	{
		name: "speed", keys: []string{",", "."}, shown: ", .", does: "speed", tells: "slower, or faster", group: playing, hint: 11, able: (*Screen).cannotPlay,
		do: func(s *Screen, key string) tea.Cmd {
			s.play(func(b Playback) error {
				if key == "," {
					b.Slower()
				} else {
					b.Faster()
				}
				return nil
			})
			return nil
		},
	},
	{
		name: "ends", keys: []string{"0", "$"}, shown: "0 $", tells: "the beginning, or the end", group: playing, able: (*Screen).cannotPlay,
		do: func(s *Screen, key string) tea.Cmd {
			s.play(func(b Playback) error { return b.Ends(key == "$") })
			return nil
		},
	},
	{
		name: "seconds", keys: []string{"left", "right", "h", "l"}, shown: "← →", tells: "five seconds back, or on", group: playing, able: (*Screen).cannotPlay,
		on: besides(views.Overview), do: (*Screen).seekSeconds,
	},
	{
		name: "loop", keys: []string{"L"}, shown: "L", tells: "loop, or stop at the end", group: playing, able: (*Screen).cannotPlay,
		do: plain(func(s *Screen) {
			s.play(func(b Playback) error { b.SetLoop(!b.Loop()); return nil })
			if s.frame.Loop {
				s.say("it stops at the end")
			} else {
				s.say("it begins anew at the end")
			}
		}),
	},
}

// besides are all panes but one.
func besides(one views.PaneID) []views.PaneID {
	var others []views.PaneID
	for _, pane := range everywhere {
		if pane != one {
			others = append(others, pane)
		}
	}
	return others
}

func (s *Screen) cannotPlay() string {
	if s.frame == nil || s.frame.Model.Timeline == nil {
		return "time cannot be moved in here"
	}
	return ""
}

// toggleTimeline opens the timeline's pane at the mark that is next, or leaves it.
func (s *Screen) toggleTimeline() {
	if s.top().pane == views.TimelinePane && s.top().page == nil {
		s.back()
		return
	}
	t := s.frame.Model.Timeline
	next := slices.IndexFunc(t.Marks, func(m views.Mark) bool { return m.At.After(t.At) })
	if next < 0 {
		next = max(len(t.Marks)-1, 0)
	}
	s.enter(place{pane: views.TimelinePane, cursor: views.Cursor{Selected: next}})
}

// goToMark goes to the moment of the selected mark.
func (s *Screen) goToMark() {
	mark := s.frame.Model.Timeline.List().At(s.top().cursor.Selected)
	if mark == nil {
		return // the list has become shorter, and the frame that shows it is on its way
	}
	at := mark.At
	s.play(func(b Playback) error { return b.SeekTo(at) })
}

// play has the pump move in time.
func (s *Screen) play(do func(Playback) error) {
	s.order(func(p *pump) {
		if b, ok := p.source.(Playback); ok {
			p.regret(do(b))
		}
	})
}

// order hands an order in.
func (s *Screen) order(o order) {
	if !s.desk.give(o) {
		s.say("the core does not keep up; that key was lost")
	}
}

// jolt is how far the arrows move in time.
const jolt = 5 * time.Second

func (s *Screen) seekSeconds(key string) tea.Cmd {
	by := jolt
	if key == "left" || key == "h" {
		by = -jolt
	}
	s.play(func(b Playback) error { return b.SeekTo(b.Now().Add(by)) })
	return nil
}
