package preempt

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/codec"
	"orrery/core/world"
)

// CodeState codes the preemptions in progress.
func (d *VictimEvictions) CodeState(c *codec.Coder) {
	codec.Uint(c, &d.lastID)
	codec.Map(c, &d.inProgress, func(id *preemptionID, run **preemption) {
		codec.Uint(c, id)
		if c.Reading() {
			*run = &preemption{id: *id}
		}
		(*run).codeState(c)
	})
	codec.Map(c, &d.latest, func(preemptor *types.UID, id *preemptionID) {
		codec.Text(c, preemptor)
		codec.Uint(c, id)
	})
	pending := map[preemptionID]int{}
	codec.Map(c, &d.calls, func(effect *world.EffectID, one *call) {
		codec.Uint(c, effect)
		codec.Uint(c, &one.preemption)
		codec.Object(c, &one.pod)
		codec.Enum(c, &one.purpose, deleting)
		c.Check(d.inProgress[one.preemption] != nil, "effect %d is of no preemption in progress", *effect)
		pending[one.preemption]++
	})
	for id, run := range d.inProgress {
		c.Check(run.pendingCalls == pending[id], "preemption %d has %d calls that have not ended, and waits for %d", id, pending[id], run.pendingCalls)
	}
}

// codeState codes one preemption.
func (p *preemption) codeState(c *codec.Coder) {
	codec.Object(c, &p.preemptor)
	codec.Text(c, &p.node)
	codePods(c, &p.victims)
	codePods(c, &p.remaining)
	c.Count(&p.pendingCalls)
	codec.OptionalObject(c, &p.lastVictim)
	c.Bool(&p.failed)
	c.Bool(&p.uncleared)
	c.Bool(&p.gated)
	c.Check(p.lastVictim != nil || len(p.remaining) > 0, "a preemption has no victim left, and had no last one")
}

func codePods(c *codec.Coder, pods *[]*v1.Pod) {
	codec.Slice(c, pods, func(pod **v1.Pod) { codec.Object(c, pod) })
}
