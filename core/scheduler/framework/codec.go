package framework

import (
	"fmt"

	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/codec"
)

// StateCoder is implemented by a [Forker] whose state can be written, to be read by the same plugin of another engine. Its state
// is then part of the engine's; see package codec.
type StateCoder interface {
	Forker
	CodeState(c *codec.Coder)
}

// BindingCoder is implemented by plugins that keep data in a cycle's state for the binding of the pod. CodeBinding codes them. The
// data of other plugins are over when the binding begins.
type BindingCoder interface {
	CodeBinding(c *codec.Coder, state *CycleState)
}

// CodeState codes the states of plugins, and the counts.
func (p *Profile) CodeState(c *codec.Coder) {
	for _, name := range p.order {
		plugin := p.byName[name]
		_, keeps := plugin.(Forker)
		if coder, ok := plugin.(StateCoder); ok {
			coder.CodeState(c)
		} else if keeps && !forgets(plugin) {
			c.Fail(fmt.Errorf("plugin %q keeps state that cannot be written: it is no framework.StateCoder", name))
		}
	}
	for _, count := range p.points.counts {
		codec.Uint(c, &count.Calls)
		codec.Uint(c, &count.Rejections)
	}
}

// CodeBinding codes what of a cycle's state is needed after the cycle.
func (p *Profile) CodeBinding(c *codec.Coder, state *CycleState) {
	c.Bool(&state.recordPluginMetrics)
	c.Bool(&state.skipPreBind.known)
	codec.Texts(c, &state.skipPreBind.names)
	for _, name := range p.order {
		if coder, ok := p.byName[name].(BindingCoder); ok {
			coder.CodeBinding(c, state)
		}
	}
}

// CodeData codes the data of one key, if they are there. They are read into new ones, of type D, and those are written under the key.
func CodeData[D any, P interface {
	*D
	Clone() fwk.StateData
}](c *codec.Coder, state *CycleState, key fwk.StateKey, code func(P),
) {
	data, err := ReadState[P](state, key)
	there := err == nil
	if c.Bool(&there); !there {
		return
	}
	if c.Reading() {
		data = new(D)
		state.Write(key, data)
	}
	code(data)
}
