package draw

import "orrery/themes"

// Hint is a key and what it does.
type Hint struct{ Key, Action string }

// Hints draws as many hints as a row holds: keys with words, else keys alone, else only the help key. It cuts no hint.
func (a Area) Hints(hints []Hint) {
	const gap = 3
	full, keys := 0, 0
	for _, h := range hints {
		full += Width(h.Key) + 1 + Width(h.Action) + gap
		keys += Width(h.Key) + 1
	}
	x := 1
	switch {
	case x+full-gap < a.W:
		for _, h := range hints {
			x = a.Text(x, 0, themes.Style(themes.Accent), h.Key)
			x = a.Text(x+1, 0, themes.Style(themes.Dim), h.Action) + gap
		}
	case x+keys+len("? help") <= a.W:
		for _, h := range hints {
			if h.Key != "?" {
				x = a.Text(x, 0, themes.Style(themes.Accent), h.Key) + 1
			}
		}
		fallthrough
	default:
		if x+len("? help") <= a.W {
			x = a.Text(x, 0, themes.Style(themes.Accent), "?")
			a.Text(x+1, 0, themes.Style(themes.Dim), "help")
		}
	}
}
