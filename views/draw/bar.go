package draw

import "orrery/themes"

// Bar draws a fraction as a bar of w columns on a dim track. It is a line and not a block, so that the bars of adjacent
// rows stay apart, and ends in a whole or half column.
func (a Area) Bar(x, y, w int, s themes.Style, fraction float64) {
	if w <= 0 {
		return
	}
	halves := int(min(max(fraction, 0), 1)*float64(2*w) + 0.5)
	if fraction > 0 && halves == 0 {
		halves = 1
	}
	full := halves / 2
	a.Repeat(x, y, full, s, '━')
	at := x + full
	if halves%2 > 0 {
		a.Set(at, y, s, '╸')
		at++
	}
	a.Repeat(at, y, x+w-at, track, '·')
}

// track is the style of the track behind a bar.
const track = themes.Style(themes.Border)

// Countdown draws the time left as a thin line that gets shorter.
func (a Area) Countdown(x, y, w int, s themes.Style, left float64) {
	full := clamp(int(min(max(left, 0), 1)*float64(w)+0.999), w)
	a.Repeat(x, y, full, s, '━')
	a.Repeat(x+full, y, w-full, track, '┄')
}

// Part is one share of a whole.
type Part struct {
	Count int
	Style themes.Style
	Fill  rune
}

// StackedBar draws the parts of a whole. Every part that is not zero gets at least a column, if there are enough
// columns.
func (a Area) StackedBar(x, y, w int, parts []Part) {
	total, kinds := 0, 0
	for _, p := range parts {
		total += max(p.Count, 0)
		if p.Count > 0 {
			kinds++
		}
	}
	if total == 0 || w <= 0 {
		a.Repeat(x, y, w, track, '·')
		return
	}
	spare := max(w-kinds, 0) // columns beyond the one that every kind has
	seen, end := 0, x
	given := 0
	for _, p := range parts {
		if p.Count <= 0 {
			continue
		}
		seen += p.Count
		share := spare*seen/total - given
		given += share
		n := min(share+1, x+w-end)
		a.Repeat(end, y, n, p.Style, p.Fill)
		end += n
	}
}
