package views

import (
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// Screen draws everything: a line of facts, the overview or the open pane, the timeline if there is one, and a line
// about the keys.
func Screen(c *draw.Canvas, m *Model, ui *State, g draw.Glyphs, now time.Time) {
	a := c.All(g)
	if a.W < MinWidth || a.H < MinHeight {
		tooSmall(a, MinWidth, MinHeight)
		return
	}
	s := &scene{Model: m, ui: ui, now: now}
	head, body := a.Top(1)
	foot, body := body.Bottom(1)
	drawHeader(a.In(head), s)
	drawFooter(a.In(foot), s)
	if m.Timeline != nil {
		var line draw.Rect
		line, body = body.Bottom(1)
		drawTimeline(a.In(line), s)
	}
	if p := paneOf(ui.Open); p != nil {
		s.pane, s.full = p, true
		opened(a.In(body), s)
		return
	}
	overview(a.In(body), s)
}

// opened is one pane on the whole screen; zoomed it has no border, so that a mouse can copy from it.
func opened(a draw.Area, s *scene) {
	if !s.ui.Zoomed {
		a = a.Box(s.frame(true)).Padded()
	}
	s.pane.inside(a, s)
}

func overview(a draw.Area, s *scene) {
	for _, spot := range Layout(a.Rect) {
		s.pane = paneOf(spot.Pane)
		focused := s.ui.Focus == spot.Pane
		at := a.In(spot.Rect)
		if spot.Strip {
			drawStrip(at, s, focused)
			continue
		}
		s.pane.inside(at.Box(s.frame(focused)).Padded(), s)
	}
}

// frame is the border of the scene's pane. A world that is only supposed has borders of its own colour.
func (s *scene) frame(focused bool) draw.Frame {
	f := draw.Frame{Digit: s.pane.Digit, Title: s.pane.Title, Focused: focused, Border: themes.Border}
	if s.Header.Mode == Hypothetical {
		f.Border = themes.Nominated
	}
	if s.pane.right != nil {
		f.Right = s.pane.right(s.Model)
	}
	return f
}

// drawStrip is a pane in one line.
func drawStrip(a draw.Area, s *scene, focused bool) {
	title := themes.Style(themes.Dim)
	if focused {
		title = themes.Title.With(themes.Bold)
		a.Set(0, 0, themes.Style(themes.Focus), '▌')
	}
	a.Set(2, 0, themes.Accent.With(themes.Bold), rune(s.pane.Digit))
	a.Text(4, 0, title, s.pane.Title)
	_, rest := a.Left(15)
	s.pane.strip(a.In(rest), s)
}

// drawFooter tells of the keys, or of what has just happened, or what lists are narrowed by.
func drawFooter(a draw.Area, s *scene) {
	if s.ui.Status != "" {
		a.Fit(1, 0, a.W-2, themes.Style(themes.Warn), s.ui.Status)
		return
	}
	if s.ui.Filter != "" {
		x := a.Text(1, 0, themes.Style(themes.Accent), "/")
		x = a.Fit(x, 0, a.W/3, themes.Style(themes.Text), s.ui.Filter)
		x = a.Count(x+2, 0, themes.Style(themes.Text), int64(s.ui.Matches))
		x = a.Text(x, 0, themes.Style(themes.Dim), " of ")
		x = a.Count(x, 0, themes.Style(themes.Text), int64(s.ui.Of))
		_, rest := a.Left(x + 2)
		a = a.In(rest)
	}
	a.Hints(s.ui.Hints)
}
