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
	// trail and longTrail are how many moves are handed out when many wait and when nobody does, and steps how many of a
	// pod's moves before.
	trail     = 12
	longTrail = 40
	steps     = 4
	// walked is how far back in time the latest moves of so many pods are looked for.
	walked = 256
)

// moves are the latest moves, one for each pod that moved, the newest first. Where the pod was before is its trail. There
// are more of them where the pods that wait leave room on the screen.
func moves(e *engine.Engine, rows, waiting int) []views.Move {
	most := min(max(rows-waiting, trail), longTrail)
	list := make([]views.Move, 0, most)
	seen := make([]types.UID, 0, most)
	var underway []engine.Underway
	far := 0
	for t := range e.Moves() {
		if far++; far > walked {
			break
		}
		if slices.Contains(seen, t.UID) {
			continue
		}
		seen = append(seen, t.UID)
		m := views.Move{
			At: t.At, Pod: podName(world.Ref{Namespace: t.Namespace, Name: t.Name}), From: stateOf(t.From), To: arrived(e, t),
			Event: printable.Text(t.Event), Plugin: printable.Text(t.Plugin),
		}
		if t.From == queue.Gone {
			m.From = views.Unseen
		}
		switch m.To {
		case views.Bound:
			m.Node = printable.Text(nodeOf(e, t))
		case views.InFlight:
			if t.Event == queue.Done && underway == nil {
				underway = e.BindingsFrom(0, walked)
			}
			m.Node = printable.Text(nodeAhead(underway, t))
		}
		way := e.Trail(t.UID, steps+1)
		for i := range way[:max(len(way)-1, 0)] {
			from := stateOf(way[i].From)
			if way[i].From == queue.Gone {
				from = views.Unseen
			}
			m.Trail = append(m.Trail, from)
		}
		if list = append(list, m); len(list) == most {
			break
		}
	}
	return list
}

// arrived is where a move has led. A pod that leaves the queue when its attempt is done, or because another scheduler was
// quicker, is on its way to a node, or on it by now, unless it is no more.
func arrived(e *engine.Engine, t *queue.Transition) views.PodState {
	if t.To == queue.Gone && (t.Event == queue.Done || t.Event == queue.BoundByOther) {
		return place(e.Where(t.Namespace, t.Name))
	}
	return stateOf(t.To)
}

// nodeOf is the node that a pod has got, if it has one.
func nodeOf(e *engine.Engine, t *queue.Transition) string {
	if pod := e.Store().Pod(t.Namespace, t.Name); pod != nil {
		return pod.Spec.NodeName
	}
	return ""
}

// nodeAhead is the node that a pod is on the way to.
func nodeAhead(underway []engine.Underway, t *queue.Transition) string {
	for i := range underway {
		if u := &underway[i]; u.Pod.Name == t.Name && u.Pod.Namespace == t.Namespace {
			return u.Node
		}
	}
	return ""
}
