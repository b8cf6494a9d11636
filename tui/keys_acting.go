package tui

import (
	"orrery/core/operate"
	"orrery/views"
)

// actingBindings change the cluster, once what they would do was shown and confirmed.
var actingBindings = []binding{
	{
		name: "cordon", keys: []string{"c"}, shown: "c", tells: "cordon the selected node, or uncordon it", group: acting, on: besides(views.HelpPane),
		able: (*Screen).noNodeToChange, do: proposing(operate.Cordon),
	},
	{
		name: "drain", keys: []string{"D"}, shown: "D", tells: "drain the selected node", group: acting, on: besides(views.HelpPane),
		able: (*Screen).noNodeToChange, do: proposing(operate.Drain),
	},
	{
		name: "evict", keys: []string{"E"}, shown: "E", tells: "evict the selected pod, if its budgets allow", group: acting, on: besides(views.HelpPane),
		able: (*Screen).noPodToChange, do: proposing(operate.Evict),
	},
	{
		name: "delete", keys: []string{"X"}, shown: "X", tells: "delete the selected pod", group: acting, on: besides(views.HelpPane),
		able: (*Screen).noPodToChange, do: proposing(operate.Delete),
	},
	{
		name: "activate", keys: []string{"A"}, shown: "A", tells: "try the selected pod at once, whatever its back-off", group: acting, on: besides(views.HelpPane),
		able: (*Screen).noPodToChange, do: proposing(operate.Activate),
	},
	{
		name: "ungate", keys: []string{"U"}, shown: "U", tells: "take the scheduling gates off the selected pod", group: acting, on: besides(views.HelpPane),
		able: (*Screen).noPodToChange, do: proposing(operate.Ungate),
	},
}

func (s *Screen) noNodeToChange() string {
	if _, ok := s.selectedNode(); !ok {
		return "no node is selected"
	}
	return s.unable()
}

func (s *Screen) noPodToChange() string {
	if _, ok := s.selectedPod(); !ok {
		return "no pod is selected"
	}
	return s.unable()
}

// unable says why nothing can be changed from here.
func (s *Screen) unable() string {
	switch {
	case s.frame == nil:
		return "there is nothing to see yet"
	case s.top().pane == views.WhatIfPane:
		return "this is only supposed; esc goes back"
	}
	return s.frame.Unable
}
