package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
	"orrery/views/draw"
)

// binding is one row of the table of keys: everything that is known of a key, and all that is told of it, is here.
type binding struct {
	// name is what the command line calls it. keys are those that do it, as Bubble Tea spells them; shown is how they
	// are written.
	name  string
	keys  []string
	shown string
	// does is a word or two for the line of hints, tells a sentence for the help.
	does, tells string
	group       group
	// on is where the key works; nil is everywhere.
	on []views.PaneID
	// hint says how much the hint matters: the lowest number is said longest, zero never.
	hint int
	// able says why it cannot be done at the moment; empty if it can.
	able func(*Screen) string
	do   func(s *Screen, key string) tea.Cmd
}

type group uint8

const (
	moving group = iota
	looking
	playing
	asking
	acting
	keeping

	groups
)

var groupNames = [groups]string{"Moving about", "Looking", "Time", "Asking", "Changing the cluster", "Keeping"}

// everywhere are all panes.
var everywhere = []views.PaneID{
	views.Overview, views.QueuePane, views.SnapshotPane, views.ZonesPane, views.EvictionsPane, views.LeaderPane, views.DecisionsPane,
	views.PluginsPane, views.MetricsPane, views.ExplainPane, views.JourneyPane, views.NodePane, views.WhatIfPane,
	views.TimelinePane, views.HelpPane, views.AgreementPane, views.PressurePane,
}

// listed are the panes that have a list to walk through.
var listed = []views.PaneID{
	views.QueuePane, views.SnapshotPane, views.EvictionsPane, views.DecisionsPane, views.PluginsPane, views.ExplainPane, views.JourneyPane,
	views.NodePane, views.WhatIfPane, views.AgreementPane, views.TimelinePane, views.PressurePane,
}

// narrowed are the panes whose lists can be narrowed and sorted.
var narrowed = []views.PaneID{
	views.QueuePane, views.SnapshotPane, views.EvictionsPane, views.DecisionsPane, views.PluginsPane, views.ExplainPane, views.NodePane,
	views.PressurePane, views.TimelinePane,
}

// bindings is the table. Keys that mean different things in different panes have a row for each.
var bindings []binding

// The tables name functions that read the tables, so they are filled here.
func init() {
	bindings = slices.Concat(movingBindings, lookingBindings, playingBindings, askingBindings, actingBindings, keepingBindings)
	vocabulary = allWords()
}

// worksOn tells whether a key works in a pane.
func (b *binding) worksOn(pane views.PaneID) bool { return b.on == nil || slices.Contains(b.on, pane) }

// refused says why it cannot be done now; empty if it can.
func (b *binding) refused(s *Screen) string {
	if b.able == nil {
		return ""
	}
	return b.able(s)
}

// bound is the row for a key in a pane.
func bound(pane views.PaneID, key string) *binding {
	for i := range bindings {
		if b := &bindings[i]; slices.Contains(b.keys, key) && b.worksOn(pane) {
			return b
		}
	}
	return nil
}

// hints are the keys worth telling of, as many as a width holds in full; what matters least is left out first.
func (s *Screen) hints(width int) []draw.Hint {
	var told []*binding
	for i := range bindings {
		if b := &bindings[i]; b.hint > 0 && b.worksOn(s.place()) && b.refused(s) == "" {
			told = append(told, b)
		}
	}
	slices.SortStableFunc(told, func(a, b *binding) int { return a.hint - b.hint })
	const gap, fewest = 3, 5
	need := 0
	hints := make([]draw.Hint, 0, len(told)+1)
	for i, b := range told {
		need += draw.Width(b.shown) + 1 + len(b.does) + gap
		if i >= fewest && need+len(" ? help") > width {
			break
		}
		hints = append(hints, draw.Hint{Key: b.shown, Does: b.does})
	}
	return append(hints, draw.Hint{Key: "?", Does: "help"})
}

// help is all keys that work in a pane, by what they are for.
func help(pane views.PaneID) []views.KeyGroup {
	var all []views.KeyGroup
	for g := range groups {
		var keys []draw.Hint
		for i := range bindings {
			if b := &bindings[i]; b.group == g && b.worksOn(pane) {
				keys = append(keys, draw.Hint{Key: b.shown, Does: b.tells})
			}
		}
		if len(keys) > 0 {
			all = append(all, views.KeyGroup{Name: groupNames[g], Keys: keys})
		}
	}
	return all
}

// press does what a key means where one is.
func (s *Screen) press(msg tea.KeyPressMsg) tea.Cmd {
	key := msg.String()
	s.status = ""
	switch {
	case key == "ctrl+c":
		return tea.Quit
	case s.prompt != nil:
		return s.prompt.press(s, msg)
	case s.menu != nil:
		return s.menu.press(s, key)
	case s.confirm != nil:
		return s.confirm.press(s, key)
	}
	return s.run(bound(s.place(), key), key)
}

// run does what a row of the table says, or says why not.
func (s *Screen) run(b *binding, key string) tea.Cmd {
	if b == nil {
		return nil
	}
	if why := b.refused(s); why != "" {
		s.say(b.shown + ": " + why)
		return nil
	}
	return b.do(s, key)
}

// keyNames are the keys of a row as a person reads them.
func keyNames(b *binding) string {
	names := make([]string, len(b.keys))
	for i, k := range b.keys {
		names[i] = "`" + k + "`"
	}
	return strings.Join(names, " ")
}

// paneName is what a pane is called in a sentence.
func paneName(id views.PaneID) string {
	for _, p := range views.Panes() {
		if p.ID == id {
			return strings.ToLower(p.Title)
		}
	}
	return "overview"
}
