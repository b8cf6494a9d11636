package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

var helpPane = Pane{ID: HelpPane, Title: "Help", Digit: '?', minW: 30, minH: 4, body: drawHelp}

// helpColumns returns how many columns the keys and the signs need if no group is split.
func helpColumns(groups []KeyGroup, height int) int {
	columns, y := 1, 0
	for i := range len(groups) + 1 {
		rows := int(podStates)
		if i < len(groups) {
			rows = len(groups[i].Keys) + 1
		}
		if y > 0 && y+rows > height {
			columns, y = columns+1, 0
		}
		y += rows + 1
	}
	return columns
}

// drawHelp draws the keys by group, and the legend of the signs, in as many columns as fit.
func drawHelp(a draw.Area, s *drawCtx) {
	const width = 36
	columns := max(min(a.W/width, helpColumns(s.ui.Keys, a.H)), 1)
	w := a.W / columns
	column, y := 0, 0
	next := func(rows int) bool {
		if y > 0 && y+rows > a.H {
			column, y = column+1, 0
		}
		return column < columns
	}
	for _, g := range s.ui.Keys {
		if !next(min(len(g.Keys)+1, a.H)) {
			return
		}
		at := column * w
		a.Fit(at, y, w-2, themes.Title.With(themes.Bold), g.Name)
		y++
		for _, k := range g.Keys {
			if y >= a.H {
				break
			}
			a.Fit(at, y, 14, themes.Style(themes.Accent), k.Key)
			a.Fit(at+15, y, w-17, themes.Style(themes.Text), k.Action)
			y++
		}
		y++
	}
	if !next(int(podStates)) {
		return
	}
	at := column * w
	a.Fit(at, y, w-2, themes.Title.With(themes.Bold), "Symbols")
	for state := Active; state < podStates && y+1 < a.H; state++ {
		y++
		a.Set(at, y, themes.Style(state.Token()), state.Glyph())
		a.Fit(at+3, y, w-5, themes.Style(themes.Text), state.Word())
	}
}
