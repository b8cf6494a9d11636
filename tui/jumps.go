package tui

import (
	"errors"
	"slices"
	"time"

	"orrery/views"
	"orrery/views/collect"
)

// jump is where something else was opened from, or another time was gone to.
type jump struct {
	stack []navEntry
	focus views.PaneID
	row   overviewCursor
	zoom  bool
	// at is the time of a jump in time; zero of one in place.
	at time.Time
}

// jumps are the places and times that were left, the oldest first, and at which of them the screen is: at their end, unless it went back.
type jumps struct {
	list []jump
	at   int
}

// maxJumps bounds the places that are remembered.
//
//orrery:limit screen; places and times that ctrl+o goes back to; the oldest goes
const maxJumps = 100

// here returns where the screen is, with the time if the jump is one in time.
func (s *Screen) here(inTime bool) jump {
	j := jump{stack: slices.Clone(s.navStack), focus: s.focus, row: s.row, zoom: s.zoom}
	if inTime && s.frame != nil && s.frame.Model.Timeline != nil {
		j.at = s.frame.Model.Timeline.At
	}
	return j
}

// leave remembers where the screen is, before it jumps in place or in time. What was gone back from is forgotten.
func (s *Screen) leave(inTime bool) {
	js := &s.jumps
	js.list = append(js.list[:js.at], s.here(inTime))
	js.list = slices.Delete(js.list, 0, max(len(js.list)-maxJumps, 0))
	js.at = len(js.list)
}

// jumpBy goes to an older or newer place of the jumps.
func (s *Screen) jumpBy(by int) {
	js := &s.jumps
	to := js.at + by
	switch {
	case to < 0 && by < 0:
		s.setStatus("ctrl+o: there is no older place")
		return
	case to >= len(js.list):
		s.setStatus("ctrl+n: there is no newer place")
		return
	}
	j := js.list[to]
	if present := s.here(!j.at.IsZero()); js.at == len(js.list) { // so that ctrl+n comes back here
		js.list = append(js.list, present)
	}
	js.at = to
	s.navStack, s.focus, s.row, s.zoom = slices.Clone(j.stack), j.focus, j.row, j.zoom
	if !j.at.IsZero() {
		s.control(func(b Playback) error { return b.SeekTo(j.at) })
	}
}

func (s *Screen) cannotFollow() string {
	if _, ok := s.selectedPod(); !ok {
		return "no pod is selected"
	}
	return ""
}

// openRelated opens the node of the selected pod, or the pod that took the place of one that is gone.
func (s *Screen) openRelated() {
	pod, _ := s.selectedPod()
	s.submit(func(p *loop) {
		e := p.source.Engine()
		if is := e.Store().Pod(pod.Namespace, pod.Name); is != nil {
			node := collect.NodeOf(e, is)
			if node == "" {
				p.reportError(errors.New("o: the pod has no node yet, and none is nominated; e says why"))
				return
			}
			p.send(openMsg{navEntry{pane: views.NodePane, node: node}})
			return
		}
		next, err := collect.Successor(e, p.source.History(), pod)
		if err != nil {
			p.reportError(err)
			return
		}
		p.report("the pod is gone: this took its place")
		p.send(openMsg{navEntry{pane: views.JourneyPane, pod: next}})
	})
}
