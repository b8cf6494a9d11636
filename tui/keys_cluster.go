package tui

import (
	"orrery/core/operator/actions"
	"orrery/views"
)

// clusterBindings change the cluster, after a dialog that shows the predicted effects.
var clusterBindings = []binding{
	{
		name: "cordon", keys: []string{"c"}, label: "c", short: "cordon", long: "cordon the selected node, or uncordon it", group: clusterKeys, where: onNodes, hint: 3,
		disabled: (*Screen).cannotChangeNode, run: proposesOnNode("cordon", actions.ToggleCordon),
	},
	{
		name: "drain", keys: []string{"D"}, label: "D", short: "drain", long: "drain the selected node", group: clusterKeys, where: onNodes, hint: 3,
		disabled: (*Screen).cannotChangeNode, run: proposesOnNode("drain", actions.ProposeDrain),
	},
	{
		name: "evict", keys: []string{"E"}, label: "E", short: "evict", long: "evict the selected pod, if its budgets allow", group: clusterKeys, where: onPods, hint: 3,
		disabled: (*Screen).cannotEvict, run: proposesOnPod("evict", actions.ProposeEvict),
	},
	{
		name: "delete", keys: []string{"X"}, label: "X", short: "delete", long: "delete the selected pod", group: clusterKeys, where: onPods, hint: 3,
		disabled: (*Screen).cannotChangePod, run: proposesOnPod("delete", actions.ProposeDelete),
	},
	{
		name: "activate", keys: []string{"A"}, label: "A", long: "activate the selected pod: skip its back-off", group: clusterKeys, where: onPods,
		disabled: (*Screen).cannotActivate, run: proposesOnPod("activate", actions.ProposeActivate),
	},
	{
		name: "carry-out", keys: []string{"C"}, label: "C", short: "carry out", long: "carry out on the cluster what a what-if has tried", group: clusterKeys, where: onWhatIfs, hint: 2,
		disabled: (*Screen).cannotCarryOut, run: simple((*Screen).carryOut),
	},
	{
		name: "ungate", keys: []string{"U"}, label: "U", long: "take the scheduling gates off the selected pod", group: clusterKeys, where: onPods,
		disabled: (*Screen).cannotChangePod, run: proposesOnPod("ungate", actions.ProposeUngate),
	},
}

func (s *Screen) cannotChangeNode() string {
	if _, ok := s.selectedNode(); !ok {
		return "no node is selected"
	}
	if s.triesMarked() {
		return ""
	}
	return s.readOnlyReason()
}

func (s *Screen) cannotChangePod() string {
	if _, ok := s.selectedPod(); !ok {
		return "no pod is selected"
	}
	if s.triesMarked() {
		return ""
	}
	return s.readOnlyReason()
}

// cannotEvict returns why the selected pod cannot be evicted; what the pane does not show, the proposal finds.
func (s *Screen) cannotEvict() string {
	if why := s.cannotChangePod(); why != "" {
		return why
	}
	if open := s.top().pane; s.subject == nil && (open == views.QueuePane || open == views.PendingPane) {
		pod, _ := s.selectedPod()
		return actions.NotOnNode(pod)
	}
	return ""
}

func (s *Screen) cannotActivate() string {
	if why := s.cannotChangePod(); why != "" {
		return why
	}
	if s.frame.NotScheduler {
		return "the cluster's own scheduler has the queue; with --schedule the console is the scheduler"
	}
	return ""
}

// readOnlyReason returns why the cluster cannot be changed from here; empty if it can.
func (s *Screen) readOnlyReason() string { return s.readOnlyIn(s.top().pane) }

// readOnlyIn returns the same for a pane.
func (s *Screen) readOnlyIn(pane views.PaneID) string {
	switch {
	case s.frame == nil:
		return "nothing is shown yet"
	case pane == views.WhatIfPane && (s.top().answer == nil || !s.top().answer.Moments), s.top().playsWhatIf(), pane == views.ExplainPane && s.frameMatches() && s.frame.Model.Header.Mode == views.WhatIfMode:
		return "this is a what-if; esc goes back"
	}
	return s.frame.ReadOnly
}
