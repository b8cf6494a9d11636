package views

import (
	"strconv"

	"orrery/themes"
	"orrery/views/draw"
)

// Beside each other, the capacities and the limits need barsBeside columns.
const barsBeside = 72

// storageBars draws the capacity that is left by class and place, and beside it the attach limits of nodes, from a row on.
// It returns the row after them.
func storageBars(a draw.Area, y int, v *Storage) int {
	rows := max(min(a.H/4, max(len(v.Segments), 4)), 1)
	_, rest := a.Top(y)
	if a.W < barsBeside {
		return y + segmentRows(a.In(rest), v, rows)
	}
	left, right := rest.Left((rest.W - 3) / 2)
	_, right = right.Left(3)
	return y + max(segmentRows(a.In(left), v, rows), limitRows(a.In(right), v, rows))
}

// barRow is a row with a sign, a name, a bar and a value, which is short where there is little room.
type barRow struct {
	bad                bool
	name, value, short string
	fraction           float64
}

// segmentRows draws the capacities on at most rows rows below their heading, and returns how many rows it took.
func segmentRows(a draw.Area, v *Storage, rows int) int {
	if len(v.Segments) == 0 {
		return noBars(a, "storage left", "no driver publishes its capacity")
	}
	list := make([]barRow, min(len(v.Segments), rows))
	for i := range list {
		g := &v.Segments[i]
		left := g.Left + " left"
		list[i] = barRow{g.Asked != "", g.Class + " " + whereText(g.Place), left + " of " + g.Most, left, g.Fraction}
		if g.Asked != "" {
			list[i].value = left + ", " + g.Asked + " asked"
		}
	}
	return barRows(a, "storage left, by class and place", list, len(v.Segments)+v.MoreSegments)
}

// limitRows draws the attach limits.
func limitRows(a draw.Area, v *Storage, rows int) int {
	if len(v.Limits) == 0 {
		return noBars(a, "volumes attached", "no node has an attach limit")
	}
	list := make([]barRow, min(len(v.Limits), rows))
	for i := range list {
		l := &v.Limits[i]
		value := strconv.FormatInt(l.Attached, 10) + "/" + strconv.FormatInt(l.Limit, 10)
		fraction := 1.0
		if l.Limit > 0 {
			fraction = float64(l.Attached) / float64(l.Limit)
		}
		list[i] = barRow{l.Attached >= max(l.Limit, 1), l.Node, value + " " + l.Driver, value, fraction}
	}
	return barRows(a, "volumes attached, by node", list, len(v.Limits)+v.MoreLimits)
}

func noBars(a draw.Area, title, text string) int {
	drawHeading(a, 0, title)
	a.Fit(0, 1, a.W, themes.Style(themes.Dim), text)
	return 2
}

// The widths in a row of bars: the sign, and the least that a bar is worth.
const (
	barSign = 2
	leanBar = 6
)

// barRows draws a heading with how many rows of all are shown, and the rows.
func barRows(a draw.Area, title string, list []barRow, all int) int {
	if all > len(list) {
		title += ", " + strconv.Itoa(len(list)) + " of " + strconv.Itoa(all)
	}
	drawHeading(a, 0, title)
	name, value := barWidths(list, a.W)
	bar := min(max(a.W-barSign-name-value-2, 0), 60)
	for i := range list {
		b, row := &list[i], a.Row(i+1)
		glyph, token := '✓', themes.Heat(b.fraction)
		if b.bad {
			glyph, token = '✗', themes.Bad
		}
		style := themes.Style(token)
		row.Set(0, 0, style, glyph)
		row.FitHost(barSign, 0, name, themes.Style(themes.Text), b.name)
		row.Bar(barSign+name+1, 0, bar, style, b.fraction)
		row.Fit(barSign+name+bar+2, 0, value, themes.Style(themes.Text), b.value)
	}
	return len(list) + 1
}

// barWidths returns the widths of names and values. It shortens the values before the names.
func barWidths(list []barRow, w int) (name, value int) {
	short := 0
	for i := range list {
		name, value, short = max(name, draw.Width(list[i].name)), max(value, draw.Width(list[i].value)), max(short, draw.Width(list[i].short))
	}
	name = min(name, 40)
	if barSign+name+leanBar+value+2 > w {
		value = short
		for i := range list {
			list[i].value = list[i].short
		}
	}
	value = min(value, w/2)
	return max(min(name, w-value-barSign-leanBar-2), 4), value
}
