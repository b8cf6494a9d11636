package engine

import (
	"fmt"

	v1 "k8s.io/api/core/v1"

	"orrery/core/world"
)

// Trial places pods one beside the other, without their turns: whether they fit together if no other pod comes between. It has a
// fork of its own. No pod preempts, and Permit is not asked.
type Trial struct {
	engine  *Engine
	visited int
}

// Trial begins a trial after some events. It is an error if one of them is refused.
func (e *Engine) Trial(events ...world.Event) (*Trial, error) {
	f, err := e.forkForExplain()
	if err != nil {
		return nil, fmt.Errorf("trying pods together: %w", err)
	}
	for _, event := range events {
		if err := f.Apply(world.Input{At: f.now, Event: event}); err != nil {
			return nil, fmt.Errorf("trying pods together: %w", err)
		}
	}
	return &Trial{engine: f}, nil
}

// Engine is the fork with the pods in their places, to be read only.
func (t *Trial) Engine() *Engine { return t.engine }

// Visited is how many nodes were filtered so far: the cost.
func (t *Trial) Visited() int { return t.visited }

// Release takes from a pod its place and its nomination, if it has them.
func (t *Trial) Release(pod *v1.Pod) {
	t.engine.withoutNode(pod)
	t.engine.queue.DeleteNominatedPodIfExists(pod)
}

// Place returns the node that a pod without one gets, empty if none. If it fits on the likely node, no other is visited.
func (t *Trial) Place(pod *v1.Pod, likely string) string {
	e := t.engine
	a := e.newAttempt(pod)
	a.batching, a.likely = false, likely
	node, err := a.findNode()
	t.visited += a.decision.Examined
	if err != nil {
		return ""
	}
	assumed, err := a.assume(node)
	if err != nil {
		return ""
	}
	if !a.profile.RunReservePluginsReserve(e.ctx, a.state, assumed, node).IsSuccess() {
		a.profile.RunReservePluginsUnreserve(e.ctx, a.state, assumed, node)
		e.reportProblem(e.cache.ForgetPod(assumed))
		return ""
	}
	return node
}
