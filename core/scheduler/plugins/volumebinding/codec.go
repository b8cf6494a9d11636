package volumebinding

import (
	"orrery/core/scheduler/codec"
	"orrery/core/scheduler/framework"
)

// CodeBinding codes what is reserved for a pod.
func (*VolumeBinding) CodeBinding(c *codec.Coder, state *framework.CycleState) {
	framework.CodeData(c, state, reservedKey, func(r *reserved) {
		codec.Slice(c, &r.volumes, func(w *volumeWrite) {
			codec.OptionalObject(c, &w.stored)
			codec.Object(c, &w.assumed)
			codec.Object(c, &w.claim)
		})
		codec.Slice(c, &r.claims, func(w *claimWrite) {
			codec.Object(c, &w.chosen)
			codec.Object(c, &w.assumed)
		})
		c.Count(&r.written)
		c.Time(&r.deadline)
	})
}
