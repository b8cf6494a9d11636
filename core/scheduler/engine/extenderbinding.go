package engine

import (
	"errors"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
)

// bindByExtender calls the next extender that binds the pod in place of the Bind plugins. It returns false if there is none, and
// for a shadow, which must not bind.
func (e *Engine) bindByExtender(b *binding) bool {
	if e.options.ExtendersUnasked || e.options.Shadow {
		return false
	}
	for ; b.extender < len(e.extenders); b.extender++ {
		x := e.extenders[b.extender]
		if !x.Has(world.ExtenderBind) || !x.Interested(b.assumed) {
			continue
		}
		b.asked = callOf(x, world.ExtenderBind, world.ExtenderRequest{Pod: b.assumed, Node: b.node})
		e.emitForBinding(b, b.asked)
		return true
	}
	return false
}

// callsExtender reports whether the binding waits for an extender.
func (b *binding) callsExtender() bool {
	_, calls := b.asked.(world.CallExtender)
	return b.stage == bindingNow && calls
}

// extenderBound ends a binding, or goes on to the next extender and then to the plugins: where the world has no such extender, and
// where one failed that may be ignored.
func (e *Engine) extenderBound(b *binding, out world.Outcome) {
	x := e.extenders[b.extender]
	b.extender++
	b.asked = nil
	var err error
	switch {
	case !out.OK():
		err = outcomeError{out}
	case out.Answer == nil:
		e.bind(b)
		return
	case out.Answer.Error != "":
		err = errors.New(out.Answer.Error)
	}
	if err != nil && x.Ignorable {
		e.bind(b)
		return
	}
	e.bindingEnded(b, fwk.AsStatus(err))
}
