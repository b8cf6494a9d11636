package engine

import (
	"cmp"
	"slices"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// PendingEffect is an emitted effect whose outcome a binding, a scheduling cycle or a plugin waits for.
type PendingEffect struct {
	Effect world.EffectID
	Act    world.Action
}

// PendingEffects lists the effects whose outcomes the engine waits for, the oldest first, whether taken by Effects or
// not. Status patches without a receiver are not listed. A plugin call is listed without its Call, which is made once,
// by the driver that took it.
func (e *Engine) PendingEffects() []PendingEffect {
	all := make([]PendingEffect, 0, len(e.pending)+len(e.pluginEffects))
	for id, ask := range e.pluginEffects {
		all = append(all, PendingEffect{id, ask.act})
	}
	for id, uid := range e.pending {
		if b := e.bindings[uid]; b != nil && b.waitsFor(id) {
			all = append(all, PendingEffect{id, b.pendingAct(id)})
		}
	}
	if a := e.suspended; a != nil && !a.asking.cancelled {
		for _, call := range a.asking.calls {
			if call.outcome == nil {
				all = append(all, PendingEffect{call.effect, call.act})
			}
		}
	}
	slices.SortFunc(all, func(a, b PendingEffect) int { return cmp.Compare(a.Effect, b.Effect) })
	return all
}

// pendingAct is the action of an effect that a binding waits for after the Permit phase.
func (b *binding) pendingAct(id world.EffectID) world.Action {
	if i := b.partOf(id); i >= 0 {
		return b.parts()[i].asked
	}
	if b.stepwise() != nil || b.callsExtender() {
		return b.asked
	}
	if b.stage == bindingNow {
		if binder, named := b.profile.BindPlugins()[b.next].(framework.Binder); named {
			return binder.Binding(b.assumed, b.node)
		}
	}
	return b.currentPlugin()
}
