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

// poison spoils memory that is given back, and checks when it is taken again that nothing wrote to it meanwhile. Only tests of this
// package have one, so that a use after the return shows.
var poison interface {
	memory(*cycleMemory)
	takeMemory(*cycleMemory)
	fit(*framework.FitError)
	takeFit(*framework.FitError)
}

// takeCycleMemory returns memory for a cycle. It is empty: release has cleared it.
func (e *Engine) takeCycleMemory() *cycleMemory {
	if last := len(e.idleMemory) - 1; last >= 0 {
		m := e.idleMemory[last]
		e.idleMemory = e.idleMemory[:last]
		if poison != nil {
			poison.takeMemory(m)
		}
		return m
	}
	return &cycleMemory{toActivate: framework.PodsToActivate{Map: map[string]*v1.Pod{}}}
}

// maxIdleMemory is how much memory is kept when many bindings end at once.
//
//orrery:limit scheduler; memory of cycles that is kept for the next; it is freed
const maxIdleMemory = 256

// release gives memory back, when the cycle or its binding has ended: no record, fork or call of a plugin refers to it from then on. A
// call gets a copy of the state (lentState), and a fork one of its own. Plugins of others may keep the state that they were given, so
// that theirs is not used again.
func (e *Engine) release(m *cycleMemory) {
	if m == nil || len(e.options.Plugins) > 0 || len(e.idleMemory) == maxIdleMemory {
		return
	}
	if poison != nil {
		poison.memory(m)
	} else {
		m.clear()
	}
	e.idleMemory = append(e.idleMemory, m)
}

func (m *cycleMemory) clear() {
	m.state.Reset()
	clear(m.toActivate.Map)
	m.binding = binding{}
}

// keepFit keeps the error of a cycle that found a node for the next cycle. The error of a failed one has left the engine.
func (e *Engine) keepFit(fit *framework.FitError) {
	if e.idleFit = fit; poison != nil && fit != nil {
		poison.fit(fit)
	}
}

// newFitError returns the error of a cycle before its search. It is that of the last cycle if that found a node.
func (e *Engine) newFitError(pod *v1.Pod, nodes int) *framework.FitError {
	fit := e.idleFit
	if e.idleFit = nil; fit == nil {
		fit = &framework.FitError{}
	} else if poison != nil {
		poison.takeFit(fit)
	}
	*fit = framework.FitError{Pod: pod, NumAllNodes: nodes}
	return fit
}
