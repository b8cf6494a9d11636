package draw

import (
	"strings"

	"orrery/themes"
)

// Frame is the border of a pane and the text on it.
type Frame struct {
	// Digit is the key that opens the pane; zero for none.
	Digit byte
	Title string
	// Right are facts at the right end of the top line, with " · " between them; the first ones are shown where not all fit.
	Right string
	// Focused means that the pane has the focus.
	Focused bool
	// Border is the colour of the lines without the focus.
	Border themes.Token
}

// Box draws a frame around the area and returns the inside.
func (a Area) Box(f Frame) Area {
	if a.W < 2 || a.H < 2 {
		return a
	}
	line := themes.Style(f.Border)
	title := themes.Text.With(0)
	if f.Focused {
		line, title = themes.Style(themes.Focus), themes.Title.With(themes.Bold)
	}
	a.edge(line)
	x := 2
	if f.Digit != 0 && a.W > 6 {
		a.Set(x, 0, line, ' ')
		a.Set(x+1, 0, themes.Accent.With(themes.Bold), rune(f.Digit))
		x += 2
	}
	if room := a.W - x - 3; room > 2 {
		a.Set(x, 0, line, ' ')
		x = a.Fit(x+1, 0, room-1, title, f.Title)
		a.Set(x, 0, line, ' ')
		x++
	}
	right := shortened(f.Right, a.W-x-4)
	if w := Width(right); w > 0 {
		at := a.W - w - 4
		a.Set(at, 0, line, ' ')
		at = a.Text(at+1, 0, themes.Style(themes.Dim), right)
		a.Set(at, 0, line, ' ')
	}
	a.Rect = a.Inset(1, 1)
	return a
}

// shortened drops the last of several facts until the others fit in a width, with an ellipsis in their place; empty if not
// even the first fits.
func shortened(facts string, width int) string {
	const between, more = " · ", " · …"
	if Width(facts) <= width {
		return facts
	}
	for {
		last := strings.LastIndex(facts, between)
		if last < 0 {
			return ""
		}
		if facts = facts[:last]; Width(facts)+len([]rune(more)) <= width {
			return facts + more
		}
	}
}

func (a Area) edge(s themes.Style) {
	right, bottom := a.W-1, a.H-1
	a.Repeat(1, 0, a.W-2, s, '─')
	a.Repeat(1, bottom, a.W-2, s, '─')
	for y := 1; y < bottom; y++ {
		a.Set(0, y, s, '│')
		a.Set(right, y, s, '│')
	}
	a.Set(0, 0, s, '╭')
	a.Set(right, 0, s, '╮')
	a.Set(0, bottom, s, '╰')
	a.Set(right, bottom, s, '╯')
}

// Padded returns the area with a free column on either side, if it is wide enough.
func (a Area) Padded() Area {
	if a.W > 8 {
		a.Rect = a.Inset(1, 0)
	}
	return a
}
