package tui

import (
	"regexp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/core/world"
	"orrery/views"
	"orrery/views/find"
)

// openFound closes the finder, and opens what was found, runs it or goes there.
func (s *Screen) openFound(t *find.Thing) tea.Cmd {
	overHelp := s.finder.keysOnly
	s.finder = nil
	if overHelp && s.top().pane == views.HelpPane {
		s.pop() // keys are run in the pane that the help is about
	}
	key := t.Ref().Key
	switch t.Kind {
	case find.Command:
		return s.runFound(t, key)
	case find.Pane:
		return s.command(key)
	case find.Pod:
		pod, _ := parseRef(key)
		s.push(navEntry{pane: views.JourneyPane, pod: pod})
	case find.Node:
		s.push(navEntry{pane: views.NodePane, node: key})
	case find.Mark:
		s.goToFoundMark(t.At)
	case find.WhatIf:
		s.push(navEntry{pane: views.WhatIfPane, answer: s.whatIfs[t.At]})
	case find.Theme:
		return s.commandTheme(key)
	case find.Context:
		return s.commandContext(key)
	case find.Recording:
		return s.commandDemo(key)
	case find.Namespace:
		return s.commandNamespace(key)
	default:
		return s.openList(t.Kind, key)
	}
	return nil
}

// openList opens a list of the rows that are about a found object.
func (s *Screen) openList(kind find.Kind, key string) tea.Cmd {
	namespace, name, _ := strings.Cut(key, "/")
	switch kind {
	case find.Owner:
		s.openPane(views.PodsPane)
		return s.commandFilter("-n " + namespace + " ^" + regexp.QuoteMeta(name) + "-")
	case find.Gang:
		s.openPane(views.GangsPane)
		return s.commandFilter("-g " + key)
	case find.Claim:
		s.openPane(views.StoragePane)
	case find.DeviceClaim:
		s.openPane(views.DeviceClaimsPane)
	}
	return s.commandFilter("-n " + namespace + " " + name)
}

// runFound runs the key or the command that was found. One that needs an argument is completed on the command line.
func (s *Screen) runFound(t *find.Thing, name string) tea.Cmd {
	if name, pressed, is := strings.Cut(name, " "); is { // one of two keys
		b := bindingFor(s.keyPane(), pressed)
		if b == nil || b.name != name {
			s.fail(":" + name + ": " + bindingNamed(name).notHere())
			return nil
		}
		return s.run(b, pressed)
	}
	if w := commandNamed(name); w.argument != "" && !strings.HasPrefix(w.argument, "[") {
		s.startCommand()
		s.prompt.set(name + " ")
		s.complete()
		return nil
	}
	return s.command(name)
}

// goToFoundMark goes to the time of a mark.
func (s *Screen) goToFoundMark(i int) {
	if s.frame == nil || s.frame.Model.Timeline == nil || i >= len(s.frame.Model.Timeline.Marks) {
		return // another recording is shown since
	}
	at := s.frame.Model.Timeline.Marks[i].At
	s.leave(true)
	s.control(func(b Playback) error { return b.SeekTo(at) })
}

// foundObject is what a key acts on in place of the selection.
type foundObject struct {
	pod    world.PodRef
	node   string
	object objectRef
}

// subjectOf returns what keys can act on in place of a selection, and the pane whose keys they are; no pane if there is nothing.
func subjectOf(t *find.Thing) (*foundObject, views.PaneID) {
	key := t.Ref().Key
	ref, _ := parseRef(key)
	switch t.Kind {
	case find.Pod:
		return &foundObject{pod: ref}, views.PodsPane
	case find.Node:
		return &foundObject{node: key}, views.NodesPane
	case find.Claim:
		return &foundObject{object: objectRef{world.PersistentVolumeClaim, ref.Namespace, ref.Name}}, views.StoragePane
	case find.DeviceClaim:
		return &foundObject{object: objectRef{world.ResourceClaim, ref.Namespace, ref.Name}}, views.DeviceClaimsPane
	}
	return nil, views.Overview
}
