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
	// trail is how many moves are shown at most, and steps how many of a pod's moves before.
	trail = 12
	steps = 4
	// walked is how far back in time the latest moves of so many pods are looked for.
	walked = 256
)

// moves are the latest moves, one for each pod that moved, the newest first. Where the pod was before is its trail.
func moves(e *engine.Engine) []views.Move {
	list := make([]views.Move, 0, trail)
	seen := make([]types.UID, 0, trail)
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
		way := e.Trail(t.UID, steps+1)
		for i := range way[:max(len(way)-1, 0)] {
			from := stateOf(way[i].From)
			if way[i].From == queue.Gone {
				from = views.Unseen
			}
			m.Trail = append(m.Trail, from)
		}
		if list = append(list, m); len(list) == trail {
			break
		}
	}
	return list
}

// arrived is where a move has led. A pod that leaves the queue when its attempt is done is on its way to a node, or on it
// by now, unless it is no more.
func arrived(e *engine.Engine, t *queue.Transition) views.PodState {
	if t.To == queue.Gone && t.Event == queue.Done {
		return place(e.Where(t.Namespace, t.Name))
	}
	return stateOf(t.To)
}
