package views

import (
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// drawTimeline draws the recording from start to end, the current time in it, and the marks.
func drawTimeline(a draw.Area, s *drawCtx) {
	t := s.Timeline
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	sign, token := "▶", themes.Good
	if t.Paused {
		sign, token = "‖", themes.Warn
	}
	x := a.Text(1, 0, themes.Style(token), sign)
	x = a.Fit(x+1, 0, 6, text, t.Speed)
	x = a.Text(x+2, 0, text, offset(t.At.Sub(t.Start), true)) + 1
	end := offset(t.End.Sub(t.Start), false)
	room := 0
	if len(t.Marks) > 0 {
		room = nextMarkRoom(a.W)
	}
	w := a.W - x - len(end) - 3 - room
	if w < 8 {
		return
	}
	scrubber(a, x, w, t)
	if s.ui.Hits != nil {
		s.ui.Hits.Track = draw.Rect{X: a.X + x, Y: a.Y, W: w, H: 1}
	}
	x += w + 1
	x = a.Text(x, 0, dim, end) + 2
	_, rest := a.Left(x)
	if room > 0 {
		drawNextMark(a.In(rest), t)
	}
}

func scrubber(a draw.Area, x, w int, t *Timeline) {
	column := func(at time.Time) int { return x + t.column(at, w) }
	now := column(t.At)
	a.Repeat(x, 0, now-x, themes.Style(themes.Accent), '━')
	a.Repeat(now, 0, x+w-now, themes.Style(themes.Border), '┄')
	for _, annotated := range [...]bool{false, true} { // annotations over the others
		for i := range t.Marks {
			if m := &t.Marks[i]; m.Annotated == annotated {
				a.Set(column(m.At), 0, m.style(), m.glyph())
			}
		}
	}
	a.Set(now, 0, themes.Focus.With(themes.Bold), '●')
}

// column returns the column of a time on a track of w columns.
func (t *Timeline) column(at time.Time, w int) int {
	length := max(t.End.Sub(t.Start), 1)
	return min(max(int(float64(at.Sub(t.Start))/float64(length)*float64(w-1)), 0), w-1)
}

func (m *Mark) glyph() rune {
	if m.Glyph == 0 {
		return '◆'
	}
	return m.Glyph
}

func (m *Mark) style() themes.Style {
	if m.Bad {
		return themes.Style(themes.Bad)
	}
	return themes.Style(themes.Nominated)
}

// nextMark returns the next mark; nil if there is none.
func nextMark(t *Timeline) *Mark {
	for i := range t.Marks {
		if t.Marks[i].At.After(t.At) {
			return &t.Marks[i]
		}
	}
	return nil
}

// offset formats a time into a recording: 00:41.230, and from an hour on 1:00:41.
func offset(d time.Duration, thousandths bool) string {
	digits := 0
	if thousandths && d < time.Hour {
		digits = 3
	}
	return string(draw.AppendOffset(make([]byte, 0, 16), d, digits))
}

// clockText writes a time as lists have it, to the second.
func (s *drawCtx) clockText(at time.Time) string {
	if t := s.Timeline; t != nil && s.ui.Offsets {
		return offset(at.Sub(t.Start), false)
	}
	return at.UTC().Format(time.TimeOnly)
}

// timeRight draws when something happened: the time of day, or in a recording how long after its start, as the timeline has it.
func (s *drawCtx) timeRight(row draw.Area, x, w int, style themes.Style, at time.Time) {
	if t := s.Timeline; t != nil && s.ui.Offsets {
		row.OffsetRight(x, 0, w, style, at.Sub(t.Start))
		return
	}
	row.ClockRight(x, 0, w, style, at)
}
