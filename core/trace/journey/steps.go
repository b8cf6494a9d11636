package journey

import (
	"time"

	"orrery/core/trace"
	"orrery/core/world"
)

// stepOf is where the step of an effect is.
type stepOf struct {
	pod          *Pod
	stage, index int
	node         string // that a Bind binds to
}

// stepNames are the effects that an attempt or a binding waits for.
var stepNames = map[trace.Verb]string{
	trace.Bind: "Bind", trace.RunPlugin: "RunPlugin", trace.ClaimVolume: "ClaimVolume", trace.SelectNode: "SelectNode",
	trace.ReserveResourceClaim: "ReserveResourceClaim", trace.UnreserveResourceClaim: "UnreserveResourceClaim",
	trace.DeallocateResourceClaim: "DeallocateResourceClaim", trace.CreateResourceClaim: "CreateResourceClaim",
	trace.DeleteResourceClaim: "DeleteResourceClaim", trace.CallExtender: "CallExtender",
}

// maxSteps bounds the steps of a stage; a pod has as many claims and extenders as it likes.
//
//orrery:limit recordings; steps of an attempt or a binding in an export; the later ones are left out
const maxSteps = 256

// Emitted implements drive.Observer: an effect begins a step of the attempt or binding that its pod is in.
func (t *Tracker) Emitted(effect world.Effect) {
	if t.beyond(effect.At) {
		return
	}
	key := trace.EffectKeyOf(effect.Action)
	name := stepNames[key.Verb]
	p := t.pods[keyOf(key.Pod)]
	if name == "" || p == nil || !p.open || len(p.current.Steps) == maxSteps || p.current.State != Attempt && p.current.State != Binding {
		return
	}
	at := stepOf{pod: p, stage: p.current.Number, index: len(p.current.Steps)}
	step := Step{Name: name, Detail: key.Detail, Begin: effect.At}
	if b, ok := effect.Action.(world.Bind); ok {
		at.node, step.Detail = b.Node, b.Node
	}
	p.current.Steps = append(p.current.Steps, step)
	t.effects[effect.ID] = at
}

// effectDone ends a step. A binding that succeeded ends with it.
func (t *Tracker) effectDone(at time.Time, done world.EffectDone) {
	of, ok := t.effects[done.Effect]
	if !ok {
		return
	}
	delete(t.effects, done.Effect)
	if s := t.stage(of.pod, of.stage); s != nil {
		step := &s.Steps[of.index]
		step.End = at
		if !done.Outcome.OK() {
			step.Failure = done.Outcome.Message
			if step.Failure == "" {
				step.Failure = done.Outcome.Code.String()
			}
		}
	}
	if of.node != "" && done.Outcome.OK() && of.pod.End.IsZero() && of.pod.current.State == Binding {
		t.placed(of.pod, at, of.node)
	}
}

// stage finds a pod's current stage or one that has just ended, by its number.
func (t *Tracker) stage(p *Pod, number int) *Stage {
	if p.open && p.current.Number == number {
		return &p.current
	}
	for i := range t.closed {
		if t.closed[i].pod == p && t.closed[i].stage.Number == number {
			return &t.closed[i].stage
		}
	}
	return nil
}
