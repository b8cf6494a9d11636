package tui

import (
	"strconv"

	"orrery/core/world"
	"orrery/views"
)

// rows is a list of a model as the cursor sees it: what names a row, and what it is about. Functions that are nil have
// nothing to say.
type rows struct {
	first, count, total int
	key, pod, node      func(i int) string
}

func rowsOf[T any](l *views.List[T], key, pod, node func(*T) string) rows {
	in := func(f func(*T) string) func(int) string {
		if f == nil {
			return nil
		}
		return func(i int) string {
			if r := l.At(i); r != nil {
				return f(r)
			}
			return ""
		}
	}
	return rows{first: l.First, count: len(l.Rows), total: l.Total, key: in(key), pod: in(pod), node: in(node)}
}

// listOf is the list of a pane; it is empty for panes that have none, and while the frame is of another pane.
func listOf(m *views.Model, pane views.PaneID) rows {
	switch {
	case pane == views.QueuePane && m.Queue != nil:
		key := func(r *views.PodRow) string { return r.Key }
		return rowsOf(&m.Queue.Pods, key, key, nil)
	case pane == views.SnapshotPane && m.Snapshot != nil:
		key := func(r *views.NodeRow) string { return r.Key }
		return rowsOf(&m.Snapshot.List, key, nil, key)
	case pane == views.EvictionsPane && m.Evictions != nil:
		key := func(r *views.Departure) string { return r.Key }
		return rowsOf(&m.Evictions.List, key, key, func(r *views.Departure) string { return r.NodeKey })
	case pane == views.DecisionsPane && m.Decisions != nil:
		return rowsOf(&m.Decisions.List, func(r *views.DecisionRow) string { return strconv.FormatUint(r.Seq, 10) },
			func(r *views.DecisionRow) string { return r.Key }, func(r *views.DecisionRow) string { return r.NodeKey })
	case pane == views.PluginsPane && m.Plugins != nil:
		return rowsOf(&m.Plugins.List, func(r *views.PluginRow) string { return r.Point + " " + r.Plugin }, nil, nil)
	case pane == views.ExplainPane && m.Explain != nil:
		key := func(r *views.MatrixRow) string { return r.Key }
		return rowsOf(&m.Explain.Matrix, key, nil, key)
	case pane == views.JourneyPane && m.Journey != nil:
		return rowsOf(&m.Journey.Steps, nil, nil, nil)
	case pane == views.NodePane && m.Node != nil:
		key := func(r *views.NodePod) string { return r.Key }
		return rowsOf(&m.Node.Pods, key, key, nil)
	case pane == views.PressurePane && m.Pressure != nil:
		key := func(r *views.PressurePod) string { return r.Key }
		return rowsOf(&m.Pressure.Pods, key, key, nil)
	case pane == views.TimelinePane && m.Timeline != nil:
		return rowsOf(m.Timeline.List(), nil, nil, nil)
	case pane == views.AgreementPane && m.Agreement != nil:
		return rowsOf(&m.Agreement.List, func(r *views.Difference) string { return strconv.FormatUint(r.Seq, 10) },
			func(r *views.Difference) string { return r.Pod }, func(r *views.Difference) string { return r.Real })
	case pane == views.WhatIfPane && m.WhatIf != nil:
		key := func(r *views.WhatIfChange) string { return r.Key }
		return rowsOf(&m.WhatIf.Changes, key, key, nil)
	}
	return rows{}
}

// list is the list on the screen.
func (s *Screen) list() rows {
	if s.frame == nil {
		return rows{}
	}
	return listOf(s.frame.Model, s.top().pane)
}

func (s *Screen) total() int {
	if p := s.top().page; p != nil {
		return len(p.lines)
	}
	return s.list().total
}

func (s *Screen) keyAt(i int) string {
	if l := s.list(); l.key != nil {
		return l.key(i)
	}
	return ""
}

// selectedPod is the pod that verbs are about: that of the selected row, else the one the pane is open on.
func (s *Screen) selectedPod() (world.Ref, bool) {
	t := s.top()
	if l := s.list(); l.pod != nil {
		if ref, ok := refOf(l.pod(t.cursor.Selected)); ok {
			return ref, true
		}
	}
	return t.pod, t.pod.Name != ""
}

// selectedNode is the node that verbs are about.
func (s *Screen) selectedNode() (string, bool) {
	t := s.top()
	if l := s.list(); l.node != nil {
		if node := l.node(t.cursor.Selected); node != "" {
			return node, true
		}
	}
	if t.pane == views.ZonesPane && s.frame != nil && s.frame.Model.Zones != nil {
		node := s.frame.Model.Zones.ChosenKey
		return node, node != ""
	}
	return t.node, t.node != ""
}
