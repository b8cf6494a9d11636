package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// heatLabel is the width of the zone names and their means beside the map.
const heatLabel = 17

// heatPlan is how a map is laid out: in so many rows, with so many nodes to a cell, and cells so wide.
type heatPlan struct{ rows, perCell, wide int }

// planHeat lays a map out in a width and at most so many rows. One node a cell is the rule; where there are few, the cells
// grow until they are seen from afar, and where there are very many, a cell is several nodes.
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

// drawHeat is a cell for every node: how high the glyph and how warm the colour say how much is allocated.
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

// heatZone is a zone's name and how much of it is allocated in the mean.
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

// heatCell draws some nodes as one: how full they are in the mean, and whatever is particular about any.
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
	case flags&Cordoned != 0 && (len(cells) == 1 || flags&Changed == 0):
		style, glyph = themes.Style(themes.Warn), '⊘'
	case flags&Changed != 0:
		style, glyph = themes.Focus.With(themes.Bold), '◆'
	case flags&Fading != 0:
		style, glyph = themes.Style(themes.Focus), '◇'
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
	r := run{a: a, x: x - 2}
	r.sign(themes.Dim, "", "allocated")
	r.sign(themes.Focus, "◆", "changed").sign(themes.Warn, "⊘", "cordoned").sign(themes.Bad, "✗", "not ready")
	if perCell > 1 {
		r.sign(themes.Dim, "", "a cell is "+nodes(perCell))
	}
}
