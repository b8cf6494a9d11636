package views

import (
	"slices"
	"strconv"
	"strings"

	"orrery/themes"
	"orrery/views/draw"
)

var zonesPane = Pane{
	ID: ZonesPane, Title: "Zones", Help: "the order in which nodes are examined, by zone", Digit: '4', Opens: NodePane,
	minW: 24, minH: 3, body: drawZones, drawLine: stripZones, borderFact: zonesRight,
}

var laneStyles = [...]struct {
	glyph rune
	token themes.Token
}{
	NoNode:     {' ', themes.Dim},
	NotVisited: {'·', themes.Dim},
	Visited:    {'○', themes.Accent},
	Feasible:   {'●', themes.Good},
	Rejected:   {'✗', themes.Bad},
	Chosen:     {'★', themes.Focus},
}

// laneLabel is the width of a lane's number and zone.
const laneLabel = 18

func zonesRight(m *Model) string {
	if m.Zones == nil {
		return ""
	}
	return "next start index " + strconv.Itoa(m.Zones.Start) + " of " + strconv.Itoa(m.Zones.Nodes)
}

// drawZones draws the node order: zones as lanes, the order as a thread that runs down through them pass by pass, and a
// mark at the next start index.
func drawZones(a draw.Area, s *drawCtx) {
	z := s.Zones
	if z == nil {
		drawAbsent(a, "no node order is known yet")
		return
	}
	zonesFacts(a.Row(0), z)
	if len(z.Searches) > 0 && a.H >= 2*len(z.Lanes)+12 {
		lanes, below := a.Top(2*len(z.Lanes) + 5)
		zonesBelow(a.In(below), z, s)
		a.Rect = lanes
	}
	if a.H >= len(z.Lanes)+5 {
		bottom, rest := a.Bottom(1)
		zonesLegend(a.In(bottom))
		a.Rect = rest
	}
	top := 1
	if a.H >= len(z.Lanes)+3 {
		top = 2
		if z.Pod != "" {
			drawSearchTarget(a.Row(1), z)
		}
	}
	if a.H >= 2*len(z.Lanes)+4 {
		top = 3
	}
	_, rest := a.Top(top)
	a = a.In(rest)
	drawPasses(a.Row(0), z)
	_, rest = a.Top(1)
	drawLanes(a.In(rest), z)
}

// zonesFacts draws the counts of the last search. The signs are those of the lanes.
func zonesFacts(a draw.Area, z *Zones) {
	for _, words := range [...][3]string{{"examined", "feasible", "rejected"}, {"exam.", "feasible", "rejected"}, {"exam.", "feas.", "rej."}} {
		r := rowWriter{a: a}
		r.number(themes.Style(themes.Accent), "○ ", z.Examined, words[0])
		r.number(themes.Style(themes.Good), "● ", z.Feasible, words[1])
		r.number(themes.Style(themes.Bad), "✗ ", z.Rejected, words[2])
		if !r.full {
			return
		}
		blankRow(a, 0)
	}
}

// drawSearchTarget draws the pod of the last search, and the chosen node.
func drawSearchTarget(a draw.Area, z *Zones) {
	dim := themes.Style(themes.Dim)
	x := a.Text(0, 0, dim, "for ")
	name := strings.TrimPrefix(z.Pod, "default/")
	x = a.FitPath(x, 0, max(a.W-x-draw.Width(z.Chosen)-3, 12), themes.Style(themes.Text), name)
	if z.Chosen != "" {
		a.Set(x+1, 0, themes.Style(themes.Focus), '★')
		a.FitHost(x+3, 0, a.W-x-3, themes.Style(themes.Text), z.Chosen)
	}
}

// laneStep returns the distance between the nodes of a lane: short lanes leave room for the thread between them.
func laneStep(a draw.Area, z *Zones) int {
	return min(max((a.W-laneLabel)/max(z.Passes, 1), 1), 4)
}

// drawPasses numbers the passes, and marks the next one.
func drawPasses(a draw.Area, z *Zones) {
	step := laneStep(a, z)
	a.Text(3, 0, themes.Style(themes.Dim), "pass")
	for c := 0; laneLabel+c*step < a.W && c < z.Passes-z.FirstPass; c++ {
		if round := z.FirstPass + c; round%10 == 0 {
			a.Text(laneLabel+c*step, 0, themes.Style(themes.Border), strconv.Itoa(round))
		}
	}
	if x := laneLabel + z.StartColumn*step; z.StartColumn >= 0 && x < a.W {
		a.Set(x, 0, themes.Focus.With(themes.Bold), '▼')
	}
}

// drawLanes draws a row for every zone and, if there is room, the thread between them.
func drawLanes(a draw.Area, z *Zones) {
	gap := 1
	if a.H >= 2*len(z.Lanes)-1 {
		gap = 2
	}
	for i := range z.Lanes {
		y := i * gap
		if y >= a.H {
			return
		}
		lane := &z.Lanes[i]
		drawLaneLabel(a.Row(y), z, i)
		for c, cell := range lane.Cells {
			look := laneStyles[cell]
			style := themes.Style(look.token)
			x := laneLabel + c*laneStep(a, z)
			if i == z.StartLane && c == z.StartColumn {
				style = style.With(themes.Bold | themes.Reverse)
			}
			a.Set(x, y, style, look.glyph)
			if cell == NoNode && gap == 2 && visitedBelow(z, i, c) && visitedAbove(z, i, c) {
				a.Set(x, y, themes.Style(themes.Border), '│')
			}
			if gap == 2 && visitedBelow(z, i, c) && (visited(cell) || visitedAbove(z, i, c)) {
				a.Set(x, y+1, themes.Style(themes.Border), '│')
			}
		}
	}
}

// visitedBelow and visitedAbove report whether the thread of a pass continues to a lane below, or comes from one above:
// it skips zones that have no more nodes.
func visitedBelow(z *Zones, lane, c int) bool {
	return slices.ContainsFunc(z.Lanes[lane+1:], func(l Lane) bool { return c < len(l.Cells) && visited(l.Cells[c]) })
}

func visitedAbove(z *Zones, lane, c int) bool {
	return slices.ContainsFunc(z.Lanes[:lane], func(l Lane) bool { return c < len(l.Cells) && visited(l.Cells[c]) })
}

// visited reports whether the last search visited the node.
func visited(c LaneCell) bool { return c >= Visited }

func drawLaneLabel(a draw.Area, z *Zones, i int) {
	name, hand := themes.Style(themes.Dim), ' '
	if i == z.StartLane {
		name, hand = themes.Style(themes.Text), '▸'
	}
	a.Set(0, 0, themes.Focus.With(themes.Bold), hand)
	zone := z.Lanes[i].Zone
	if zone == "" {
		zone = "no zone"
	}
	a.Fit(2, 0, laneLabel-7, name, zone)
	a.CountRight(laneLabel-6, 0, 5, themes.Style(themes.Dim), int64(z.Lanes[i].Nodes))
}

func zonesLegend(a draw.Area) {
	r := rowWriter{a: a}
	r.legend(themes.Focus, "★", "chosen").legend(themes.Focus, "▼▸", "next start index").legend(themes.Dim, "·", "not examined")
}

func stripZones(a draw.Area, s *drawCtx) {
	z := s.Zones
	if z == nil {
		return
	}
	r := rowWriter{a: a}
	r.number(themes.Style(themes.Text), "", len(z.Lanes), "zones")
	r.fact(themes.Style(themes.Focus), "▸ "+strconv.Itoa(z.Start), "next start")
	r.number(themes.Style(themes.Text), "", z.Examined, "examined")
	r.fact(themes.Style(themes.Good), "✓ "+strconv.Itoa(z.Feasible), "")
	r.fact(themes.Style(themes.Bad), "✗ "+strconv.Itoa(z.Rejected), "")
}
