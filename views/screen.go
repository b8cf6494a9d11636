package views

import (
	"time"

	"orrery/core/safe/plural"
	"orrery/themes"
	"orrery/views/draw"
)

// Screen draws everything: the header, the health, the overview or the open pane, the timeline if there is one, and the footer.
func Screen(c *draw.Canvas, m *Model, ui *State, g draw.Glyphs, now time.Time) {
	a := c.All(g)
	if a.W < MinWidth || a.H < MinHeight {
		drawTooSmall(a, MinWidth, MinHeight)
		return
	}
	s := &drawCtx{Model: m, ui: ui, now: m.asOf(now)}
	at := divide(a.Rect, m)
	drawHeader(a.In(at.head), s)
	drawHealth(a.In(at.health), s)
	drawFooter(a.In(at.foot), s)
	if t := m.Timeline; t != nil {
		drawTimeline(a.In(at.timeline), s)
		drawCaption(a.In(at.caption), t)
	}
	if p := PaneOf(ui.Open); p != nil {
		s.pane, s.full = p, true
		opened(a.In(at.body), s)
	} else {
		overview(a.In(at.body), s)
	}
	if m.Header.Blind {
		a.In(at.body).Fade()
	}
}

// opened draws one pane on the whole screen; zoomed it has no border, so that a mouse can copy from it.
func opened(a draw.Area, s *drawCtx) {
	if s.ui.Preview && !s.ui.Zoomed {
		besidePreview(a, s)
		return
	}
	if !s.ui.Zoomed {
		// A what-if keeps its own border colour.
		a = a.Box(s.frame(s.Header.Mode != WhatIfMode)).Padded()
	}
	s.pane.inside(a, s)
}

func overview(a draw.Area, s *drawCtx) {
	for _, spot := range LayoutOf(a.Rect, s.Model) {
		s.pane = PaneOf(spot.Pane)
		focused := s.ui.Focus == spot.Pane
		at := a.In(spot.Rect)
		if spot.Strip {
			drawStrip(at, s, focused)
			continue
		}
		s.box = at.Box(s.frame(focused))
		s.pane.inside(s.box.Padded(), s)
	}
}

// frame returns the border of the pane. A what-if has borders of its own colour.
func (s *drawCtx) frame(focused bool) draw.Frame {
	f := draw.Frame{Digit: s.pane.Digit, Title: s.pane.Title, Focused: focused, Border: themes.Border}
	if s.Header.Mode == WhatIfMode {
		f.Border = themes.Nominated
	}
	if s.pane.ID == WhatIfPane && s.WhatIf != nil && s.WhatIf.Moments {
		f.Title = "Then and later"
	}
	f.Right = s.pane.fact(s.Model)
	return f
}

// drawStrip draws a pane in one line.
func drawStrip(a draw.Area, s *drawCtx, focused bool) {
	title := themes.Style(themes.Dim)
	if focused {
		title = themes.Title.With(themes.Bold)
		a.Set(0, 0, themes.Style(themes.Focus), '▌')
	}
	a.Set(2, 0, themes.Accent.With(themes.Bold), rune(s.pane.Digit))
	a.Text(4, 0, title, s.pane.Title)
	_, rest := a.Left(15)
	s.pane.line(a.In(rest), s)
}

// drawFooter draws the status, or the filter and sort order with the hints.
func drawFooter(a draw.Area, s *drawCtx) {
	if s.ui.Status != "" {
		a.Fit(1, 0, a.W-2, themes.Style(themes.Warn), s.ui.Status)
		return
	}
	if s.ui.Filter != "" {
		a = footerFilter(a, s)
	}
	if s.ui.Search != "" {
		a = footerSearch(a, s.ui)
	}
	if s.ui.Sort != "" || s.ui.Reverse {
		a = footerSort(a, s.ui)
	}
	a.HintsAt(s.ui.Hints, s.recordHint)
}

// recordHint records where a hint is.
func (s *drawCtx) recordHint(h draw.Hint, at draw.Rect) {
	if s.ui.Hits != nil {
		s.ui.Hits.Hints = append(s.ui.Hits.Hints, HintSpot{at, h.Key})
	}
}

// footerFilter draws the filter and the number of matches, which grows while the filter runs.
func footerFilter(a draw.Area, s *drawCtx) draw.Area {
	left := s.Filtered
	if left == nil {
		left = &Filtered{Matches: s.ui.Matches, Of: s.ui.Of}
	}
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	x := a.Text(1, 0, themes.Style(themes.Accent), "/")
	x = a.Fit(x, 0, a.W/3, text, s.ui.Filter)
	x = a.Count(x+2, 0, text, int64(left.Matches))
	if left.Partial {
		x = a.Text(x, 0, dim, "…")
	}
	x = a.Text(x, 0, dim, " of ")
	x = a.Count(x, 0, text, int64(left.Of))
	_, rest := a.Left(x + 2)
	return a.In(rest)
}

// footerSearch draws the text that is searched for, and on which of its matches the cursor is.
func footerSearch(a draw.Area, ui *State) draw.Area {
	x := a.Text(1, 0, themes.Style(themes.Accent), "/")
	x = a.Fit(x, 0, a.W/3, themes.Style(themes.Text), ui.Search)
	x = SearchCount(a, x+2, ui)
	_, rest := a.Left(x + 2)
	return a.In(rest)
}

// SearchCount draws which of how many matches of a search the cursor is on, and returns the column after it.
func SearchCount(a draw.Area, x int, ui *State) int {
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	if ui.SearchOf == 0 {
		return a.Text(x, 0, themes.Style(themes.Warn), "no match")
	}
	if ui.SearchAt > 0 {
		x = a.Count(x, 0, text, int64(ui.SearchAt))
		x = a.Text(x, 0, dim, " of ")
	}
	x = a.Count(x, 0, text, int64(ui.SearchOf))
	if ui.SearchMore {
		x = a.Text(x, 0, dim, "…")
	}
	if ui.SearchAt == 0 {
		x = a.Text(x, 0, dim, " "+plural.Of(ui.SearchOf, "row"))
	}
	return x
}

// footerSort draws the list's sort order.
func footerSort(a draw.Area, ui *State) draw.Area {
	by, way := ui.Sort, "↓ "
	if by == "" {
		by = "in order"
	}
	if ui.Reverse {
		way = "↑ "
	}
	x := a.Text(1, 0, themes.Style(themes.Accent), way)
	x = a.Fit(x, 0, a.W/4, themes.Style(themes.Text), by)
	_, rest := a.Left(x + 2)
	return a.In(rest)
}
