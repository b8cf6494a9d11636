package collect

import (
	"cmp"
	"slices"

	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
	"orrery/views"
)

// source gives lists their rows.
type source struct {
	*Collector
	e     *engine.Engine
	query Query
}

// Pods are the pods of the queue and those with a binding in flight.
func (s source) Pods() views.Rows[views.PodRow] {
	q := s.e.Queue()
	s.rows.of(s.e)
	return views.Rows[views.PodRow]{
		Stamp: q.Seq(), Total: s.e.BindingCount() + q.Len() - q.Counts().InFlight,
		Window: func(first, n int) []views.PodRow { return s.podList(s.e, first, first+n) },
		Lazy: &views.LazyRows[views.PodRow]{
			All: s.allPods, Compare: s.comparePods, Brief: s.briefPod,
			Whole: func(of any) views.PodRow {
				if b, ok := of.(*engine.BindingInFlight); ok {
					return s.bindingRow(s.e, b)
				}
				return s.rows.row(s.e, of.(*queue.Pod))
			},
		},
	}
}

// allPods appends the bindings in flight, and the pods of the queue.
func (s source) allPods(list []any) []any {
	bindings := s.e.Bindings()
	list = slices.Grow(list, len(bindings)+s.e.Queue().Len())
	for i := range bindings {
		list = append(list, &bindings[i])
	}
	for _, part := range queueParts {
		s.pods = s.e.Queue().Pods(s.pods[:0], part)
		for _, p := range s.pods {
			list = append(list, p)
		}
	}
	clear(s.pods)
	return list
}

// comparePods orders bindings before the queue, and the queue by its parts.
func (s source) comparePods(a, b any) int {
	x, xQueued := a.(*queue.Pod)
	y, yQueued := b.(*queue.Pod)
	switch {
	case xQueued && yQueued:
		return cmp.Or(cmp.Compare(queuePart(x), queuePart(y)), s.e.Queue().Compare(x, y))
	case xQueued:
		return 1
	case yQueued:
		return -1
	}
	return 0
}

func queuePart(p *queue.Pod) int {
	state := p.State()
	if state == queue.ErrorBackoff {
		state = queue.Backoff
	}
	return slices.Index(queueParts[:], state)
}

func (s source) briefPod(of any) views.PodRow {
	if b, ok := of.(*engine.BindingInFlight); ok {
		r := views.PodRow{State: s.placedState(len(b.Waiting) > 0), Since: b.Since, Namespace: b.Pod.Namespace, PodName: b.Pod.Name, Node: b.Node, Message: b.Stage}
		if pod := s.e.Store().Pod(b.Pod.Namespace, b.Pod.Name); pod != nil {
			r.Labels, r.Priority, r.Gang, r.Pending = pod.Labels, priorityOf(pod), gangOf(pod), pendingSince(pod, s.e.Now())
		}
		return r
	}
	p := of.(*queue.Pod)
	pod := p.Pod()
	return views.PodRow{
		State: stateOf(p.State()), Priority: p.Priority(), Attempts: p.GetAttempts(), Since: p.Since(), Pending: queuedPending(p, s.e.Now()),
		Namespace: pod.Namespace, PodName: pod.Name, Labels: pod.Labels, Message: world.PendingMessage(pod), Rejectors: p.Rejectors(),
		Gang: gangOf(pod),
	}
}

// Nodes are the cluster's, SnapshotNodes the snapshot's.
func (s source) Nodes() views.Rows[views.NodeRow]         { return s.nodes.rows() }
func (s source) SnapshotNodes() views.Rows[views.NodeRow] { return s.believed.rows() }

func (m *nodeTable) rows() views.Rows[views.NodeRow] {
	return views.RowsAt(m.stamp, len(m.known), m.row)
}

// Evictions are the open ones, the earliest first, then the ended ones, the latest first.
func (s source) Evictions() views.Rows[views.Eviction] {
	m := &s.evictionList
	return views.RowsAt(m.stamp, len(m.open)+len(m.ended), func(i int) views.Eviction {
		return evictionRow(m.nth(i), s.e)
	})
}

// Decisions are the log's, the newest first. The log is walked no further than
// to the last row of a window.
func (s source) Decisions() views.Rows[views.DecisionRow] {
	return views.Rows[views.DecisionRow]{
		Stamp: s.e.LastDecision(), Total: s.e.DecisionCount(),
		Window: func(first, n int) []views.DecisionRow {
			rows, i := make([]views.DecisionRow, 0, n), 0
			for d := range s.e.Decisions() {
				if i >= first+n {
					break
				}
				if i >= first {
					rows = append(rows, decisionRow(d))
				}
				i++
			}
			return rows
		},
		Lazy: &views.LazyRows[views.DecisionRow]{
			All: func(list []any) []any {
				for d := range s.e.Decisions() {
					list = append(list, d)
				}
				return list
			},
			Compare: func(a, b any) int { return cmp.Compare(b.(*engine.Decision).Seq, a.(*engine.Decision).Seq) },
			Brief: func(of any) views.DecisionRow {
				d := of.(*engine.Decision)
				r := views.DecisionRow{
					Verdict: views.Verdict(d.Verdict), Key: d.Pod.String(), NodeKey: cmp.Or(d.Nominated, d.Node),
					Examined: d.Examined, Duration: d.Duration, Message: d.Message,
				}
				if pod := s.e.Store().Pod(d.Pod.Namespace, d.Pod.Name); pod != nil {
					r.Labels = pod.Labels
				}
				return r
			},
			Whole: func(of any) views.DecisionRow { return decisionRow(of.(*engine.Decision)) },
		},
	}
}

// Plugins are those of the profile of the pod that is open, or else of the first.
func (s source) Plugins() views.Rows[views.PluginRow] {
	return views.RowsOf(s.e.LastDecision(), s.pluginRows(s.e, s.profileName(s.e, s.query)))
}

// Matrix holds the filter plugins' statuses of every node.
func (s source) Matrix() views.Rows[views.MatrixRow] {
	all, plugins := s.diagnosis.d.Nodes, s.diagnosis.model.Plugins
	return views.RowsAt(s.diagnosis.made, len(all), func(i int) views.MatrixRow { return matrixRow(&all[i], plugins) })
}

// NodePods are the pods on the node that is open.
func (s source) NodePods() views.Rows[views.NodePod] {
	info := s.nodes.known[s.nodes.positions[s.query.Node]].info
	pods := info.GetPods()
	_, changes, _ := s.e.Profile(s.e.Profiles()[0]).ObjectChanges(world.Pod, 0) // a pod that is bound where it was placed changes its state only
	return views.RowsAt(uint64(info.GetGeneration())+changes, len(pods), func(i int) views.NodePod { return s.nodePod(s.e, pods[i]) })
}

// Differences are added by AddAgreement: an engine alone has none.
func (s source) Differences() views.Rows[views.Difference] { return views.Rows[views.Difference]{} }

// PressurePods are the pods on the node that is open, in the order of eviction.
func (s source) PressurePods() views.Rows[views.PressurePod] {
	return views.RowsOf(s.ranking, s.ranked)
}

// CompareRows are those of the comparison that is open.
func (s source) CompareRows() views.Rows[views.CompareRow] {
	c := s.query.Comparison
	if c == nil {
		return views.Rows[views.CompareRow]{}
	}
	return views.RowsOf(uint64(len(c.List.Rows)), c.List.Rows)
}

// Marks are the timeline's.
func (s source) Marks() views.Rows[views.Mark] {
	return views.RowsOf(uint64(len(s.query.Timeline.Marks)), s.query.Timeline.Marks)
}
