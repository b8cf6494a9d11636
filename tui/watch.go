package tui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"orrery/core/safe/printable"
	"orrery/core/world"
	"orrery/tui/term"
)

// maxWatched bounds the pods that are watched: each is looked up for every frame.
//
//orrery:limit screen; pods that are watched at once; no more are taken
const maxWatched = 50

// watchedPod is a watched pod as the cluster has it: its node, if it has one, or that it is gone.
type watchedPod struct {
	pod  world.PodRef
	node string
	gone bool
}

// watches are the watched pods, in the order in which they were added, and what the last frame said of them and of the cluster's health.
type watches struct {
	pods []watchedPod
	// red means that the health was red; known that a frame has said what it is.
	red, known bool
}

func (w *watches) index(pod world.PodRef) int {
	return slices.IndexFunc(w.pods, func(of watchedPod) bool { return of.pod == pod })
}

// keys are the keys of the watched pods, for the drawing; nil for none.
func (w *watches) keys() map[string]bool {
	if len(w.pods) == 0 {
		return nil
	}
	keys := make(map[string]bool, len(w.pods))
	for _, p := range w.pods {
		keys[p.pod.String()] = true
	}
	return keys
}

// toWatch are the pods that W acts on: those of the selected rows, or the selected one.
func (s *Screen) toWatch() []world.PodRef {
	if pods := s.markedPods(); len(pods) > 0 {
		return pods
	}
	if pod, ok := s.selectedPod(); ok {
		return []world.PodRef{pod}
	}
	return nil
}

func (s *Screen) cannotWatch() string {
	pods := s.toWatch()
	switch {
	case len(pods) == 0:
		return "no pod is selected"
	case len(s.watches.pods)+len(pods) > maxWatched && s.watches.index(pods[0]) < 0:
		return "at most " + strconv.Itoa(maxWatched) + " pods are watched at once"
	}
	return ""
}

// watch watches the selected pods, or no longer if the first of them is watched.
func (s *Screen) watch() {
	pods := s.toWatch()
	stop := s.watches.index(pods[0]) >= 0
	list := slices.Clone(s.watches.pods)
	for _, pod := range pods {
		list = slices.DeleteFunc(list, func(of watchedPod) bool { return of.pod == pod })
		if !stop {
			list = append(list, watchedPod{pod: pod})
		}
	}
	s.setWatched(list)
	name := printable.Line(pods[0].String(), 80)
	if len(pods) > 1 {
		name = strconv.Itoa(len(pods)) + " pods"
	}
	switch {
	case stop:
		s.setStatus(name + " no longer watched")
	case s.notifies():
		s.setStatus("watching " + name + ": rings when placed · W ends it")
	default:
		s.setStatus("watching " + name + ": this line says when it is placed · W ends it; notify: true rings the bell")
	}
}

// setWatched sets the watched pods. What the screen knows of new ones comes with the next frame, so that a pod that has a node already is not
// announced.
func (s *Screen) setWatched(list []watchedPod) {
	s.watches.pods, s.dirty = list, true
	pods := make([]world.PodRef, len(list))
	for i, p := range list {
		pods[i] = p.pod
		list[i].gone = true // not seen yet
	}
	s.submit(func(p *loop) { p.watched = pods })
}

// watchedNow looks the watched pods up.
func (p *loop) watchedNow() []watchedPod {
	if len(p.watched) == 0 {
		return nil
	}
	store := p.source.Engine().Store()
	now := make([]watchedPod, len(p.watched))
	for i, ref := range p.watched {
		now[i] = watchedPod{pod: ref, gone: true}
		if pod := store.Pod(ref.Namespace, ref.Name); pod != nil {
			now[i].gone, now[i].node = false, pod.Spec.NodeName
		}
	}
	return now
}

// announce compares a new frame with what was known, and tells what has happened to watched pods and to the health.
func (s *Screen) announce(f *Frame) tea.Cmd {
	var news string
	for _, now := range f.Watched {
		i := s.watches.index(now.pod)
		if i < 0 {
			continue
		}
		was := s.watches.pods[i]
		s.watches.pods[i] = now
		switch name := printable.Line(now.pod.String(), 80); {
		case was.gone: // first seen, or back again
		case now.gone && was.node == "":
			news = name + " is gone without having been placed"
		case was.node == "" && now.node != "":
			news = name + " is placed on " + printable.Line(now.node, 80)
		}
	}
	if trouble := s.turnedRed(f); trouble != "" {
		news = trouble
	}
	if news == "" {
		return nil
	}
	s.setStatus(news)
	if !s.notifies() {
		return nil
	}
	s.title = term.AlertLine("orrery: " + news)
	return s.options.Terminal.Alert(news)
}

// turnedRed returns what is wrong with a cluster that was well in the frame before; empty if nothing is, and for recordings, in which time goes
// either way. A title that says what was wrong is taken back when it no longer is.
func (s *Screen) turnedRed(f *Frame) string {
	h := &f.Model.Header
	if f.Model.Timeline != nil || !h.Health.Known || h.Health.Reading || h.Blind {
		return ""
	}
	text := ""
	if all := f.Model.Troubles(f.Now); len(all) > 0 && all[0].Bad {
		text = all[0].Text
	}
	turned := s.watches.known && !s.watches.red && text != ""
	if s.watches.red && text == "" && s.title != "" {
		s.title = term.AlertLine("orrery: " + h.Source)
	}
	s.watches.red, s.watches.known = text != "", true
	if !turned {
		return ""
	}
	return "✗ " + text
}

// notifies reports whether the bell, the notification and the title are used: as the settings say, else unless the terminal is far away.
func (s *Screen) notifies() bool {
	if set := s.options.Settings.Notify; set != nil {
		return *set
	}
	return !s.options.Terminal.Remote()
}
