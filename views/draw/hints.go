package draw

import "orrery/themes"

// Hint is a key and what it does.
type Hint struct{ Key, Does string }

// Hints draws as much about the keys as a row holds: keys with words, else keys alone, else how to get help. It says
// nothing that is not so, and never half of it.
func (a Area) Hints(hints []Hint) {
	const gap = 3
	full, keys := 0, 0
	for _, h := range hints {
		full += Width(h.Key) + 1 + Width(h.Does) + gap
		keys += Width(h.Key) + 1
	}
	x := 1
	switch {
	case x+full-gap < a.W:
		for _, h := range hints {
			x = a.Text(x, 0, themes.Style(themes.Accent), h.Key)
			x = a.Text(x+1, 0, themes.Style(themes.Dim), h.Does) + gap
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
