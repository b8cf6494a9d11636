package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"orrery/core/objects/saturating"
	"orrery/tui/term"
	"orrery/views"
	"orrery/views/draw"
)

// wheelRows is how many rows one notch of the wheel scrolls.
const wheelRows = 3

// dropMotion drops mouse motion that has no handler, so that keys do not queue behind it.
func dropMotion(_ tea.Model, msg tea.Msg) tea.Msg {
	if motion, ok := msg.(tea.MouseMotionMsg); ok && motion.Button != tea.MouseLeft {
		return nil
	}
	return msg
}

// suspend is the command of ctrl+z.
func suspend() tea.Msg { return term.Suspend() }

// handleMouse handles a click, a drag or the wheel.
func (s *Screen) handleMouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	if cmd, open := s.mouseOver(msg); open {
		return cmd
	}
	switch msg.(type) {
	case tea.MouseWheelMsg:
		return s.wheelNotch(m.Button == tea.MouseWheelUp)
	case tea.MouseClickMsg, tea.MouseMotionMsg:
		if m.Button != tea.MouseLeft {
			return nil
		}
		_, moved := msg.(tea.MouseMotionMsg)
		return s.click(m.X, m.Y, moved)
	}
	return nil
}

// wheel collects notches: a spun wheel sends more of them than frames can show.
type wheel struct {
	notches int
	// throttled means that the list scrolled less than a wheelInterval ago.
	throttled bool
}

// wheelInterval is the least time between two scrolls.
const wheelInterval = time.Second / maxFPS

// wheelMsg says that the list may scroll again.
type wheelMsg struct{}

// wheelNotch handles a notch: the first scrolls at once, those within a wheelInterval after it scroll together.
func (s *Screen) wheelNotch(up bool) tea.Cmd {
	if s.onOverview() {
		return nil
	}
	if up {
		s.wheel.notches--
	} else {
		s.wheel.notches++
	}
	if s.wheel.throttled {
		return nil
	}
	return s.scrollByWheel()
}

// scrollByWheel scrolls by the collected notches and starts another wheelInterval.
func (s *Screen) scrollByWheel() tea.Cmd {
	s.wheel.throttled = s.wheel.notches != 0
	if !s.wheel.throttled {
		return nil
	}
	s.moveBy(wheelRows * s.wheel.notches)
	s.wheel.notches, s.dirty = 0, true
	return tea.Tick(wheelInterval, func(time.Time) tea.Msg { return wheelMsg{} })
}

// click goes to the time, row or pane that was clicked. A click on the selected row opens it.
func (s *Screen) click(x, y int, dragged bool) tea.Cmd {
	switch {
	case contains(s.hits.Track, x, y) && s.cannotPlay() == "":
		s.seekToColumn(s.hits.Track, x)
	case contains(s.hits.Scrubber, x, y) && s.cannotPlay() == "":
		s.seekToColumn(s.hits.Scrubber, x)
	case dragged:
	case y == 0 && x >= s.w-3: // the "?" of the first line
		return s.helpOrTour()
	case y == 1 && s.worst() != nil: // the health
		s.goToTrouble()
	case s.hintAt(x, y) != nil:
		return s.clickHint(s.hintAt(x, y), x)
	case s.clickHead(x, y):
	case s.clickTitle(x, y):
	case s.onOverview():
		s.clickOverview(x, y)
	case s.hits.Node != nil && s.top().page == nil:
		return s.clickNode(x, y)
	case contains(s.hits.List, x, y):
		row := s.hits.Window.First + y - s.hits.List.Y
		if row >= s.hits.Total || y-s.hits.List.Y >= s.hits.Window.Count {
			return nil
		}
		if row == s.top().cursor.Selected && s.selectedFix() == nil && s.cannotOpen() == "" {
			return s.openSelected()
		}
		s.move(row)
		s.top().onNodes = true
	}
	return nil
}

// hintAt returns the hint at a place; nil if there is none.
func (s *Screen) hintAt(x, y int) *views.HintSpot {
	for i := range s.hits.Hints {
		if h := &s.hits.Hints[i]; contains(h.Rect, x, y) {
			return h
		}
	}
	return nil
}

// clickHint does what the key of a hint does. Of a hint with two keys that do different things, such as [ ], it is the one that was clicked.
func (s *Screen) clickHint(h *views.HintSpot, x int) tea.Cmd {
	s.status, s.lastCommand = "", ""
	for i := range bindings {
		b := &bindings[i]
		if b.label != h.Key || !b.worksOn(s.keyPane()) {
			continue
		}
		key := b.keys[0]
		if b.oneEach && len(b.keys) == 2 && x-h.Rect.X >= draw.Width(h.Key)/2 {
			key = b.keys[1]
		}
		if b.oneEach && len(b.keys) > 2 {
			s.setStatus(b.label + ": " + b.long)
			return nil
		}
		return s.run(b, key)
	}
	return nil
}

// clickHead sorts a list by the heading at a place, or reverses the order that it has, and reports whether there is one.
func (s *Screen) clickHead(x, y int) bool {
	if s.top().page != nil {
		return false
	}
	for _, head := range s.hits.Heads {
		if !contains(head.Rect, x, y) {
			continue
		}
		n := s.top().list
		n.reverse = n.sort == head.Sort && !n.reverse
		n.sort = head.Sort
		s.setList(n)
		return true
	}
	return false
}

// mouse selects the match at a place, or opens it if it is selected; the wheel moves, and a click elsewhere closes the finder.
func (f *finder) mouse(s *Screen, msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	s.dirty = true
	switch msg.(type) {
	case tea.MouseWheelMsg:
		f.move(map[bool]int{true: -1, false: 1}[m.Button == tea.MouseWheelUp])
	case tea.MouseClickMsg:
		at := f.pages.Page*f.pages.PerPage + m.Y - f.list.Y
		switch {
		case m.Button != tea.MouseLeft:
		case !contains(f.box, m.X, m.Y):
			s.finder = nil
		case f.verbs != nil:
			return f.verbs.click(s, m.X, m.Y)
		case !contains(f.list, m.X, m.Y) || at >= len(f.matches):
		case at == f.at:
			return s.openFound(f.selected())
		default:
			f.at = at
		}
	}
	return nil
}

// clickOverview selects the row at a place, or else the pane; a click on what is selected opens it.
func (s *Screen) clickOverview(x, y int) {
	for _, r := range s.hits.Rows {
		if !contains(r.Rect, x, y) {
			continue
		}
		if s.focus == r.In && s.row.key == r.Key {
			s.openRow()
			return
		}
		s.focus, s.row = r.In, overviewCursor{key: r.Key}
		return
	}
	for _, spot := range views.LayoutOf(s.body(), s.model()) {
		if contains(spot.Rect, x, y) {
			if s.focus == spot.Pane {
				s.openPane(spot.Pane)
			}
			s.focus, s.row = spot.Pane, overviewCursor{}
		}
	}
}

// clickNode selects the node at a place, and opens it if it is selected already.
func (s *Screen) clickNode(x, y int) tea.Cmd {
	row, ok := s.hits.Node(x, y)
	switch {
	case !ok:
		return nil
	case row == s.top().cursor.Selected && s.cannotOpen() == "":
		return s.openSelected()
	}
	s.move(row)
	return nil
}

// seekToColumn seeks to the time at a column of a track.
func (s *Screen) seekToColumn(track draw.Rect, x int) {
	t := s.frame.Model.Timeline
	part := float64(x-track.X) / float64(max(track.W-1, 1))
	at := t.Start.Add(time.Duration(saturating.Truncate(part * float64(t.End.Sub(t.Start)))))
	s.control(func(b Playback) error { return b.SeekTo(at) })
}

func contains(r draw.Rect, x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }
