package views

import (
	"time"

	"orrery/core/objects/saturating"
	"orrery/themes"
	"orrery/views/draw"
)

// captionHeight is the least height of a screen that has room for a caption.
const captionHeight = 20

// captioned reports whether a person has written what happens in the recording.
func (t *Timeline) captioned() bool {
	if t.Title != "" {
		return true
	}
	for i := range t.Marks {
		if t.Marks[i].Annotated {
			return true
		}
	}
	return false
}

// caption returns the last note or news at or before the present, and its time; before the first it is the title.
func (t *Timeline) caption() (text string, at time.Time) {
	text, at = t.Title, t.Start
	for i := range t.Marks {
		if m := &t.Marks[i]; (m.Annotated || m.News) && !m.At.After(t.At) {
			text, at = m.Label, m.At
		}
	}
	return text, at
}

// drawCaption draws what the recording says of the present, after the time since when that holds.
func drawCaption(a draw.Area, t *Timeline) {
	text, at := t.caption()
	if text == "" {
		return
	}
	x := a.Text(1, 0, themes.Accent.With(themes.Bold), wholeSpan(max(at.Sub(t.Start), 0))+":")
	a.Fit(x+1, 0, a.W-x-2, themes.Text.With(themes.Bold), text)
}

// wholeSpan formats a duration in whole seconds, from an hour on in larger units: 52s, 1m04s, 2h.
func wholeSpan(d time.Duration) string {
	if d < time.Minute {
		return string(draw.AppendAge(nil, d))
	}
	return string(draw.AppendSpan(nil, d))
}

// The widths of the next mark behind the timeline, in words and as a sign, and the widths of the screens that have room for
// it. They do not depend on the mark, so that the track keeps its length.
const (
	nextMarkWords, nextMarkWordsFrom = 41, 120
	nextMarkSign, nextMarkSignFrom   = 10, 72
)

// nextMarkRoom returns the columns for the next mark on a screen of a width.
func nextMarkRoom(width int) int {
	switch {
	case width >= nextMarkWordsFrom:
		return nextMarkWords
	case width >= nextMarkSignFrom:
		return nextMarkSign
	}
	return 0
}

// drawNextMark draws the kind of the next mark, how long it is until then, and the key that goes there.
func drawNextMark(a draw.Area, t *Timeline) {
	next := nextMark(t)
	dim, key := themes.Style(themes.Dim), themes.Style(themes.Accent)
	// The time is rounded up, so that a mark is not due before it is there.
	in := func() string { return wholeSpan(saturating.Add(next.At.Sub(t.At), time.Second-1)) }
	switch {
	case next == nil && a.W >= nextMarkWords:
		a.Text(0, 0, dim, "no mark after this")
	case next == nil:
	case a.W < nextMarkWords:
		a.Text(0, 0, key, "}")
		a.Set(2, 0, next.style(), next.glyph())
		a.Fit(4, 0, a.W-4, dim, in())
	default:
		x := a.Text(0, 0, dim, "next: ")
		a.Set(x, 0, next.style(), next.glyph())
		x = a.Fit(x+2, 0, 14, themes.Style(themes.Text), next.Kind)
		x = a.Text(x, 0, dim, " in "+in()+", ")
		x = a.Text(x, 0, key, "}")
		a.Fit(x, 0, a.W-x, dim, " jumps")
	}
}
