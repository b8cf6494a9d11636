package tui

import (
	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// held is the first of two things that are compared: a node, a pod, or a moment.
type held struct {
	node   string
	pod    world.PodRef
	moment *collect.Moment
}

func (h *held) String() string {
	switch {
	case h.moment != nil:
		return "the moment " + h.moment.Label
	case h.node != "":
		return "node " + printable.Line(h.node, 80)
	}
	return "pod " + printable.Line(h.pod.String(), 80)
}

// The messages that end a comparison: a moment to hold, and two things compared.
type (
	momentMsg   struct{ moment *collect.Moment }
	comparedMsg struct {
		comparison *views.Comparison
		between    *views.WhatIf
	}
)

// comparesMoments reports whether "=" is about the time here, not about what is selected.
func (s *Screen) comparesMoments() bool {
	switch s.keyPane() {
	case views.TimelinePane, views.MetricsPane:
		return true
	case views.Overview:
		return s.selectedRow() == nil
	}
	return false
}

func (s *Screen) cannotCompare() string {
	_, pod := s.selectedPod()
	_, node := s.selectedNode()
	if s.subject == nil && s.comparesMoments() || pod || node {
		return ""
	}
	return "no pod and no node is selected; moments are compared on the overview and the timeline"
}

// compare holds what is selected, or compares it with what is held.
func (s *Screen) compare() tea.Cmd {
	pod, isPod := s.selectedPod()
	node, _ := s.selectedNode()
	first := s.held
	switch {
	case s.subject == nil && s.comparesMoments():
		label := s.momentLabel()
		s.submit(func(p *loop) { p.send(momentMsg{p.collector.Moment(p.source.Engine(), label)}) })
	case isPod && first != nil && first.pod.Name != "" && !samePod(first.pod, pod):
		s.submit(func(p *loop) { p.compared(p.collector.ComparePods(p.source.Engine(), first.pod, pod)) })
	case !isPod && first != nil && first.node != "" && first.node != node:
		s.submit(func(p *loop) { p.compared(p.collector.CompareNodes(p.source.Engine(), first.node, node)) })
	case isPod && first != nil && samePod(first.pod, pod), !isPod && first != nil && first.node == node:
		s.held = nil
		s.setStatus("nothing is held any more")
	case isPod:
		s.hold(&held{pod: pod})
	default:
		s.hold(&held{node: node})
	}
	return nil
}

func samePod(a, b world.PodRef) bool { return a.Namespace == b.Namespace && a.Name == b.Name }

// hold holds the first of two things.
func (s *Screen) hold(h *held) {
	s.held = h
	s.setStatus("held " + h.String() + "; = on another compares the two, = on the same lets go")
}

// compared sends what two things have in common, or why they cannot be compared.
func (p *loop) compared(c *views.Comparison, err error) {
	if err != nil {
		p.reportError(err)
		return
	}
	p.send(comparedMsg{comparison: c})
}

// momentLabel is the present time as the screen shows it: since the start of a recording, or of day.
func (s *Screen) momentLabel() string {
	if m := s.model(); m.Timeline != nil {
		return wholeSeconds(m.Timeline.At.Sub(m.Timeline.Start))
	}
	if s.frame != nil {
		return s.frame.Now.UTC().Format("15:04:05")
	}
	return "the start"
}

// momentHeld holds the first moment, and compares the second with it.
func (s *Screen) momentHeld(m *collect.Moment) {
	if s.held == nil || s.held.moment == nil {
		s.hold(&held{moment: m})
		return
	}
	first := s.held.moment
	if first.At.Equal(m.At) {
		s.held = nil
		s.setStatus("nothing is held any more")
		return
	}
	var marks []views.Mark
	if t := s.model().Timeline; t != nil {
		marks = t.Marks
	}
	s.openCompared(comparedMsg{between: collect.CompareMoments(first, m, marks)})
}

// openCompared opens a comparison; what was held is let go.
func (s *Screen) openCompared(msg comparedMsg) {
	s.held, s.dirty = nil, true
	if msg.between != nil {
		s.push(navEntry{pane: views.WhatIfPane, answer: msg.between})
		return
	}
	s.push(navEntry{pane: views.ComparePane, comparison: msg.comparison})
}
