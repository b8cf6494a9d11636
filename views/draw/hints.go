package draw

import "orrery/themes"

// Hint is a key and what it does.
type Hint struct{ Key, Action string }

// Hints draws as many hints as a row holds: keys with words, else keys alone, else only the help key. It cuts no hint.
func (a Area) Hints(hints []Hint) { a.HintsAt(hints, func(Hint, Rect) {}) }

// HintsAt draws hints, and reports where each is.
func (a Area) HintsAt(hints []Hint, at func(Hint, Rect)) {
	const gap = 3
	full, keys := 0, 0
	for _, h := range hints {
		full += Width(h.Key) + 1 + Width(h.Action) + gap
		keys += Width(h.Key) + 1
	}
	x := 1
	draw := func(h Hint, words string) {
		from := x
		x = a.Text(x, 0, themes.Style(themes.Accent), h.Key)
		if words != "" {
			x = a.Text(x+1, 0, themes.Style(themes.Dim), words)
		}
		at(h, Rect{X: a.X + from, Y: a.Y, W: x - from, H: 1})
	}
	switch {
	case x+full-gap < a.W:
		for _, h := range hints {
			draw(h, h.Action)
			x += gap
		}
	case x+keys+len("? help") <= a.W:
		for _, h := range hints {
			if h.Key != "?" {
				draw(h, "")
				x++
			}
		}
		fallthrough
	default:
		if x+len("? help") <= a.W {
			draw(Hint{Key: "?"}, "help")
		}
	}
}
