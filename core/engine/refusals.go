package engine

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/framework"
	"orrery/core/queue"
	"orrery/core/world"
)

// maxRefusals bounds the refusals that wait for the next Step: an engine that only follows has none.
const maxRefusals = 1024

// refusal is a pod that a framework.Refuser keeps out of the queue.
type refusal struct {
	pod     world.PodRef
	profile string
	note    string
}

// recordRefusal keeps a transition for the next Step if a framework.Refuser gated the pod.
func (e *Engine) recordRefusal(t queue.Transition) {
	if t.Kind != queue.Moved || t.To != queue.Gated || !t.Entered || e.profiles[t.Profile] == nil {
		return
	}
	plugin, _ := e.profiles[t.Profile].Plugin(t.Plugin)
	if _, ok := plugin.(framework.Refuser); !ok {
		return
	}
	if len(e.refusals) == maxRefusals {
		e.refusals = e.refusals[1:]
	}
	e.refusals = append(e.refusals, refusal{world.PodRef{Namespace: t.Namespace, Name: t.Name, UID: t.UID}, t.Profile, t.Note})
}

// reportRefusals emits an event for each refused pod that is still there.
func (e *Engine) reportRefusals() {
	for _, r := range e.refusals {
		if pod := e.store.Pod(r.pod.Namespace, r.pod.Name); pod == nil || pod.UID != r.pod.UID || assigned(pod) {
			continue
		}
		e.emit(world.EmitEvent{
			Regarding: r.pod, Type: v1.EventTypeWarning, Reason: "FailedScheduling", Action: "Scheduling",
			Note: truncateNote(r.note), Controller: r.profile,
		})
	}
	e.refusals = nil
}
