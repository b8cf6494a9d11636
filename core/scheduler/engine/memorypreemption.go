package engine

import (
	"errors"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
)

// memoryPreemption preempts pods that have their node in memory only. Their bindings fail after the scheduling cycle of the preemptor, as in
// kube-scheduler, where another goroutine has to notice. It is empty between inputs and steps.
type memoryPreemption struct {
	engine   *Engine
	bindings []types.UID // whose PreBind plugins are to stop, in the order of their preemption
	activate []*v1.Pod
}

var _ framework.MemoryPreemption = (*memoryPreemption)(nil)

// PreemptInMemory ends a pod's wait for a permit, or its PreBind plugins.
func (m *memoryPreemption) PreemptInMemory(uid types.UID, plugin string) bool {
	if m.engine.waiting.Preempt(uid, plugin, "preempted") {
		return true
	}
	b := m.engine.bindings[uid]
	if b == nil || b.stage != preBinding {
		return false
	}
	if b.preempted == "" {
		b.preempted = "preempted by " + plugin
		m.bindings = append(m.bindings, uid)
	}
	return true
}

// ActivateAfterCycle activates a pod before the bindings fail.
func (m *memoryPreemption) ActivateAfterCycle(pod *v1.Pod) { m.activate = append(m.activate, pod) }

// carryOut does what was put off until the end of the cycle.
func (m *memoryPreemption) carryOut() {
	e := m.engine
	for _, pod := range m.activate {
		podActivator{e}.Activate(klog.Logger{}, map[string]*v1.Pod{pod.Name: pod})
	}
	m.activate = nil
	for len(m.bindings) > 0 {
		uid := m.bindings[0]
		m.bindings = m.bindings[1:]
		if b := e.bindings[uid]; b != nil && b.stage == preBinding {
			e.preBindPreempted(b)
		}
	}
}

// preBindPreempted fails a binding whose PreBind plugin works in steps: it would wait for an answer that is of no use by now. Any other plugin
// is not disturbed, and the binding fails when it returns; kube-scheduler cancels its context.
func (e *Engine) preBindPreempted(b *binding) {
	if plugin := b.stepwise(); plugin != nil {
		e.preBindDone(b, fwk.AsStatus(errors.New(b.preempted)))
	}
}
