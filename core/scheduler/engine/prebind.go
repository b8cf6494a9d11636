package engine

import (
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// stepwise is the binding's current plugin, if it is a PreBind plugin that works in steps.
func (b *binding) stepwise() framework.StepwisePreBind {
	if b.stage != preBinding {
		return nil
	}
	plugin, _ := b.profile.PreBindPlugins(b.state)[b.next].(framework.StepwisePreBind)
	return plugin
}

// preBindStep takes the next step of the current PreBind plugin: an effect, a wait, or its end. outcome is that of the
// step's effect before, nil after a wait.
func (e *Engine) preBindStep(b *binding, outcome *world.Outcome) {
	b.effect, b.asked = 0, nil
	step := b.profile.CallPreBindStep(b.stepwise(), b.state, b.assumed, b.node, e.now, outcome)
	switch {
	case step.Action != nil:
		b.asked = step.Action
		e.emitForBinding(b, step.Action)
	case step.Wait != nil:
		e.objectWaits.add(b.assumed.UID, *step.Wait)
	default:
		e.preBindDone(b, step.Status)
	}
}

// preBindDone ends the current PreBind plugin with its status.
func (e *Engine) preBindDone(b *binding, status *fwk.Status) {
	plugin := b.profile.PreBindPlugins(b.state)[b.currentPreBind()]
	if status = b.profile.CheckPreBindStatus(plugin.Name(), status); !status.IsSuccess() {
		e.preBindFailed(b, status)
		return
	}
	b.next++
	e.preBind(b)
}

func (e *Engine) preBindFailed(b *binding, status *fwk.Status) {
	e.observePoint(b.profile, framework.PreBind, status.Code(), b.stageStarted)
	e.bindingFailed(b, status)
}
