package engine

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/framework"
)

// cycleMemory is what one scheduling cycle, and the binding that may follow, write to. When the pod is bound, or has no node, the
// next cycle takes it.
type cycleMemory struct {
	state      framework.CycleState
	toActivate framework.PodsToActivate
	binding    binding
}

// takeCycleMemory returns memory for a cycle.
func (e *Engine) takeCycleMemory() *cycleMemory {
	if last := len(e.idleMemory) - 1; last >= 0 {
		m := e.idleMemory[last]
		e.idleMemory = e.idleMemory[:last]
		return m
	}
	return &cycleMemory{toActivate: framework.PodsToActivate{Map: map[string]*v1.Pod{}}}
}

// maxIdleMemory is how much memory is kept when many bindings end at once.
//
//orrery:limit scheduler; memory of cycles that is kept for the next; it is freed
const maxIdleMemory = 256

// release gives memory back. Plugins of others may keep the state that they were given, so that theirs is not used again.
func (e *Engine) release(m *cycleMemory) {
	if m == nil || len(e.options.Plugins) > 0 || len(e.idleMemory) == maxIdleMemory {
		return
	}
	m.state.Reset()
	clear(m.toActivate.Map)
	m.binding = binding{}
	e.idleMemory = append(e.idleMemory, m)
}

// newFitError returns the error of a cycle before its search. It is that of the last cycle if that found a node.
func (e *Engine) newFitError(pod *v1.Pod, nodes int) *framework.FitError {
	fit := e.idleFit
	if e.idleFit = nil; fit == nil {
		fit = &framework.FitError{}
	}
	*fit = framework.FitError{Pod: pod, NumAllNodes: nodes}
	return fit
}
