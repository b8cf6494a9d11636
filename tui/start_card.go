package tui

import (
	"cmp"
	"time"

	"orrery/themes"
	"orrery/views/draw"
)

// startCardTime is how long the start card stays, in time in which the recording plays.
const startCardTime = 7 * time.Second

// startCardText says what the screen shows.
const startCardText = "A Kubernetes scheduler at work, live or recorded: ask it what is wrong, why, and what would help."

// startCardKeys are the keys that the start card names, in rows: what to ask, and how to get about.
var startCardKeys = [...][]draw.Hint{
	{{Key: "!", Action: "worst trouble"}, {Key: "e", Action: "why"}, {Key: "w", Action: "what would help"}, {Key: "0", Action: "the picture"}},
	{{Key: "space", Action: "pause"}, {Key: "}", Action: "next mark"}, {Key: "?", Action: "all keys"}, {Key: "??", Action: "a tour"}},
}

// closeStartCard closes the start card on any key. It reports whether the key has done its work: enter and esc only close the
// card, and every other key does what it always does.
func (s *Screen) closeStartCard(key string) (done bool) {
	if !s.startCard {
		return false
	}
	s.startCard = false
	return key == "enter" || key == "esc"
}

// drawStartCard draws the start card at the bottom of an area, so that the panes above it are seen to move.
func (s *Screen) drawStartCard(a draw.Area) {
	const most, height, gap = 72, 11, 3
	t, f := s.frame.Model.Timeline, s.frame
	w, h := min(most, a.W), min(height, a.H)
	at := a.In(draw.Rect{X: a.X + (a.W-w)/2, Y: a.Y + a.H - h, W: w, H: h})
	at.Fill(themes.Style(themes.Text), ' ')
	at = at.Box(draw.Frame{Title: "orrery", Focused: true}).Padded()
	text, dim := themes.Style(themes.Text), themes.Style(themes.Dim)
	y := at.Wrap(0, 0, at.W, 3, text, startCardText) + 1
	at.Fit(0, y, at.W, themes.Title.With(themes.Bold), cmp.Or(t.Title, f.Model.Header.Source))
	y++
	if t.Opened > 0 {
		x := at.Text(0, y, dim, "opened at "+wholeSeconds(t.Opened)+" of "+wholeSeconds(t.End.Sub(t.Start))+"; ")
		x = at.Text(x, y, themes.Style(themes.Accent), "^")
		at.Fit(x, y, at.W-x, dim, " plays the whole from its start")
		y++
	}
	for i, row := range startCardKeys {
		x := 0
		for _, k := range row {
			x = at.Text(x, y+i, themes.Accent.With(themes.Bold), k.Key)
			x = at.Text(x+1, y+i, text, k.Action) + gap
		}
	}
	foot, _ := at.Bottom(1)
	closes := "any key closes this"
	if f.Playing {
		closes += ", or " + wholeSeconds(startCardTime-f.Played+time.Second-1)
	}
	at.In(foot).Fit(0, 0, at.W, dim, closes)
}

// wholeSeconds formats a duration without fractions of seconds.
func wholeSeconds(d time.Duration) string { return d.Truncate(time.Second).String() }
