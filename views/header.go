package views

import (
	"orrery/core/safe/plural"
	"orrery/themes"
	"orrery/views/draw"
)

var badges = [...]themes.Token{Demo: themes.Accent, Shadow: themes.Good, Acting: themes.Bad, WhatIfMode: themes.Nominated, Attached: themes.Focus}

// drawHeader draws the source, the mode and the main figures. Facts that do not fit are dropped by rank; the mode's
// badge never is.
func drawHeader(a draw.Area, s *drawCtx) {
	h := &s.Header
	dim, text := themes.Style(themes.Dim), themes.Style(themes.Text)
	badge, token := h.Mode.String(), badges[h.Mode]
	if h.Acts {
		badge += " +ACT"
		if h.Mode != Acting {
			token = themes.Warn
		}
	}
	look := token.With(themes.Bold | themes.Reverse)
	x := a.Text(1, 0, themes.Title.With(themes.Bold), "orrery")
	x = a.Text(x+1, 0, dim, "▸")
	room := max(min(a.W/4, 40), a.W-len(badge)-len("orrery ▸")-60)
	room = min(room, 44)
	if s.ui.Namespace != "" {
		scope := min(draw.Width(s.ui.Namespace), room/2)
		x = a.Fit(x+1, 0, min(draw.Width(h.Source), room-scope), text, h.Source)
		x = a.Text(x+1, 0, dim, "ns ")
		x = a.FitPath(x, 0, scope, themes.Style(themes.Warn), s.ui.Namespace)
	} else {
		x = a.Fit(x+1, 0, room, text, h.Source)
	}
	x = a.Text(x+2, 0, look, " ")
	x = a.Text(x, 0, look, badge)
	x = a.Text(x, 0, look, " ") + 3
	if h.Alert != "" {
		a.Fit(x, 0, a.W-x-3, themes.Bad.With(themes.Bold), h.Alert)
		a.Set(a.W-2, 0, themes.Style(themes.Accent), '?')
		return
	}
	all := [...]gauge{
		{label: "agrees ", value: []byte(percentText(h.AgreementRate)), shown: h.Compared > 0, rank: 3},
		leaderGauge(h),
		{label: "as ", name: h.Kubernetes, shown: h.NamesRelease, rank: leaderRank},
		{label: "server newer: ", name: h.NewerServer, shown: h.NewerServer != "", rank: 3},
		{label: "gen ", value: draw.AppendCount(nil, h.Generation), shown: h.Generation > 0, rank: 0},
		{value: append(draw.AppendCount(nil, int64(h.Rate+0.5)), " dec/s"...), shown: h.Rate > 0, rank: 2},
		{label: "p99 ", value: draw.AppendSpan(nil, h.P99), shown: h.P99 > 0, rank: 1},
		settingsGauge(h),
	}
	if s.Clusters != nil {
		all[1].shown = false // each cluster has its own leader
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

// leaderGauge names who leads. A console says that no scheduler leads, whether there is a lease or not, and an attached screen that it is not the
// attached scheduler; a recording without a lease says nothing.
func leaderGauge(h *Header) gauge {
	g := gauge{label: "leader ", name: h.Leader, shown: true, rank: leaderRank, least: 6}
	switch {
	case h.Leader != "":
		// An attached scheduler says itself that it leads; its lease is not in its stream.
		g.value = formatLease(nil, h.LeaseLeft, h.Mode != Attached || h.LeaseLeft > 0)
	case h.Mode == Attached:
		g.name = "elsewhere"
	case h.Mode == Shadow || h.Mode == Acting:
		g.name = "none"
	default:
		g.shown = false
	}
	return g
}

// settingsGauge describes what is not at its default, the requeue rule and feature gates, in forms of which each is shorter.
func settingsGauge(h *Header) gauge {
	gates := counted(h.GateCount, "gate")
	named := plural.Of(h.GateCount, "gate") + " " + h.Gates
	g := gauge{shown: true, rank: leaderRank + 1}
	switch rule := "requeue rule " + h.RequeueRule; {
	case h.RequeueRule == "" && h.GateCount == 0:
		g.shown = false
	case h.RequeueRule == "":
		g.forms = []string{named, gates + " changed", gates}
	case h.GateCount == 0:
		g.forms = []string{rule, "rule changed"}
	default:
		g.forms = []string{rule + "   " + named, rule + "   " + gates + " changed", "rule, " + gates + " changed", "rule, " + gates}
	}
	if g.shown {
		g.name, g.forms = g.forms[0], g.forms[1:]
	}
	return g
}

// gauge is a fact of the header.
type gauge struct {
	label, name string
	value       []byte
	shown       bool
	rank        int
	// forms are shorter forms of the name. least is how many columns of the name are shown at least, if it may be cut, and cut how
	// many are cut off.
	forms      []string
	least, cut int
}

const (
	gaugeGap = 3
	// leaderRank is above those of the facts that are dropped first. Only changed settings outlast the leader.
	leaderRank = 4
)

// nameWidth returns the columns of the name.
func (g *gauge) nameWidth() int { return draw.Width(g.name) - g.cut }

func (g *gauge) width() int {
	return len(g.label) + g.nameWidth() + draw.Width(string(g.value)) + gaugeGap
}

// shorten takes the next shorter form.
func (g *gauge) shorten() { g.name, g.forms = g.forms[0], g.forms[1:] }

// widthOf returns how many columns the gauges take, with names cut as far as they may be if cut is set.
func widthOf(gauges []gauge, cut bool) int {
	need := 0
	for i := range gauges {
		if g := &gauges[i]; g.shown {
			if need += g.width(); cut && g.least > 0 {
				need -= max(g.nameWidth()-g.least, 0)
			}
		}
	}
	return need
}

// fitting makes the gauges fit in a width. It takes the next shorter form of the settings, then drops the other facts by rank, and
// then shortens the settings on as far as the leader needs, whose name may be cut. Where even that is not enough the leader goes.
func fitting(gauges []gauge, width int) []gauge {
	settings := &gauges[len(gauges)-1]
	if widthOf(gauges, false) > width && len(settings.forms) > 0 {
		settings.shorten()
	}
	drop := func(rank int) {
		for i := range gauges {
			if g := &gauges[i]; g.rank == rank && widthOf(gauges, false) > width {
				g.shown = false
			}
		}
	}
	for rank := range leaderRank {
		drop(rank)
	}
	was := *settings
	for settings.shown && len(settings.forms) > 0 && widthOf(gauges, true) > width {
		settings.shorten()
	}
	if widthOf(gauges, true) > width {
		*settings = was
		drop(leaderRank)
		for settings.shown && len(settings.forms) > 0 && widthOf(gauges, false) > width {
			settings.shorten()
		}
		drop(settings.rank)
	}
	if over := widthOf(gauges, false) - width; over > 0 {
		for i := range gauges {
			if gauges[i].least > 0 {
				gauges[i].cut = over
			}
		}
	}
	return gauges
}
