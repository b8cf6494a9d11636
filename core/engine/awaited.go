package engine

import (
	"cmp"
	"slices"

	"orrery/core/framework"
	"orrery/core/world"
)

// Awaited is an effect that was wanted and whose outcome somebody waits for: a binding, or a plugin.
type Awaited struct {
	Effect world.EffectID
	Act    world.Act
}

// Awaited lists the effects whose outcomes the engine waits for, the oldest first, be they handed over or not. Status
// patches for which nobody waits are not among them. A call of a plugin is named without the call itself, which is made
// once, by whoever took it over.
func (e *Engine) Awaited() []Awaited {
	all := make([]Awaited, 0, len(e.pending)+len(e.asked))
	for id, ask := range e.asked {
		all = append(all, Awaited{id, ask.act})
	}
	for id, uid := range e.pending {
		if b := e.bindings[uid]; b != nil && b.effect == id {
			all = append(all, Awaited{id, b.awaits()})
		}
	}
	slices.SortFunc(all, func(a, b Awaited) int { return cmp.Compare(a.Effect, b.Effect) })
	return all
}

// awaits is what a binding waits for, after the permit phase.
func (b *binding) awaits() world.Act {
	if b.stage == bindingNow {
		if binder, named := b.profile.BindPlugins()[b.next].(framework.Binder); named {
			return binder.Binding(b.assumed, b.node)
		}
	}
	return b.turn()
}
