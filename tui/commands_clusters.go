package tui

import (
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"orrery/views"
)

// onClusters reports whether the list of clusters is on the screen, or what is opened over it.
func (s *Screen) onClusters() bool { return s.navStack[0].pane == views.ClustersPane }

// refusedOnList reports whether a pane cannot be opened since the list of clusters is on the screen, and says so.
func (s *Screen) refusedOnList(pane views.PaneID) bool {
	if !s.onClusters() || pane == views.ClustersPane {
		return false
	}
	s.setStatus(enterFirst)
	return true
}

// noPanes returns why no pane can be opened.
func (s *Screen) noPanes() string {
	if s.onClusters() {
		return enterFirst
	}
	return ""
}

const enterFirst = "this is the list of clusters; enter goes into one"

// canLeaveCluster reports whether there is a list of clusters above the overview.
func (s *Screen) canLeaveCluster() bool { return !s.onClusters() && s.frame != nil && s.frame.HasList }

// leaveCluster goes to the list of clusters.
func (s *Screen) leaveCluster() { s.submit((*loop).showClusters) }

// enterSelected shows the selected cluster.
func (s *Screen) enterSelected() {
	name := s.keyAt(s.top().cursor.Selected)
	s.submit(func(p *loop) { p.enterCluster("enter", name) })
}

// commandClusters shows the list of clusters, with some more in it if contexts are named.
func (s *Screen) commandClusters(rest string) tea.Cmd {
	names := strings.FieldsFunc(rest, func(r rune) bool { return r == ',' || r == ' ' })
	s.submit(func(p *loop) {
		if p.clusters == nil {
			p.reportError(errors.New(":clusters: this is no console, and has no contexts"))
			return
		}
		if err := p.clusters.Add(names...); err != nil {
			p.reportError(fmt.Errorf(":clusters: %w", err))
			return
		}
		p.showClusters()
	})
	return nil
}

// clusterCompletions completes the last of the contexts.
func clusterCompletions(s *Screen, typed string) []string {
	at := strings.LastIndexAny(typed, ", ") + 1
	names := contextCompletions(s, typed[at:])
	for i := range names {
		names[i] = typed[:at] + names[i]
	}
	return names
}

// sendContexts sends the names of the contexts to the screen, where there are any.
func (p *loop) sendContexts() {
	switch {
	case p.live != nil:
		p.send(contextsMsg(p.live.Contexts()))
	case p.clusters != nil:
		p.send(contextsMsg(p.clusters.contexts))
	}
}

// onList returns why there is no cluster to act on: the source is the list of clusters; empty for other sources.
func (p *loop) onList() string {
	if _, list := p.source.(*Clusters); list {
		return enterFirst
	}
	return ""
}

// enterCluster shows a cluster of the list.
func (p *loop) enterCluster(command, name string) {
	if p.live != nil && name == p.source.Name() {
		p.report(command + ": this is the cluster that is shown")
		return
	}
	next, err := p.clusters.enter(name)
	if err != nil {
		p.reportError(fmt.Errorf("%s: %w", command, err))
		return
	}
	p.afterHold = func() {
		p.use(next)
		p.clusters.leaveAllBut(next)
		p.send(switchedMsg{cluster: name, entered: true})
	}
}

// showClusters shows the list of clusters.
func (p *loop) showClusters() {
	if p.onList() != "" {
		return // it shows what was added
	}
	p.afterHold = func() {
		p.use(p.clusters)
		p.send(switchedMsg{cluster: p.clusters.Name(), root: views.ClustersPane, left: p.clusters.leaveAllBut(nil)})
	}
}
