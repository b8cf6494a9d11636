package tui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
)

// movingBindings take one from pane to pane and from row to row.
var movingBindings = []binding{
	{
		name: "open", keys: []string{"enter"}, shown: "enter", does: "open", tells: "open what is selected", group: moving, hint: 1,
		on: everywhere, able: (*Screen).cannotOpen, do: plain((*Screen).openSelected),
	},
	{
		name: "back", keys: []string{"esc"}, shown: "esc", does: "back", tells: "one level back; never out of the program", group: moving, hint: 2,
		able: func(s *Screen) string {
			if len(s.trail) == 1 && !s.zoom && !s.asking {
				return "this is the overview; q leaves"
			}
			return ""
		}, do: plain((*Screen).escape),
	},
	{
		name: "pane", keys: digits(), shown: "1-9", does: "panes", tells: "a pane; 1 is the overview", group: moving, hint: 7,
		do: func(s *Screen, key string) tea.Cmd {
			n, _ := strconv.Atoi(key)
			s.jump(views.PaneID(n - 1))
			return nil
		},
	},
	{
		name: "next", keys: []string{"tab"}, shown: "tab", does: "next pane", tells: "the next pane", group: moving, hint: 12,
		do: plain(func(s *Screen) { s.cycle(1) }),
	},
	{
		name: "previous", keys: []string{"shift+tab"}, shown: "shift+tab", tells: "the pane before", group: moving,
		do: plain(func(s *Screen) { s.cycle(-1) }),
	},
	{
		name: "focus", keys: []string{"left", "right", "up", "down", "h", "j", "k", "l"}, shown: "arrows", tells: "the pane beside (also hjkl)",
		group: moving, on: []views.PaneID{views.Overview}, do: (*Screen).moveFocus,
	},
	{
		name: "down", keys: []string{"down", "j"}, shown: "↓ j", tells: "a row down", group: moving, on: scrolled,
		do: plain(func(s *Screen) { s.step(1) }),
	},
	{
		name: "up", keys: []string{"up", "k"}, shown: "↑ k", tells: "a row up", group: moving, on: scrolled,
		do: plain(func(s *Screen) { s.step(-1) }),
	},
	{
		name: "pagedown", keys: []string{"pgdown", "ctrl+d"}, shown: "ctrl+d", tells: "half a page down (pgdown: one)", group: moving, on: scrolled,
		do: func(s *Screen, key string) tea.Cmd { s.step(s.stride(key == "ctrl+d")); return nil },
	},
	{
		name: "pageup", keys: []string{"pgup", "ctrl+u"}, shown: "ctrl+u", tells: "half a page up (pgup: one)", group: moving, on: scrolled,
		do: func(s *Screen, key string) tea.Cmd { s.step(-s.stride(key == "ctrl+u")); return nil },
	},
	{
		name: "top", keys: []string{"home", "g"}, shown: "g", tells: "the first row", group: moving, on: scrolled,
		do: plain(func(s *Screen) { s.move(0) }),
	},
	{
		name: "bottom", keys: []string{"end", "G"}, shown: "G", tells: "the last row", group: moving, on: scrolled,
		do: plain(func(s *Screen) { s.move(s.total() - 1) }),
	},
	{
		name: "quit", keys: []string{"q", "ctrl+c"}, shown: "q", does: "quit", tells: "leave", group: moving, hint: 20,
		do: func(*Screen, string) tea.Cmd { return tea.Quit },
	},
}

// scrolled are the panes with rows to walk through, the help and pages of text among them.
var scrolled = append([]views.PaneID{textPane}, listed...)

// textPane stands for a page of text in the table of keys.
const textPane = views.PaneID(255)

// place is where the table of keys is asked for.
func (s *Screen) place() views.PaneID {
	if s.top().page != nil {
		return textPane
	}
	return s.top().pane
}

func plain(do func(*Screen)) func(*Screen, string) tea.Cmd {
	return func(s *Screen, _ string) tea.Cmd {
		do(s)
		return nil
	}
}

func digits() []string {
	var keys []string
	for d := 1; d <= 9; d++ {
		keys = append(keys, strconv.Itoa(d))
	}
	return keys
}

// escape takes one thing away: a question that is not answered yet, else the zoom, else the filter, else the pane.
func (s *Screen) escape() {
	switch {
	case s.asking:
		s.asking = false
		s.say("the question is withdrawn")
	case s.zoom:
		s.zoom = false
	case s.top().narrow.on():
		s.narrowTo(narrowing{sort: s.top().narrow.sort, reverse: s.top().narrow.reverse})
	default:
		s.back()
	}
}

func (s *Screen) step(by int) { s.move(s.top().cursor.Selected + by) }

// stride is a page, or half of one.
func (s *Screen) stride(half bool) int {
	if half {
		return max(s.rows()/2, 1)
	}
	return max(s.rows()-1, 1)
}

// beside is where the focus goes from a pane of the overview: left, right, up, down.
var beside = map[views.PaneID][4]views.PaneID{
	views.QueuePane:     {views.QueuePane, views.SnapshotPane, views.QueuePane, views.ZonesPane},
	views.SnapshotPane:  {views.QueuePane, views.SnapshotPane, views.SnapshotPane, views.EvictionsPane},
	views.ZonesPane:     {views.ZonesPane, views.EvictionsPane, views.QueuePane, views.ZonesPane},
	views.EvictionsPane: {views.ZonesPane, views.LeaderPane, views.SnapshotPane, views.EvictionsPane},
	views.LeaderPane:    {views.EvictionsPane, views.LeaderPane, views.SnapshotPane, views.LeaderPane},
}

func (s *Screen) moveFocus(key string) tea.Cmd {
	way := map[string]int{"left": 0, "h": 0, "right": 1, "l": 1, "up": 2, "k": 2, "down": 3, "j": 3}[key]
	if s.w < 120 || s.h < 30 { // panes under each other
		switch way {
		case 0, 2:
			s.focus = max(s.focus-1, views.QueuePane)
		default:
			s.focus = min(s.focus+1, views.LeaderPane)
		}
		return nil
	}
	s.focus = beside[s.focus][way]
	return nil
}

// cannotOpen says why there is nothing to open here.
func (s *Screen) cannotOpen() string {
	switch s.top().pane {
	case views.Overview:
		return ""
	case views.QueuePane, views.EvictionsPane, views.DecisionsPane, views.NodePane, views.JourneyPane, views.WhatIfPane, views.AgreementPane,
		views.PressurePane:
		if _, ok := s.selectedPod(); !ok {
			return "no pod is selected"
		}
		return ""
	case views.SnapshotPane, views.ExplainPane, views.ZonesPane:
		if _, ok := s.selectedNode(); !ok {
			return "no node is selected"
		}
		return ""
	case views.TimelinePane:
		if s.total() == 0 {
			return "there is no mark to go to"
		}
		return ""
	}
	return "there is nothing to open here"
}

// openSelected goes one level deeper.
func (s *Screen) openSelected() {
	switch s.top().pane {
	case views.Overview:
		s.jump(s.focus)
	case views.TimelinePane:
		s.goToMark()
	case views.DecisionsPane, views.JourneyPane:
		pod, _ := s.selectedPod()
		s.enter(place{pane: views.ExplainPane, pod: pod})
	case views.SnapshotPane, views.ExplainPane, views.ZonesPane:
		node, _ := s.selectedNode()
		s.enter(place{pane: views.NodePane, node: node})
	default:
		pod, _ := s.selectedPod()
		s.enter(place{pane: views.JourneyPane, pod: pod})
	}
}
