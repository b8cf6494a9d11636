package shadow

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/safe/printable"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// PredictionTimeout is how long a binding or a write of a volume is held for a decision of the other scheduler.
//
//orrery:limit shadow; how long a binding waits for the other scheduler's; it fails, and the pod is requeued
const PredictionTimeout = 30 * time.Second

// heldBindings accepts the effects of an engine that must not act, and produces their outcomes.
type heldBindings struct {
	held      map[types.UID]heldBinding
	overruled func(uid types.UID, actual, ours string) // observes pods that are bound elsewhere
	deadlines []deadline                               // of held bindings, oldest first; some are resolved
	outcomes  []world.EffectDone
}

// heldBinding is a binding that the engine emitted, or a write that prepares one: a claim in a volume, a node in a claim, a
// pod in a claim for devices.
type heldBinding struct {
	effect world.EffectID
	pod    world.PodRef
	node   string
	action world.Action
}

// toHold returns what is to be held of an effect; false if it is no part of a binding.
func toHold(e world.Effect) (heldBinding, bool) {
	one := heldBinding{effect: e.ID, pod: world.PodOf(e.Action), action: e.Action}
	switch act := e.Action.(type) {
	case world.Bind:
		one.node = act.Node
	case world.ClaimVolume:
		one.node = act.Node
	case world.SelectNode:
		one.node = act.Node
	case world.ReserveResourceClaim:
		one.node = act.Node
	case world.CreateResourceClaim:
		one.node = act.Node
	default:
		return one, false
	}
	return one, true
}

type deadline struct {
	at     time.Time
	uid    types.UID
	effect world.EffectID
}

func newHeldBindings(overruled func(uid types.UID, actual, ours string)) heldBindings {
	return heldBindings{held: map[types.UID]heldBinding{}, overruled: overruled}
}

// accept receives an effect. It holds bindings and their writes, one per pod, as the engine waits for each; every other
// effect with an outcome succeeds.
func (p *heldBindings) accept(e world.Effect, known store.View) {
	one, ok := toHold(e)
	if !ok {
		if world.HasOutcome(e.Action) {
			p.outcomes = append(p.outcomes, world.EffectDone{Effect: e.ID})
		}
		return
	}
	p.held[one.pod.UID] = one
	p.deadlines = append(p.deadlines, deadline{e.At.Add(PredictionTimeout), one.pod.UID, e.ID})
	p.compare(one, known)
}

// beforeInput resolves the binding that an input confirms: the pod has the same node.
func (p *heldBindings) beforeInput(in world.Input) {
	p.expire(in.At)
	changed, ok := in.Event.(world.Changed)
	if !ok || len(p.held) == 0 {
		return
	}
	pod, ok := changed.Object.(*v1.Pod)
	if !ok || changed.Op == world.Deleted || pod.Spec.NodeName == "" {
		return
	}
	if one, ok := p.held[pod.UID]; ok && one.node == pod.Spec.NodeName {
		p.resolve(one, pod.Spec.NodeName)
	}
}

// afterInput resolves the other bindings that an input decides: the other scheduler bound a pod elsewhere, with which
// the engine has ended its own binding, or declared it unschedulable, a pod is gone, a volume or a claim was written, or
// a list shows the state of held pods. was is the pod before the input.
func (p *heldBindings) afterInput(in world.Input, was *v1.Pod, known store.View) {
	if len(p.held) == 0 {
		return
	}
	switch event := in.Event.(type) {
	case world.Changed:
		pod, ok := event.Object.(*v1.Pod)
		if !ok {
			if showsWrites(world.KindOf(event.Object)) {
				p.compareAll(known)
			}
			return
		}
		one, ok := p.held[pod.UID]
		switch {
		case !ok:
		case event.Op == world.Deleted || pod.Spec.NodeName != "":
			p.compare(one, known)
		case newlyUnschedulable(was, pod) != nil:
			p.fail(one, metav1.StatusReasonConflict, "the cluster's scheduler declared it unschedulable: "+printable.Line(newlyUnschedulable(was, pod).Message, 200))
		}
	case world.Listed:
		if event.Kind == world.Pod || showsWrites(event.Kind) {
			p.compareAll(known)
		}
	}
}

// compareAll compares every held binding, in order.
func (p *heldBindings) compareAll(known store.View) {
	for _, d := range p.deadlines {
		if one, ok := p.held[d.uid]; ok && one.effect == d.effect {
			p.compare(one, known)
		}
	}
}

// compare resolves a held binding if the pod is gone or has a node already, or if the other scheduler has written what
// was to be written, or something else.
func (p *heldBindings) compare(one heldBinding, known store.View) {
	pod := known.Pod(one.pod.Namespace, one.pod.Name)
	switch {
	case pod == nil || pod.UID != one.pod.UID:
		p.fail(one, metav1.StatusReasonNotFound, "the pod is gone")
	case pod.Spec.NodeName != "":
		p.resolve(one, pod.Spec.NodeName)
	default:
		p.compareWrite(one, known)
	}
}

func (p *heldBindings) resolve(one heldBinding, node string) {
	if node != one.node {
		p.overruled(one.pod.UID, node, one.node)
		p.fail(one, metav1.StatusReasonConflict, "the cluster's scheduler bound it to "+printable.Line(node, 100))
		return
	}
	p.succeed(one)
}

func (p *heldBindings) succeed(one heldBinding) {
	delete(p.held, one.pod.UID)
	p.outcomes = append(p.outcomes, world.EffectDone{Effect: one.effect})
}

func (p *heldBindings) fail(one heldBinding, reason metav1.StatusReason, message string) {
	delete(p.held, one.pod.UID)
	p.outcomes = append(p.outcomes, world.EffectDone{Effect: one.effect, Outcome: world.Outcome{Code: fwk.Error, Reason: reason, Message: message}})
}

// expire fails held bindings after PredictionTimeout.
func (p *heldBindings) expire(now time.Time) {
	for len(p.deadlines) > 0 {
		first := p.deadlines[0]
		one, open := p.held[first.uid]
		if open = open && one.effect == first.effect; open && first.at.After(now) {
			return
		}
		p.deadlines = p.deadlines[1:]
		if open {
			p.fail(one, metav1.StatusReasonTimeout, "the cluster's scheduler has not bound it within "+PredictionTimeout.String())
		}
	}
}

// nextWake returns when the first held binding expires.
func (p *heldBindings) nextWake() (time.Time, bool) {
	for len(p.deadlines) > 0 {
		if one, open := p.held[p.deadlines[0].uid]; open && one.effect == p.deadlines[0].effect {
			return p.deadlines[0].at, true
		}
		p.deadlines = p.deadlines[1:]
	}
	return time.Time{}, false
}
