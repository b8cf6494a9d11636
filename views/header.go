package views

import (
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
		{"requeue rule ", h.RequeueRule, nil, h.RequeueRule != "", 5},
		{"agrees ", "", []byte(percentText(h.AgreementRate)), h.Compared > 0, 4},
		{"leader ", h.Leader, formatLease(nil, h.LeaseLeft, true), h.Leader != "", 0},
		{"gen ", "", draw.AppendCount(nil, h.Generation), h.Generation > 0, 1},
		{"", "", append(draw.AppendCount(nil, int64(h.Rate+0.5)), " dec/s"...), h.Rate > 0, 3},
		{"p99 ", "", draw.AppendSpan(nil, h.P99), h.P99 > 0, 2},
	}
	gauges := fitting(all[:], a.W-x-2)
	for i := range gauges {
		if g := &gauges[i]; g.shown {
			x = a.Text(x, 0, dim, g.label)
			x = a.Text(x, 0, text, g.name)
			x = a.Text(x, 0, text, string(g.value)) + gaugeGap
		}
	}
	a.Set(a.W-2, 0, themes.Style(themes.Accent), '?')
}

// gauge is a fact of the header. Those of the lowest rank are dropped first when not all fit.
type gauge struct {
	label, name string
	value       []byte
	shown       bool
	rank        int
}

const gaugeGap = 3

func (g *gauge) width() int {
	return len(g.label) + draw.Width(g.name) + draw.Width(string(g.value)) + gaugeGap
}

// fitting hides gauges until the others fit in a width.
func fitting(gauges []gauge, width int) []gauge {
	need := 0
	for i := range gauges {
		if gauges[i].shown {
			need += gauges[i].width()
		}
	}
	for rank := 0; need > width && rank < len(gauges); rank++ {
		for i := range gauges {
			if g := &gauges[i]; g.rank == rank && g.shown {
				g.shown = false
				need -= g.width()
			}
		}
	}
	return gauges
}
