package views

import (
	"slices"
	"strconv"

	"orrery/themes"
	"orrery/views/draw"
)

// lanes maps columns to passes. A column is one pass, or several if the last search examined more than fit. The columns
// begin where the whole search is in view, and after the last pass comes the first.
type lanes struct {
	*Zones
	first   int // the pass of the first column
	per     int // passes a column
	columns int
	step    int // the distance of columns: short lanes leave room for the thread between them
}

// lanesFor fits the lanes, with their labels, into a width.
func lanesFor(z *Zones, width int) lanes {
	if z.Passes == 0 {
		return lanes{Zones: z, step: 1, per: 1}
	}
	room, passes := max(width-laneLabel, 1), z.Passes
	l := lanes{Zones: z, per: 1, columns: passes, step: min(max(room/passes, 1), 4)}
	if passes <= room {
		return l
	}
	l.columns = room
	if window := min(z.WindowPasses+1, passes); window <= room { // with the next start index
		// A first pass that moves in steps leaves most searches where they are on the screen.
		l.first = z.WindowPass - z.WindowPass%max((room-window)/2, 1)
	} else {
		l.per = (window + room - 1) / room
		l.first = z.WindowPass
		l.columns = min(room, (passes+l.per-1)/l.per)
	}
	if end := passes - l.columns*l.per; l.first > end && z.WindowPass+z.WindowPasses < passes {
		l.first = max(end, 0)
	}
	return l
}

// column returns the column of a pass; false if it is out of view.
func (l *lanes) column(pass int) (int, bool) {
	if l.columns == 0 {
		return 0, false
	}
	c := (pass - l.first + l.Passes) % l.Passes / l.per
	return c, c < l.columns
}

// cell returns what a column of a lane shows: of several passes the most notable, a feasible node before a rejected one.
func (l *lanes) cell(lane, c int) LaneCell {
	cells, found := l.Lanes[lane].Cells, NoNode
	for i := range min(l.per, l.Passes-c*l.per) {
		if pass := (l.first + c*l.per + i) % l.Passes; pass < len(cells) && notability[cells[pass]] > notability[found] {
			found = cells[pass]
		}
	}
	return found
}

var notability = [...]int{NoNode: 0, NotVisited: 1, Visited: 2, Rejected: 3, Feasible: 4, Chosen: 5}

// drawPasses numbers the passes, marks the next start index, and says that there are more passes than columns.
func (l *lanes) drawPasses(a draw.Area) {
	label := "pass"
	if l.per > 1 {
		label = strconv.Itoa(l.per) + " passes each"
	}
	a.Fit(1, 0, laneLabel-2, themes.Style(themes.Dim), label)
	for c := range l.columns {
		pass := (l.first + c*l.per) % l.Passes
		if number := strconv.Itoa(pass); (l.per == 1 && pass%10 == 0 || l.per > 1 && c%10 == 0) && laneLabel+c*l.step+len(number) < a.W {
			a.Text(laneLabel+c*l.step, 0, themes.Style(themes.Border), number)
		}
	}
	if l.columns*l.per < l.Passes {
		a.Set(a.W-1, 0, themes.Style(themes.Dim), '…')
	}
	if c, shown := l.column(l.StartPass); shown {
		a.Set(laneLabel+c*l.step, 0, themes.Focus.With(themes.Bold), '▼')
	}
}

// draw draws a row for every zone and, if there is room, the thread between them.
func (l *lanes) draw(a draw.Area) {
	gap := 1
	if a.H >= 2*len(l.Lanes)-1 {
		gap = 2
	}
	start, shown := l.column(l.StartPass)
	for i := range l.Lanes {
		y := i * gap
		if y >= a.H {
			return
		}
		drawLaneLabel(a.Row(y), l.Zones, i)
		for c := range l.columns {
			cell := l.cell(i, c)
			look := laneStyles[cell]
			style := themes.Style(look.token)
			x := laneLabel + c*l.step
			if shown && i == l.StartLane && c == start {
				style = style.With(themes.Bold | themes.Reverse)
			}
			a.Set(x, y, style, look.glyph)
			if gap == 2 {
				l.drawThread(a, i, c, x, y, cell)
			}
		}
	}
}

// drawThread draws the thread of a pass from a lane to the one below. It skips zones that have no more nodes.
func (l *lanes) drawThread(a draw.Area, lane, c, x, y int, cell LaneCell) {
	if !l.visitedIn(l.Lanes[lane+1:], lane+1, c) {
		return
	}
	above := l.visitedIn(l.Lanes[:lane], 0, c)
	if cell == NoNode && above {
		a.Set(x, y, themes.Style(themes.Border), '│')
	}
	if visited(cell) || above {
		a.Set(x, y+1, themes.Style(themes.Border), '│')
	}
}

// visitedIn reports whether the last search visited a node of a column in some of the lanes, the first of which is from.
func (l *lanes) visitedIn(some []Lane, from, c int) bool {
	return slices.ContainsFunc(some, func(Lane) bool {
		from++
		return visited(l.cell(from-1, c))
	})
}

// visited reports whether the last search visited the node.
func visited(c LaneCell) bool { return c >= Visited }
