package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/tui/term"
	"orrery/views"
	"orrery/views/draw"
)

// wheelRows is how far one notch of the wheel goes.
const wheelRows = 3

// calmMouse drops what nobody listens to, so that keys do not queue behind it.
func calmMouse(_ tea.Model, msg tea.Msg) tea.Msg {
	if motion, ok := msg.(tea.MouseMotionMsg); ok && motion.Button != tea.MouseLeft {
		return nil
	}
	return msg
}

// suspend is ctrl+z.
func suspend() tea.Msg { return term.Suspend() }

// pointed does what the mouse did.
func (s *Screen) pointed(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	if s.prompt != nil || s.menu != nil || s.confirm != nil {
		return nil
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return s.turned(m.Button == tea.MouseWheelUp)
	case tea.MouseClickMsg, tea.MouseMotionMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		_, moved := msg.(tea.MouseMotionMsg)
		return s.click(m.X, m.Y, moved)
	}
	return nil
}

// wheel gathers notches: a wheel that is spun has more of them than anybody can see.
type wheel struct {
	notches int
	// rests says that the last ones were heeded a moment ago.
	rests bool
}

// wheelPause is how far apart the moves are that a wheel makes.
const wheelPause = time.Second / mostFPS

// wheelMsg says that the wheel may move the list again.
type wheelMsg struct{}

// turned takes a notch of the wheel: the first at once, those that follow it within a moment together.
func (s *Screen) turned(up bool) tea.Cmd {
	if s.top().pane == views.Overview {
		return nil
	}
	if up {
		s.wheel.notches--
	} else {
		s.wheel.notches++
	}
	if s.wheel.rests {
		return nil
	}
	return s.roll()
}

// roll moves the list by the notches that were gathered, and gathers again for a moment.
func (s *Screen) roll() tea.Cmd {
	s.wheel.rests = s.wheel.notches != 0
	if !s.wheel.rests {
		return nil
	}
	s.step(wheelRows * s.wheel.notches)
	s.wheel.notches, s.dirty = 0, true
	return tea.Tick(wheelPause, func(time.Time) tea.Msg { return wheelMsg{} })
}

// click goes to the moment, the row or the pane that was clicked on. A click on the selected row opens it.
func (s *Screen) click(x, y int, dragged bool) tea.Cmd {
	switch {
	case inside(s.seen.Track, x, y) && s.cannotPlay() == "":
		s.scrub(s.seen.Track, x)
	case inside(s.seen.Scrubber, x, y) && s.cannotPlay() == "":
		s.scrub(s.seen.Scrubber, x)
	case dragged:
	case s.top().pane == views.Overview:
		for _, spot := range views.Layout(s.body()) {
			if inside(spot.Rect, x, y) {
				if s.focus == spot.Pane {
					s.jump(spot.Pane)
				}
				s.focus = spot.Pane
			}
		}
	case inside(s.seen.List, x, y):
		row := s.seen.Window.First + y - s.seen.List.Y
		if row >= s.seen.Total || y-s.seen.List.Y >= s.seen.Window.Count {
			return nil
		}
		if row == s.top().cursor.Selected && s.cannotOpen() == "" {
			s.openSelected()
			return nil
		}
		s.move(row)
	}
	return nil
}

// scrub goes to the time that a column of a track stands for.
func (s *Screen) scrub(track draw.Rect, x int) {
	t := s.frame.Model.Timeline
	part := float64(x-track.X) / float64(max(track.W-1, 1))
	at := t.Start.Add(time.Duration(part * float64(t.End.Sub(t.Start))))
	s.play(func(b Playback) error { return b.SeekTo(at) })
}

func inside(r draw.Rect, x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}
