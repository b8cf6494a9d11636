package tui

import "orrery/views"

// askingBindings ask about what is selected.
var askingBindings = []binding{
	{
		name: "explain", keys: []string{"e"}, shown: "e", does: "explain", tells: "why the pod is where it is", group: asking, hint: 6,
		able: (*Screen).noPod, do: plain((*Screen).explain), on: besides(views.HelpPane),
	},
	{
		name: "whatif", keys: []string{"w"}, shown: "w", does: "what if", tells: "what if it were different", group: asking, hint: 5,
		able: (*Screen).nothingToTry, do: plain((*Screen).openMenu), on: besides(views.HelpPane),
	},
	{
		name: "pressure", keys: []string{"p"}, shown: "p", tells: "what the node runs short of, and whom it would evict", group: asking,
		able: (*Screen).noNode, do: plain((*Screen).openPressure), on: besides(views.HelpPane),
	},
	{
		name: "describe", keys: []string{"d"}, shown: "d", does: "describe", tells: "the object as YAML", group: asking, hint: 13,
		able: (*Screen).nothingSelected, do: plain((*Screen).describe), on: besides(views.HelpPane),
	},
}

func (s *Screen) noPod() string {
	if _, ok := s.selectedPod(); ok && s.top().pane != views.ExplainPane {
		return ""
	}
	if s.top().pane == views.ExplainPane {
		return "this is the explanation"
	}
	return "no pod is selected"
}

func (s *Screen) explain() {
	pod, _ := s.selectedPod()
	s.enter(place{pane: views.ExplainPane, pod: pod})
}

func (s *Screen) noNode() string {
	if _, ok := s.selectedNode(); ok && s.top().pane != views.PressurePane {
		return ""
	}
	if s.top().pane == views.PressurePane {
		return "this is what presses the node"
	}
	return "no node is selected"
}

func (s *Screen) openPressure() {
	node, _ := s.selectedNode()
	s.enter(place{pane: views.PressurePane, node: node})
}

// nothingSelected says why there is nothing to describe.
func (s *Screen) nothingSelected() string {
	_, pod := s.selectedPod()
	_, node := s.selectedNode()
	if !pod && !node {
		return "nothing is selected"
	}
	return ""
}

func (s *Screen) nothingToTry() string {
	if s.top().pane == views.WhatIfPane {
		return "this is an answer already; esc goes back"
	}
	return s.nothingSelected()
}

// aboutNode tells whether the selection is a node and no pod.
func (s *Screen) aboutNode() bool {
	_, pod := s.selectedPod()
	return !pod
}
