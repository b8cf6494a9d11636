package tui

import (
	"errors"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
)

// timeBindings move through the recording.
var timeBindings = []binding{
	{
		name: "pause", keys: []string{"space"}, label: "space", short: "pause", long: "pause / play", group: timeKeys, where: everywhere, hint: 4, disabled: (*Screen).cannotPlay,
		run: simple(func(s *Screen) { s.control(func(b Playback) error { b.Toggle(); return nil }) }),
	},
	{
		name: "step", oneEach: true, keys: []string{"[", "]"}, label: "[ ]", short: "step", long: "previous / next decision", group: timeKeys, where: everywhere, hint: 5, disabled: (*Screen).cannotPlay,
		run: func(s *Screen, key string) tea.Cmd {
			s.control(func(b Playback) error { return b.Step(key == "[") })
			return nil
		},
	},
	{
		name: "input", oneEach: true, keys: []string{"I", "i"}, label: "I i", long: "previous / next input event", group: timeKeys, where: everywhere, disabled: (*Screen).cannotPlay,
		run: func(s *Screen, key string) tea.Cmd {
			s.control(func(b Playback) error { return b.StepInput(key == "I") })
			return nil
		},
	},
	{
		name: "mark", oneEach: true, keys: []string{"{", "}"}, label: "{ }", short: "mark", long: "previous / next mark", group: timeKeys, where: everywhere, hint: 10, disabled: (*Screen).cannotPlay,
		run: func(s *Screen, key string) tea.Cmd {
			s.leave(true)
			s.control(func(b Playback) error { return b.Mark(key == "{") })
			return nil
		},
	},
	{
		name: "timeline", keys: []string{"M"}, label: "M", short: "timeline", long: "the whole timeline and all marks", group: timeKeys, where: everywhere, hint: 10,
		disabled: (*Screen).cannotPlay, run: simple((*Screen).toggleTimeline),
	},
	{
		name: "speed", oneEach: true, keys: []string{",", "."}, label: ", .", short: "speed", long: "slower / faster", group: timeKeys, where: everywhere, hint: 11, disabled: (*Screen).cannotPlay,
		run: func(s *Screen, key string) tea.Cmd {
			s.control(func(b Playback) error {
				was, change, most := b.Timeline().Speed, b.Faster, "highest"
				if key == "," {
					change, most = b.Slower, "lowest"
				}
				if change(); b.Timeline().Speed == was {
					return errors.New(key + ": this is the " + most + " speed; :speed sets any")
				}
				return nil
			})
			return nil
		},
	},
	{
		name: "ends", oneEach: true, keys: []string{"^", "$"}, label: "^ $", long: "start / end of the recording", group: timeKeys, where: everywhere, disabled: (*Screen).cannotPlay,
		run: (*Screen).seekToEnd,
	},
	{
		name: "ends", oneEach: true, keys: []string{"home", "end"}, label: "home end", long: "start / end of the recording", group: timeKeys, where: offLists, disabled: (*Screen).cannotPlay,
		run: (*Screen).seekToEnd,
	},
	{
		name: "seconds", oneEach: true, keys: []string{"left", "right", "h", "l"}, label: "← →", long: "five seconds back / forward; beside a preview, into it and back", group: timeKeys, disabled: (*Screen).cannotSeek,
		where: withoutCells, run: (*Screen).seekBySeconds,
	},
	{
		name: "seconds", oneEach: true, keys: []string{"<", ">"}, label: "< >", long: "five seconds back / forward", group: timeKeys, disabled: (*Screen).cannotPlay,
		where: everywhere, run: (*Screen).seekBySeconds,
	},
	{
		name: "loop", keys: []string{"L"}, label: "L", long: "loop, or stop at the end", group: timeKeys, where: everywhere, disabled: (*Screen).cannotLoop,
		run: simple(func(s *Screen) {
			s.control(func(b Playback) error { b.SetLoop(!b.Loop()); return nil })
			if s.frame.Loop {
				s.setStatus("stops at the end")
			} else {
				s.setStatus("loops at the end")
			}
		}),
	},
}

func (s *Screen) cannotPlay() string {
	if s.frame == nil || s.frame.Model.Timeline == nil {
		return "there is no timeline here"
	}
	return ""
}

func (s *Screen) cannotLoop() string {
	if s.frame != nil && s.frame.Model.Header.Mode == views.Attached {
		return "this goes on: it has no end to loop at"
	}
	return s.cannotPlay()
}

// seekToEnd goes to the start or the end of the recording.
func (s *Screen) seekToEnd(key string) tea.Cmd {
	last := key == "$" || key == "end"
	s.leave(true)
	s.control(func(b Playback) error { return seek(b, !last, func() error { return b.Ends(last) }) })
	return nil
}

// toggleTimeline opens the timeline pane at the next mark, or closes it.
func (s *Screen) toggleTimeline() {
	if s.top().pane == views.TimelinePane && s.top().page == nil {
		s.pop()
		return
	}
	t := s.frame.Model.Timeline
	next := slices.IndexFunc(t.Marks, func(m views.Mark) bool { return m.At.After(t.At) })
	if next < 0 {
		next = max(len(t.Marks)-1, 0)
	}
	s.push(navEntry{pane: views.TimelinePane, cursor: views.Cursor{Selected: next, First: max(next-3, 0)}})
}

// seekToMark seeks to the selected mark.
func (s *Screen) seekToMark() {
	mark := s.frame.Model.Timeline.Listed.At(s.top().cursor.Selected)
	if mark == nil {
		return // the list has become shorter, and the frame that shows it is on its way
	}
	at := mark.At
	s.leave(true)
	s.control(func(b Playback) error { return b.SeekTo(at) })
}

// control runs a playback operation on the loop.
func (s *Screen) control(do func(Playback) error) {
	s.submit(func(p *loop) {
		if b := p.playback; b != nil {
			p.reportError(do(b))
		}
	})
}

// submit queues a request for the loop.
func (s *Screen) submit(o request) {
	if !s.loop.submit(o) {
		s.setStatus("the scheduler does not keep up: that key was dropped")
	}
}

// seekStep is how far the arrow keys seek.
const seekStep = 5 * time.Second

// cannotSeek returns why the arrows neither seek nor go into a preview.
func (s *Screen) cannotSeek() string {
	if s.previews() || s.top().fromList {
		return ""
	}
	return s.cannotPlay()
}

func (s *Screen) seekBySeconds(key string) tea.Cmd {
	if went, cmd := s.intoPreview(key); went {
		return cmd
	}
	by := seekStep
	if key == "left" || key == "h" || key == "<" {
		by = -seekStep
	}
	s.control(func(b Playback) error { return seek(b, by < 0, func() error { return b.SeekTo(b.Now().Add(by)) }) })
	return nil
}

// seek goes to another time, or says that there is none.
func seek(b Playback, back bool, to func() error) error {
	was := b.Now()
	if err := to(); err != nil || !b.Now().Equal(was) {
		return err
	}
	if back {
		return errors.New("this is the start of the recording")
	}
	return errors.New("this is the end of the recording")
}
