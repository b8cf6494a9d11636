package engine

import (
	"slices"

	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// preBindPart is one of several PreBind plugins of a binding that work in steps beside each other. The binding's next is the first of them,
// and goes on behind the last when all are done.
type preBindPart struct {
	effect world.EffectID
	asked  world.Action
	wait   *framework.ObjectWait // nil if it does not wait for objects
	done   bool
}

// preBindParts are the plugins that run beside each other. A binding has a pointer to them, so that bindings can be compared.
type preBindParts struct{ all []preBindPart }

func (p *preBindParts) clone() *preBindParts {
	if p == nil {
		return nil
	}
	return &preBindParts{slices.Clone(p.all)}
}

// parts returns the plugins that run beside each other, none if the binding has one at a time.
func (b *binding) parts() []preBindPart {
	if b.beside == nil {
		return nil
	}
	return b.beside.all
}

// preBindInParallel begins with the next n PreBind plugins.
func (e *Engine) preBindInParallel(b *binding, n int) {
	b.effect, b.asked, b.beside = 0, nil, &preBindParts{make([]preBindPart, n)}
	for i := range n {
		if e.partStep(b, i, nil); e.bindings[b.assumed.UID] != b {
			return // it has failed
		}
	}
	e.partsStepped(b)
}

// partStep takes the next step of one plugin. A failure is the binding's: what the others wait for is of no use then.
func (e *Engine) partStep(b *binding, i int, outcome *world.Outcome) {
	part, plugin := &b.parts()[i], b.profile.PreBindPlugins(b.state)[b.next+i].(framework.StepwisePreBind)
	*part = preBindPart{}
	step := b.profile.CallPreBindStep(plugin, b.state, b.assumed, b.node, e.now, outcome)
	switch {
	case step.Action != nil:
		part.asked, part.effect = step.Action, e.emit(step.Action)
		e.pending[part.effect] = b.assumed.UID
	case step.Wait != nil:
		part.wait = step.Wait
	default:
		part.done = true
		if status := b.profile.CheckPreBindStatus(plugin.Name(), step.Status); !status.IsSuccess() {
			e.preBindFailed(b, status)
		}
	}
}

// partsStepped goes on behind the plugins if all are done, or waits for the objects that any of them waits for.
func (e *Engine) partsStepped(b *binding) {
	e.objectWaits.cancel(b.assumed.UID)
	var wait framework.ObjectWait
	waits, done := false, 0
	for i := range b.parts() {
		part := &b.parts()[i]
		if part.done {
			done++
		}
		if part.wait == nil {
			continue
		}
		if wait.Objects = append(wait.Objects, part.wait.Objects...); !waits || part.wait.Until.Before(wait.Until) {
			wait.Until = part.wait.Until
		}
		waits = true
	}
	switch {
	case done == len(b.parts()):
		b.next, b.beside = b.next+done, nil
		e.preBind(b)
	case waits:
		wait.Objects = distinct(wait.Objects)
		e.objectWaits.add(b.assumed.UID, wait)
	}
}

// distinct returns keys without those that another one equals, in their order.
func distinct(keys []framework.ObjectKey) []framework.ObjectKey {
	var list []framework.ObjectKey
	for _, key := range keys {
		if !slices.Contains(list, key) {
			list = append(list, key)
		}
	}
	return list
}

// partsLook has the plugins that wait for objects look again.
func (e *Engine) partsLook(b *binding) {
	for i := range b.parts() {
		if b.parts()[i].wait == nil {
			continue
		}
		if e.partStep(b, i, nil); e.bindings[b.assumed.UID] != b {
			return
		}
	}
	e.partsStepped(b)
}

// partEffectDone gives a plugin the outcome of its effect.
func (e *Engine) partEffectDone(b *binding, id world.EffectID, outcome world.Outcome) {
	if e.partStep(b, b.partOf(id), &outcome); e.bindings[b.assumed.UID] == b {
		e.partsStepped(b)
	}
}

// partOf returns the index of the plugin that waits for an effect, or -1.
func (b *binding) partOf(id world.EffectID) int {
	return slices.IndexFunc(b.parts(), func(part preBindPart) bool { return part.effect == id })
}

// currentPreBind returns the index of the first PreBind plugin that is not done.
func (b *binding) currentPreBind() int {
	return b.next + max(0, slices.IndexFunc(b.parts(), func(part preBindPart) bool { return !part.done }))
}
