package views

import (
	"strconv"
	"strings"
	"time"

	"orrery/core/safe/plural"
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
	zonesFacts(a.Row(0), z, s.now)
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
	lanes := lanesFor(z, a.W)
	lanes.drawPasses(a.Row(0))
	_, rest = a.Top(1)
	lanes.draw(a.In(rest))
}

// zonesFacts draws the counts of the last search, and how old the order is if the nodes are others by now. The signs are those of the
// lanes. Where there is little room the examined nodes stand behind the feasible ones.
func zonesFacts(a draw.Area, z *Zones, now time.Time) {
	good, bad := themes.Style(themes.Good), themes.Style(themes.Bad)
	of := "● " + string(draw.AppendCount(append(draw.AppendCount(nil, int64(z.Feasible)), '/'), int64(z.Examined)))
	forms := [...]func(r *rowWriter){
		func(r *rowWriter) {
			r.number(themes.Style(themes.Accent), "○ ", z.Examined, "examined").number(good, "● ", z.Feasible, "feasible").number(bad, "✗ ", z.Rejected, "rejected")
		},
		func(r *rowWriter) { r.fact(good, of, "feasible").number(bad, "✗ ", z.Rejected, "rejected") },
		func(r *rowWriter) { r.fact(good, of, "feasible").number(bad, "✗ ", z.Rejected, "") },
	}
	for _, form := range forms {
		r := rowWriter{a: a}
		form(&r)
		if !r.full {
			if behind := stale(z.Behind, z.Taken, now, a.W-r.x-3); behind != "" {
				r.fact(themes.Style(themes.Warn), behind, "")
			}
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
	r, focus := rowWriter{a: a}, themes.Style(themes.Focus)
	r.legend(focus, "★", "chosen").legend(focus, "▼▸", "next start index").legend(themes.Style(themes.Dim), "·", "not examined")
}

func stripZones(a draw.Area, s *drawCtx) {
	z := s.Zones
	if z == nil {
		return
	}
	r := rowWriter{a: a}
	r.number(themes.Style(themes.Text), "", len(z.Lanes), plural.Of(len(z.Lanes), "zone"))
	r.fact(themes.Style(themes.Focus), "▸ "+strconv.Itoa(z.Start), "next start")
	r.number(themes.Style(themes.Text), "", z.Examined, "examined")
	r.fact(themes.Style(themes.Good), "✓ "+strconv.Itoa(z.Feasible), "")
	r.fact(themes.Style(themes.Bad), "✗ "+strconv.Itoa(z.Rejected), "")
}
