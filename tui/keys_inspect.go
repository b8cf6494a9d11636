package tui

import (
	tea "charm.land/bubbletea/v2"

	"orrery/views"
)

// inspectBindings examine the selection.
var inspectBindings = []binding{
	{
		name: "explain", keys: []string{"e"}, label: "e", short: "explain", long: "why the pod is where it is", group: inspectKeys, hint: 6,
		disabled: (*Screen).cannotExplain, run: simple((*Screen).explain), where: onPanesButHelp,
	},
	{
		name: "whatif", keys: []string{"w"}, label: "w", short: "what-if", long: "what-if: try a change on a copy", group: inspectKeys, hint: 5,
		disabled: (*Screen).cannotTryWhatIf, run: simple((*Screen).openMenu), where: onPanesButHelp,
	},
	{
		name: "upgrade", keys: []string{"K"}, label: "K", long: "what-if: as the next release of Kubernetes decides; again for the one after it", group: inspectKeys,
		disabled: (*Screen).cannotTryUpgrade, run: simple((*Screen).tryUpgrade), where: everywhere,
	},
	{
		name: "pressure", keys: []string{"p"}, label: "p", short: "pressure", long: "node pressure, and the eviction order", group: inspectKeys, hint: 14,
		disabled: (*Screen).cannotOpenPressure, run: simple((*Screen).openPressure), where: onPanesButHelp,
	},
	{
		name: "pending", keys: []string{"P"}, label: "P", short: "pending", long: "all pending pods, by owner and cause", group: inspectKeys, hint: 8,
		run: simple((*Screen).openPending), where: onQueue,
	},
	{
		name: "compare", keys: []string{"="}, label: "=", short: "compare", long: "hold a pod, node or moment; compare it with another", group: inspectKeys, hint: 15,
		disabled: (*Screen).cannotCompare, run: func(s *Screen, _ string) tea.Cmd { return s.compare() }, where: onPanesButHelp,
	},
	{
		name: "watch", keys: []string{"W"}, label: "W", short: "watch", long: "watch the pod, or no longer: say when it is placed", group: inspectKeys, hint: 17,
		disabled: (*Screen).cannotWatch, run: simple((*Screen).watch), where: onPods,
	},
	{
		name: "describe", keys: []string{"d"}, label: "d", short: "describe", long: "the object as YAML", group: inspectKeys, hint: 13,
		disabled: (*Screen).cannotDescribe, run: simple((*Screen).describe), where: onPanesButHelp,
	},
}

func (s *Screen) cannotExplain() string {
	pod, ok := s.selectedPod()
	switch {
	case !ok:
		return "no pod is selected"
	case s.top().pane == views.ExplainPane && s.top().pod == pod:
		return "this is the explanation already"
	}
	return ""
}

func (s *Screen) explain() {
	pod, _ := s.selectedPod()
	s.push(navEntry{pane: views.ExplainPane, pod: pod})
}

func (s *Screen) cannotOpenPressure() string {
	node, ok := s.selectedNode()
	switch {
	case !ok:
		return "no node is selected"
	case s.top().pane == views.PressurePane && s.top().node == node:
		return "this is the pressure pane already"
	}
	return ""
}

func (s *Screen) openPressure() {
	node, _ := s.selectedNode()
	s.push(navEntry{pane: views.PressurePane, node: node})
}

// cannotDescribe returns why there is nothing to describe.
func (s *Screen) cannotDescribe() string {
	_, pod := s.selectedPod()
	_, node := s.selectedNode()
	_, object := s.selectedObject()
	if !pod && !node && !object {
		return "nothing is selected"
	}
	return ""
}

func (s *Screen) cannotTryWhatIf() string {
	if s.subject == nil && s.top().showsWhatIf() {
		return "this is a what-if already; esc goes back"
	}
	if len(s.menuItems()) == 0 {
		return "nothing is selected that can be changed"
	}
	return ""
}

// selectionIsNode reports whether the selection is a node and no pod.
func (s *Screen) selectionIsNode() bool {
	_, pod := s.selectedPod()
	return !pod
}
