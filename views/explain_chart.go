package views

import (
	"strconv"
	"strings"

	"orrery/core/answers/answer"
	"orrery/core/objects/saturating"
	"orrery/themes"
	"orrery/views/draw"
)

// A chart's names are no wider than chartName, and its bars between minBar and maxBar; a bar of goodBar columns is worth
// the domains of the names.
const (
	chartName = 30
	minBar    = 8
	goodBar   = 20
	maxBar    = 48
)

// explainCharts draws as many charts as there is room for above a row, and returns the row after them, and whether these
// are all. A chart is left out rather than cut to less than two bars.
func explainCharts(a draw.Area, y, last int, charts []answer.Chart) (next int, all bool) {
	for i := range charts {
		c := &charts[i]
		bars := min(len(c.Bars), last-y-1)
		if bars < min(len(c.Bars), 2) {
			return y, false
		}
		drawHeading(a, y, chartTitle(c, a.W))
		y = chartRows(a, y+1, c, bars) + 1
	}
	return y, true
}

// chartTitle has the longest legend that fits.
func chartTitle(c *answer.Chart, w int) string {
	for _, legend := range [...]string{c.Legend, c.ShortLegend} {
		if with := c.Title + ", " + legend; draw.Width(with) <= w {
			return with
		}
	}
	return c.Title
}

// chartRows draws the bars, and returns the row after them.
func chartRows(a draw.Area, y int, c *answer.Chart, bars int) int {
	name, bar := chartWidths(c.Bars[:bars], a.W)
	for i := range bars {
		b := &c.Bars[i]
		row, style, glyph := a.Row(y), themes.Style(themes.Bad), '✗'
		if b.OK {
			style, glyph = themes.Style(themes.Good), '✓'
		}
		row.Set(0, 0, style, glyph)
		row.FitHost(2, 0, name, themes.Style(themes.Text), b.Name)
		chartBar(row, name+3, bar, c, b, style)
		x := row.Fit(name+bar+4, 0, row.W-name-bar-4, themes.Style(themes.Text), b.Value)
		if more := "and " + strconv.Itoa(c.More+len(c.Bars)-bars) + " more"; i == bars-1 && c.More+len(c.Bars) > bars && x+2+len(more) <= row.W {
			row.Text(x+2, 0, themes.Style(themes.Dim), more)
		}
		y++
	}
	return y
}

// chartWidths returns the widths of the names and of the bars. Values are never cut; names lose their domains first.
func chartWidths(bars []answer.Bar, w int) (name, bar int) {
	whole, host, value := 0, 0, 0
	for i := range bars {
		whole, value = max(whole, draw.Width(bars[i].Name)), max(value, draw.Width(bars[i].Value))
		label, _, cut := strings.Cut(bars[i].Name, ".")
		if cut {
			label += "…"
		}
		host = max(host, draw.Width(label))
	}
	const gaps = 5 // the sign, and the blanks between the columns
	name = min(whole, chartName)
	if w-name-value-gaps < goodBar {
		name = min(host, chartName)
	}
	name = max(min(name, w-value-gaps-minBar), minBar)
	return name, max(min(w-name-value-gaps, maxBar), 0)
}

// chartBar draws an amount, what comes on top of it, the band of what is allowed, and the mark.
func chartBar(row draw.Area, x, w int, c *answer.Chart, b *answer.Bar, style themes.Style) {
	band := '░'
	if row.Glyphs() == draw.ASCII {
		band = ':' // the sign for what comes on top looks like a shade
	}
	at := func(amount int64) int { return chartColumn(c, amount, w) }
	mark, amount := min(at(c.Mark), w-1), at(b.Amount)
	if b.Amount > c.From {
		amount = max(amount, 1)
	}
	end := amount
	if b.Extra > 0 {
		end = max(at(saturating.Add(b.Amount, b.Extra)), amount+1)
	}
	for i := range w {
		switch {
		case i == mark:
			row.Set(x+i, 0, themes.Text.With(themes.Bold), '│')
		case i < amount:
			row.Set(x+i, 0, style, '━')
		case i < end:
			row.Set(x+i, 0, style, '┄')
		case i >= at(c.Allowed) && i < mark:
			row.Set(x+i, 0, themes.Style(themes.Good), band)
		default:
			row.Set(x+i, 0, themes.Style(themes.Border), '·')
		}
	}
}

// chartColumn returns the column of an amount in a bar of w columns.
func chartColumn(c *answer.Chart, amount int64, w int) int {
	part := float64(amount-c.From) / float64(max(c.To-c.From, 1))
	return int(min(max(part, 0), 1)*float64(w) + 0.5)
}
