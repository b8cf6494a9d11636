package views

import (
	"orrery/themes"
	"orrery/views/draw"
)

// heatLabel is the width of the zone names beside the map.
const heatLabel = 13

// heatRows says how many rows the map takes in a width, and how many nodes share a cell so that it takes no more than
// most rows. One node a cell is the rule.
func heatRows(zones []HeatZone, width, most int) (rows, perCell int) {
	w := max(width-heatLabel, 1)
	for perCell = 1; ; perCell++ {
		rows = 0
		single := true
		for i := range zones {
			cells := (len(zones[i].Cells) + perCell - 1) / perCell
			lines := max((cells+w-1)/w, 1)
			single = single && lines == 1
			rows += lines
		}
		if rows <= most || single {
			return min(rows, max(most, 1)), perCell
		}
	}
}

// drawHeat is a cell for every node: how high the glyph and how warm the colour say how much is allocated.
func drawHeat(a draw.Area, zones []HeatZone, rows, perCell int) {
	mapped, legend := a.Top(rows)
	heatLegend(a.In(legend), perCell)
	a = a.In(mapped)
	w := max(a.W-heatLabel, 1)
	y := 0
	for i := range zones {
		if y >= a.H {
			return
		}
		z := &zones[i]
		a.Fit(0, y, heatLabel-1, themes.Style(themes.Dim), z.Name)
		cells := (len(z.Cells) + perCell - 1) / perCell
		for j := range cells {
			if j > 0 && j%w == 0 {
				if y++; y >= a.H {
					return
				}
			}
			heatCell(a, heatLabel+j%w, y, z.Cells[j*perCell:min((j+1)*perCell, len(z.Cells))])
		}
		y++
	}
}

// heatCell draws some nodes as one: how full they are in the mean, and whatever is particular about any.
func heatCell(a draw.Area, x, y int, cells []HeatCell) {
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
	switch {
	case flags&NotReady != 0:
		a.Set(x, y, themes.Bad.With(themes.Bold), '✗')
	case flags&Cordoned != 0 && (len(cells) == 1 || flags&Changed == 0):
		a.Set(x, y, themes.Style(themes.Warn), '⊘')
	case flags&Changed != 0:
		a.Set(x, y, themes.Focus.With(themes.Bold), '◆')
	case flags&Fading != 0:
		a.Set(x, y, themes.Style(themes.Heat(fraction)), '◇')
	default:
		a.Set(x, y, themes.Style(themes.Heat(fraction)), a.Level(fraction))
	}
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
