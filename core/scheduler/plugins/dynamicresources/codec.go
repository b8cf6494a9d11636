package dynamicresources

import (
	v1 "k8s.io/api/core/v1"

	"orrery/core/scheduler/codec"
	"orrery/core/scheduler/framework"
)

// CodeBinding codes what is reserved for a pod.
func (*DynamicResources) CodeBinding(c *codec.Coder, state *framework.CycleState) {
	framework.CodeData(c, state, reservedKey, func(r *reserved) {
		codec.Slice(c, &r.claims, func(one *reservation) { one.codeState(c) })
		codec.Slice(c, &r.mappings, func(mapping *v1.ContainerExtendedResourceRequest) { codec.Part(c, mapping) })
		codec.Slice(c, &r.writes, func(w *write) {
			c.Count(&w.claim)
			codec.Enum(c, &w.what, await)
			c.Check(w.claim < len(r.claims), "there is no claim %d to write, only %d", w.claim, len(r.claims))
		})
		c.Count(&r.written)
		c.Time(&r.deadline)
		c.Check(r.written <= len(r.writes), "%d of %d claims were written", r.written, len(r.writes))
	})
}

func (one *reservation) codeState(c *codec.Coder) {
	codec.Object(c, &one.claim)
	codec.Message(c, &one.allocation)
	codec.Text(c, &one.inFlight)
	c.Bool(&one.asked)
	c.Bool(&one.created)
	c.Bool(&one.implicit)
}
