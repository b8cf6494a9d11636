package engine

import (
	"cmp"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/codec"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// codeBindings codes the bindings in flight, and the effects that they wait for.
func (e *Engine) codeBindings(c *codec.Coder) {
	codec.Map(c, &e.bindings, func(uid *types.UID, b **binding) {
		codec.Text(c, uid)
		if c.Reading() {
			*b = &binding{state: framework.NewCycleState(), started: e.elapsed(), stageStarted: e.elapsed()}
		}
		e.codeBinding(c, *b)
		c.Check(!c.OK() || (*b).assumed.UID == *uid, "pod %q is bound under another UID", *uid)
	})
	codec.Map(c, &e.pending, func(id *world.EffectID, uid *types.UID) {
		codec.Uint(c, id)
		codec.Text(c, uid)
	})
}

func (e *Engine) codeBinding(c *codec.Coder, b *binding) {
	e.queue.CodePopped(c, &b.popped)
	codec.Object(c, &b.assumed)
	codec.Text(c, &b.node)
	c.Bool(&b.waits)
	codec.Enum(c, &b.stage, bindingNow)
	c.Count(&b.next)
	codec.Uint(c, &b.effect)
	c.Action(&b.asked)
	c.Count(&b.extender)
	if e.features.preemptsInMemory {
		codec.Text(c, &b.preempted)
	}
	if e.features.preBindsInParallel {
		codec.Optional(c, &b.beside, func(p *preBindParts) {
			codec.Slice(c, &p.all, func(part *preBindPart) { part.codeState(c) })
		})
	}
	c.Time(&b.since)
	if !c.OK() {
		return
	}
	if c.Reading() {
		b.profile = e.profiles[b.assumed.Spec.SchedulerName]
		c.Check(b.profile != nil && b.assumed.Spec.NodeName == b.node, "pod %q is bound by no profile, or to another node", b.assumed.Name)
	}
	if !c.OK() || e.hasForeignData(c, b) {
		return
	}
	b.profile.CodeBinding(c, b.state)
	codeActivations(c, b.state)
	if c.Reading() {
		e.checkBinding(c, b)
	}
}

// hasForeignData fails if a plugin that is not Orrery's own takes part in the binding: what it keeps in the cycle's state is unknown,
// and its call may be under way.
func (e *Engine) hasForeignData(c *codec.Coder, b *binding) bool {
	for name := range e.options.Plugins {
		plugin, enabled := b.profile.Plugin(name)
		if !enabled {
			continue
		}
		switch plugin.(type) {
		case framework.BindingCoder:
		case fwk.ReservePlugin, fwk.PreBindPlugin, fwk.BindPlugin, fwk.PostBindPlugin:
			c.Fail(fmt.Errorf("pod %q is being bound, and plugin %q takes part in that: what it keeps of the pod cannot be written, as it is no framework.BindingCoder",
				b.assumed.Namespace+"/"+b.assumed.Name, name))
			return true
		}
	}
	return false
}

func (part *preBindPart) codeState(c *codec.Coder) {
	codec.Uint(c, &part.effect)
	c.Action(&part.asked)
	codec.Optional(c, &part.wait, func(wait *framework.ObjectWait) { codeWait(c, wait) })
	c.Bool(&part.done)
}

func codeWait(c *codec.Coder, wait *framework.ObjectWait) {
	codec.Slice(c, &wait.Objects, func(key *framework.ObjectKey) { codeKey(c, key) })
	c.Time(&wait.Until)
}

// codeActivations codes the pods that plugins want activated when the binding succeeds.
func codeActivations(c *codec.Coder, state *framework.CycleState) {
	toActivate := podsToActivate(state)
	there := toActivate != nil
	if c.Bool(&there); !there {
		return
	}
	if c.Reading() {
		toActivate = framework.NewPodsToActivate()
		state.Write(framework.PodsToActivateKey, toActivate)
	}
	codec.Map(c, &toActivate.Map, func(name *string, pod **v1.Pod) {
		codec.Text(c, name)
		codec.Object(c, pod)
	})
}

// checkBinding checks that what a binding has come to is there.
func (e *Engine) checkBinding(c *codec.Coder, b *binding) {
	if !c.OK() {
		return
	}
	there := b.extender <= len(e.extenders) && (b.beside == nil || b.stage == preBinding)
	switch b.stage {
	case preBinding:
		there = there && b.next < len(b.profile.PreBindPlugins(b.state)) && (b.beside == nil || len(b.parts()) > 1 && len(b.parts()) == e.parallelPreBinds(b))
	case bindingNow:
		there = there && b.next < len(b.profile.BindPlugins()) && (!b.callsExtender() || b.extender < len(e.extenders))
	}
	c.Check(there, "pod %q waits for a plugin or an extender that there is not", b.assumed.Name)
}

// checkWaits checks that the bindings that wait for objects take steps.
func (e *Engine) checkWaits(c *codec.Coder) {
	for uid := range e.objectWaits.waits {
		b := e.bindings[uid]
		c.Check(b != nil && b.stepwise() != nil, "pod %q waits for objects, and is not being bound in steps", uid)
	}
}

// checkTimers checks that the queue's timers are not overdue: they fire with every input, and years of them would take as long.
func (e *Engine) checkTimers(c *codec.Coder) {
	due, ok := e.queue.NextWake(e.now)
	c.Check(!ok || !due.Before(e.now), "the queue has a timer at %v, and it is %v", due, e.now)
}

// codeState codes the waits, and the orders in which they began and will end.
func (w *objectWaits) codeState(c *codec.Coder) {
	codec.Map(c, &w.waits, func(uid *types.UID, wait *framework.ObjectWait) {
		codec.Text(c, uid)
		codeWait(c, wait)
	})
	codec.MapBy(c, &w.byObject, compareKeys, func(key *framework.ObjectKey, uids *[]types.UID) {
		codeKey(c, key)
		codec.Texts(c, uids)
	})
	var valid []waitDeadline
	for _, d := range w.deadlines {
		if wait, waits := w.waits[d.uid]; waits && wait.Until.Equal(d.at) {
			valid = append(valid, d)
		}
	}
	codec.Slice(c, &valid, func(d *waitDeadline) {
		codec.Text(c, &d.uid)
		c.Time(&d.at)
	})
	if c.Reading() {
		w.deadlines = valid
	}
}

func codeKey(c *codec.Coder, key *framework.ObjectKey) {
	codec.Text(c, &key.Kind)
	codec.Text(c, &key.Namespace)
	codec.Text(c, &key.Name)
}

func compareKeys(a, b framework.ObjectKey) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
}
