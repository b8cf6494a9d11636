package views

import (
	"strconv"

	"orrery/themes"
	"orrery/views/draw"
)

var badges = [...]themes.Token{Demo: themes.Accent, Shadow: themes.Good, Acting: themes.Bad, WhatIfMode: themes.Nominated}

// drawHeader draws the source, the mode and the main figures. Facts that do not fit are dropped by rank; the mode's
// badge never is.
func drawHeader(a draw.Area, s *drawCtx) {
	h := &s.Header
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	badge := h.Mode.String()
	x := a.Text(1, 0, themes.Title.With(themes.Bold), "orrery")
	x = a.Text(x+1, 0, dim, "▸")
	room := max(min(a.W/4, 40), a.W-len(badge)-len("orrery ▸")-60)
	x = a.Fit(x+1, 0, min(room, 44), text, h.Source)
	x = a.Text(x+2, 0, badges[h.Mode].With(themes.Bold|themes.Reverse), " ")
	x = a.Text(x, 0, badges[h.Mode].With(themes.Bold|themes.Reverse), badge)
	x = a.Text(x, 0, badges[h.Mode].With(themes.Bold|themes.Reverse), " ") + 3
	if h.Alert != "" {
		a.Fit(x, 0, a.W-x-1, themes.Bad.With(themes.Bold), h.Alert)
		return
	}
	all := [...]gauge{
		{label: "requeue rule ", name: h.RequeueRule, shown: h.RequeueRule != "", rank: 5},
		{label: "agrees ", value: []byte(percentText(h.AgreementRate)), shown: h.Compared > 0, rank: 3},
		{label: "leader ", name: h.Leader, value: formatLease(nil, h.LeaseLeft, true), shown: h.Leader != "", rank: 4, least: 6},
		{label: "gen ", value: draw.AppendCount(nil, h.Generation), shown: h.Generation > 0, rank: 0},
		{value: append(draw.AppendCount(nil, int64(h.Rate+0.5)), " dec/s"...), shown: h.Rate > 0, rank: 2},
		{label: "p99 ", value: draw.AppendSpan(nil, h.P99), shown: h.P99 > 0, rank: 1},
		{label: gatesLabel(h.GateCount), name: h.Gates, short: gatesShort(h.GateCount), shown: h.GateCount > 0, rank: 6},
	}
	gauges := fitting(all[:], a.W-x-2)
	for i := range gauges {
		if g := &gauges[i]; g.shown {
			x = a.Text(x, 0, dim, g.label)
			x = a.FitHost(x, 0, g.nameWidth(), text, g.name)
			x = a.Text(x, 0, text, string(g.value)) + gaugeGap
		}
	}
	a.Set(a.W-2, 0, themes.Style(themes.Accent), '?')
}

func gatesLabel(n int) string {
	if n == 1 {
		return "gate "
	}
	return "gates "
}

// gatesShort is what replaces the names of feature gates where they do not fit.
func gatesShort(n int) string {
	if n == 1 {
		return "1 gate changed"
	}
	return strconv.Itoa(n) + " gates changed"
}

// gauge is a fact of the header. When not all fit, a fact with a short form is shortened, and then those of the lowest
// rank are dropped first, unless a cut name makes them fit.
type gauge struct {
	label, name, short string
	value              []byte
	shown              bool
	rank               int
	// least is how many columns of the name are shown at least, if it may be cut, and cut how many are cut off.
	least, cut int
}

const gaugeGap = 3

// nameWidth returns the columns of the name.
func (g *gauge) nameWidth() int { return draw.Width(g.name) - g.cut }

func (g *gauge) width() int {
	return len(g.label) + g.nameWidth() + draw.Width(string(g.value)) + gaugeGap
}

// fitting hides gauges until the others fit in a width.
func fitting(gauges []gauge, width int) []gauge {
	need := 0
	for i := range gauges {
		if gauges[i].shown {
			need += gauges[i].width()
		}
	}
	for i := range gauges {
		if g := &gauges[i]; need > width && g.shown && g.short != "" {
			need -= g.width()
			g.label, g.name = "", g.short
			need += g.width()
		}
	}
	for rank := 0; need > width && rank < len(gauges); rank++ {
		for i := range gauges {
			if g := &gauges[i]; g.rank == rank && g.shown {
				need -= g.width()
				if most := width - need - (g.width() - g.nameWidth()); g.least > 0 && most >= g.least {
					g.cut = g.nameWidth() - most
					need = width
					continue
				}
				g.shown = false
			}
		}
	}
	return gauges
}
