package collect

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/printable"
	"orrery/core/queue"
	"orrery/core/world"
	"orrery/views"
)

const (
	// minMoves and maxMoves bound the transitions in a model, with many pending pods and with none; trailSteps bounds
	// the earlier states of a pod.
	minMoves   = 12
	maxMoves   = 40
	trailSteps = 4
	// maxWalked bounds the transitions that are read for them.
	maxWalked = 256
)

// moves are the latest transitions, one for each pod, the newest first, each with the pod's earlier states. There are
// more of them when fewer pods are pending.
func moves(e *engine.Engine, rows, waiting int) []views.Transition {
	most := min(max(rows-waiting, minMoves), maxMoves)
	list := make([]views.Transition, 0, most)
	seen := make([]types.UID, 0, most)
	var underway []engine.BindingInFlight
	far := 0
	for t := range e.RecentTransitions() {
		if far++; far > maxWalked {
			break
		}
		if slices.Contains(seen, t.UID) {
			continue
		}
		seen = append(seen, t.UID)
		m := views.Transition{
			At: t.At, Pod: podName(world.PodRef{Namespace: t.Namespace, Name: t.Name}), From: stateOf(t.From), To: destination(e, t),
			Event: printable.Text(t.Event), Plugin: printable.Text(t.Plugin),
		}
		if t.From == queue.Gone {
			m.From = views.Created
		}
		switch m.To {
		case views.Bound:
			m.Node = printable.Text(boundNode(e, t))
		case views.InFlight:
			if t.Event == queue.Done && underway == nil {
				underway = e.BindingsFrom(0, maxWalked)
			}
			m.Node = printable.Text(bindingNode(underway, t))
		}
		way := e.LastPodTransitions(t.UID, trailSteps+1)
		for i := range way[:max(len(way)-1, 0)] {
			from := stateOf(way[i].From)
			if way[i].From == queue.Gone {
				from = views.Created
			}
			m.Earlier = append(m.Earlier, from)
		}
		if list = append(list, m); len(list) == most {
			break
		}
	}
	return list
}

// destination is the state after a transition. A pod that leaves the queue after its attempt, or because another
// scheduler bound it, is in flight, bound or gone.
func destination(e *engine.Engine, t *queue.Transition) views.PodState {
	if t.To == queue.Gone && (t.Event == queue.Done || t.Event == queue.BoundByOther) {
		return podStateAt(e.PodState(t.Namespace, t.Name))
	}
	return stateOf(t.To)
}

// boundNode is the node that a pod is bound to; empty if it is not.
func boundNode(e *engine.Engine, t *queue.Transition) string {
	if pod := e.Store().Pod(t.Namespace, t.Name); pod != nil {
		return pod.Spec.NodeName
	}
	return ""
}

// bindingNode is the node of a binding in flight.
func bindingNode(underway []engine.BindingInFlight, t *queue.Transition) string {
	for i := range underway {
		if u := &underway[i]; u.Pod.Name == t.Name && u.Pod.Namespace == t.Namespace {
			return u.Node
		}
	}
	return ""
}
