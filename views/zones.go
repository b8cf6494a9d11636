package views

import (
	"slices"
	"strconv"
	"strings"

	"orrery/themes"
	"orrery/views/draw"
)

var laneLooks = [...]struct {
	glyph rune
	token themes.Token
}{
	NoNode:      {' ', themes.Dim},
	NotLookedAt: {'·', themes.Dim},
	LookedAt:    {'○', themes.Accent},
	Feasible:    {'●', themes.Good},
	Rejected:    {'✗', themes.Bad},
	ChosenOne:   {'★', themes.Focus},
}

// laneLabel is the width of what stands before a lane: its number in the order, and its zone.
const laneLabel = 18

func zonesRight(m *Model) string {
	if m.Zones == nil {
		return ""
	}
	return "start " + strconv.Itoa(m.Zones.Start) + " of " + strconv.Itoa(m.Zones.Nodes)
}

// drawZones is the orrery itself: zones as lanes, the order as a thread that goes down through them round by round,
// and the hand where the next search begins.
func drawZones(a draw.Area, s *scene) {
	z := s.Zones
	if z == nil {
		absent(a, "no node order is known yet")
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
			zonesChoice(a.Row(1), z)
		}
	}
	if a.H >= 2*len(z.Lanes)+4 {
		top = 3
	}
	_, rest := a.Top(top)
	a = a.In(rest)
	drawRounds(a.Row(0), z)
	_, rest = a.Top(1)
	drawLanes(a.In(rest), z)
}

// zonesFacts says what the last search found. The signs are those of the lanes.
func zonesFacts(a draw.Area, z *Zones) {
	for _, words := range [...][3]string{{"looked at", "feasible", "rejected"}, {"seen", "feasible", "rejected"}, {"seen", "fit", "not"}} {
		r := run{a: a}
		r.number(themes.Style(themes.Accent), "○ ", z.Examined, words[0])
		r.number(themes.Style(themes.Good), "● ", z.Feasible, words[1])
		r.number(themes.Style(themes.Bad), "✗ ", z.Rejected, words[2])
		if !r.full {
			return
		}
		blankRow(a, 0)
	}
}

// zonesChoice says whom the last search was for, and what it chose.
func zonesChoice(a draw.Area, z *Zones) {
	dim := themes.Style(themes.Dim)
	x := a.Text(0, 0, dim, "for ")
	name := strings.TrimPrefix(z.Pod, "default/")
	x = a.FitPath(x, 0, max(a.W-x-draw.Width(z.Chosen)-3, 12), themes.Style(themes.Text), name)
	if z.Chosen != "" {
		a.Set(x+1, 0, themes.Style(themes.Focus), '★')
		a.FitHost(x+3, 0, a.W-x-3, themes.Style(themes.Text), z.Chosen)
	}
}

// laneStep is how far apart the nodes of a lane stand: there is room for the thread between them if the lane is short.
func laneStep(a draw.Area, z *Zones) int {
	return min(max((a.W-laneLabel)/max(z.Rounds, 1), 1), 4)
}

// drawRounds numbers the rounds, and has the hand point at the one that is next.
func drawRounds(a draw.Area, z *Zones) {
	step := laneStep(a, z)
	a.Text(3, 0, themes.Style(themes.Dim), "round")
	for c := 0; laneLabel+c*step < a.W && c < z.Rounds-z.FirstRound; c++ {
		if round := z.FirstRound + c; round%10 == 0 {
			a.Text(laneLabel+c*step, 0, themes.Style(themes.Border), strconv.Itoa(round))
		}
	}
	if x := laneLabel + z.HandCol*step; z.HandCol >= 0 && x < a.W {
		a.Set(x, 0, themes.Focus.With(themes.Bold), '▼')
	}
}

// drawLanes draws a row for every zone and, where there is room, the thread between them.
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
			look := laneLooks[cell]
			style := themes.Style(look.token)
			x := laneLabel + c*laneStep(a, z)
			if i == z.HandLane && c == z.HandCol {
				style = style.With(themes.Bold | themes.Reverse)
			}
			a.Set(x, y, style, look.glyph)
			if cell == NoNode && gap == 2 && threadedBelow(z, i, c) && threadedAbove(z, i, c) {
				a.Set(x, y, themes.Style(themes.Border), '│')
			}
			if gap == 2 && threadedBelow(z, i, c) && (threaded(cell) || threadedAbove(z, i, c)) {
				a.Set(x, y+1, themes.Style(themes.Border), '│')
			}
		}
	}
}

// threadedBelow and threadedAbove tell whether the thread of a round goes on to a lane further down, or comes from one
// further up: it passes by zones that have no more nodes.
func threadedBelow(z *Zones, lane, c int) bool {
	return slices.ContainsFunc(z.Lanes[lane+1:], func(l Lane) bool { return c < len(l.Cells) && threaded(l.Cells[c]) })
}

func threadedAbove(z *Zones, lane, c int) bool {
	return slices.ContainsFunc(z.Lanes[:lane], func(l Lane) bool { return c < len(l.Cells) && threaded(l.Cells[c]) })
}

// threaded tells whether the last search came by.
func threaded(c LaneCell) bool { return c >= LookedAt }

func drawLaneLabel(a draw.Area, z *Zones, i int) {
	name, hand := themes.Style(themes.Dim), ' '
	if i == z.HandLane {
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
	r := run{a: a}
	r.sign(themes.Focus, "★", "chosen").sign(themes.Focus, "▼▸", "next start").sign(themes.Dim, "·", "not looked at")
}

func stripZones(a draw.Area, s *scene) {
	z := s.Zones
	if z == nil {
		return
	}
	r := run{a: a}
	r.number(themes.Style(themes.Text), "", len(z.Lanes), "zones")
	r.fact(themes.Style(themes.Focus), "▸ "+strconv.Itoa(z.Start), "next start")
	r.number(themes.Style(themes.Text), "", z.Examined, "looked at")
	r.fact(themes.Style(themes.Good), "✓ "+strconv.Itoa(z.Feasible), "")
	r.fact(themes.Style(themes.Bad), "✗ "+strconv.Itoa(z.Rejected), "")
}
