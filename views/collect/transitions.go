package collect

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
	"orrery/views"
)

const (
	// minTransitions and maxTransitions bound the transitions in a model, with many pending pods and with none; maxEarlier bounds
	// the earlier states of a pod.
	minTransitions = 12
	//orrery:limit screen; moves between queues that are listed; the oldest goes
	maxTransitions = 40
	maxEarlier     = 4
	// maxWalked bounds the transitions that are read for them.
	//
	//orrery:limit screen; moves that are read for those; older ones are left out
	maxWalked = 256
)

// recentTransitions returns the latest transitions, one for each pod, the newest first, each with the pod's earlier states. It
// returns more when fewer pods are pending. With a namespace they are of its pods.
func recentTransitions(e *engine.Engine, namespace string, rows, pending int) []views.Transition {
	most := min(max(rows-pending, minTransitions), maxTransitions)
	list := make([]views.Transition, 0, most)
	seen := make([]types.UID, 0, most)
	var bindings []engine.BindingInFlight
	walked := 0
	for t := range e.RecentTransitions() {
		if walked++; walked > maxWalked {
			break
		}
		if slices.Contains(seen, t.UID) || namespace != "" && t.Namespace != namespace {
			continue
		}
		seen = append(seen, t.UID)
		m := views.Transition{
			At: t.At, Pod: podName(world.PodRef{Namespace: t.Namespace, Name: t.Name}), To: destination(e, t),
			Event: printable.Text(t.Event), Plugin: printable.Text(t.Plugin), UID: string(t.UID),
		}
		m.From = origin(t)
		switch m.To {
		case views.Bound:
			m.Node = printable.Text(boundNode(e, t))
			if t.Event == queue.BoundByOther {
				m.By = printable.Text(t.Profile)
			}
		case views.InFlight:
			if t.Event == queue.Done && bindings == nil {
				bindings = e.BindingsFrom(0, maxWalked)
			}
			m.Node = printable.Text(bindingNode(bindings, t))
		}
		transitions := e.LastPodTransitions(t.UID, maxEarlier+1)
		for i := range transitions[:max(len(transitions)-1, 0)] {
			m.Earlier = append(m.Earlier, origin(&transitions[i]))
		}
		if list = append(list, m); len(list) == most {
			break
		}
	}
	return list
}

// origin is the state before a transition. A pod that comes from nowhere is new, unless it has just left the queue with
// its attempt.
func origin(t *queue.Transition) views.PodState {
	switch {
	case t.From != queue.Gone:
		return stateOf(t.From)
	case t.Event == queue.BoundByOther:
		return views.InFlight
	}
	return views.Created
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
