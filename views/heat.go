package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// heatLabel is the width of the zone names and their means beside the map.
const heatLabel = 17

// heatPlan is the layout of a map: its rows, the nodes per cell, and the columns per cell.
type heatPlan struct{ rows, perCell, wide int }

// planHeat lays a map out in a width and a maximum of rows. A cell is normally one node; few nodes get wider cells, and
// very many share cells.
func planHeat(zones []HeatZone, width, most int) heatPlan {
	w := max(width-heatLabel, 1)
	p := heatPlan{perCell: 1, wide: 1}
	longest := 1
	for i := range zones {
		longest = max(longest, len(zones[i].Cells))
	}
	if fit := w / longest; fit > 1 {
		p.wide = min(fit, 4)
	}
	for ; ; p.perCell++ {
		p.rows = 0
		single := true
		for i := range zones {
			cells := (len(zones[i].Cells) + p.perCell - 1) / p.perCell
			lines := max((cells*p.wide+w-1)/w, 1)
			single = single && lines == 1
			p.rows += lines
		}
		if p.rows <= most || single {
			p.rows = min(p.rows, max(most, 1))
			return p
		}
	}
}

// drawHeat draws a cell for every node: the glyph's height and the colour show how much is allocated.
func drawHeat(a draw.Area, zones []HeatZone, p heatPlan) {
	mapped, legend := a.Top(p.rows)
	heatLegend(a.In(legend), p.perCell)
	a = a.In(mapped)
	perRow := max((a.W-heatLabel)/p.wide, 1)
	y := 0
	for i := range zones {
		if y >= a.H {
			return
		}
		z := &zones[i]
		heatZone(a.Row(y), z)
		cells := (len(z.Cells) + p.perCell - 1) / p.perCell
		for j := range cells {
			if j > 0 && j%perRow == 0 {
				if y++; y >= a.H {
					return
				}
			}
			heatCell(a, heatLabel+j%perRow*p.wide, y, p.wide, z.Cells[j*p.perCell:min((j+1)*p.perCell, len(z.Cells))])
		}
		y++
	}
}

// heatZone draws a zone's name and its mean allocation.
func heatZone(row draw.Area, z *HeatZone) {
	name := z.Name
	if name == "" {
		name = "no zone"
	}
	row.Fit(0, 0, heatLabel-6, themes.Style(themes.Dim), name)
	if len(z.Cells) == 0 {
		return
	}
	level := 0
	for _, c := range z.Cells {
		level += int(c.Level)
	}
	row.PercentRight(heatLabel-6, 0, 5, themes.Style(themes.Text), float64(level)/float64(255*len(z.Cells)))
}

// changedAttrs mark a node that has just changed. They leave the glyph and the colour, which are its allocation.
const changedAttrs = themes.Bold | themes.Underline

// heatCell draws some nodes as one cell: their mean allocation, and the gravest flag of any.
func heatCell(a draw.Area, x, y, wide int, cells []HeatCell) {
	level := 0
	var flags NodeFlags
	for _, c := range cells {
		level += int(c.Level)
		flags |= c.Flags
	}
	if len(cells) > 1 {
		flags &^= Fading
	}
	fraction := float64(level) / float64(255*len(cells))
	style, glyph := themes.Style(themes.Heat(fraction)), a.Level(fraction)
	switch {
	case flags&NotReady != 0:
		style, glyph = themes.Bad.With(themes.Bold), '✗'
	case flags&Cordoned != 0:
		style, glyph = themes.Style(themes.Warn), '⊘'
	case flags&Changed != 0:
		style = themes.Heat(fraction).With(changedAttrs)
	case flags&Fading != 0:
		style = themes.Heat(fraction).With(themes.Bold)
	}
	a.Repeat(x, y, max(wide-1, 1), style, glyph)
}

func heatLegend(a draw.Area, perCell int) {
	x := 0
	for i := range themes.HeatSteps {
		fraction := float64(i) / float64(themes.HeatSteps)
		a.Set(x, 0, themes.Style(themes.Heat(fraction)), a.Level(fraction))
		x++
	}
	r := rowWriter{a: a, x: x - 1}
	dim := themes.Style(themes.Dim)
	r.legend(dim, "", "allocated").legend(themes.Text.With(changedAttrs), string(a.Level(0.5)), "changed")
	r.legend(themes.Style(themes.Warn), "⊘", "cordoned").legend(themes.Style(themes.Bad), "✗", "not ready")
	if perCell > 1 {
		r.legend(dim, "", "a cell is "+countNodes(perCell))
	}
}
