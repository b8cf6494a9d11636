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
	// minTransitions and maxTransitions bound the transitions in a model, with many pending pods and with none; maxEarlier bounds
	// the earlier states of a pod.
	minTransitions = 12
	maxTransitions = 40
	maxEarlier     = 4
	// maxWalked bounds the transitions that are read for them.
	maxWalked = 256
)

// recentTransitions returns the latest transitions, one for each pod, the newest first, each with the pod's earlier states. It
// returns more when fewer pods are pending.
func recentTransitions(e *engine.Engine, rows, pending int) []views.Transition {
	most := min(max(rows-pending, minTransitions), maxTransitions)
	list := make([]views.Transition, 0, most)
	seen := make([]types.UID, 0, most)
	var bindings []engine.BindingInFlight
	walked := 0
	for t := range e.RecentTransitions() {
		if walked++; walked > maxWalked {
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
			if t.Event == queue.Done && bindings == nil {
				bindings = e.BindingsFrom(0, maxWalked)
			}
			m.Node = printable.Text(bindingNode(bindings, t))
		}
		transitions := e.LastPodTransitions(t.UID, maxEarlier+1)
		for i := range transitions[:max(len(transitions)-1, 0)] {
			from := stateOf(transitions[i].From)
			if transitions[i].From == queue.Gone {
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
func bindingNode(bindings []engine.BindingInFlight, t *queue.Transition) string {
	for i := range bindings {
		if u := &bindings[i]; u.Pod.Name == t.Name && u.Pod.Namespace == t.Namespace {
			return u.Node
		}
	}
	return ""
}
