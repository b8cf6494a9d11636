package draw

import "orrery/themes"

// Fade makes what was drawn in the area dim, and takes its ticks away: it is not said to be well, since nothing is known of it now.
func (a Area) Fade() {
	for y := a.Y; y < a.Y+a.H; y++ {
		for x := a.X; x < a.X+a.W; x++ {
			at := &a.c.cells[y*a.c.w+x]
			switch {
			case at.rune == '✓':
				at.rune = '·'
			case a.glyphs == ASCII && at.rune == toASCII('✓') && at.style.Token() == themes.Good: // others are corners
				at.rune = toASCII('·')
			}
			at.style = themes.Dim.With(at.style.Attr() & (themes.Reverse | themes.Selected))
		}
	}
}
