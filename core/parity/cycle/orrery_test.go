package cycle

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/world"
)

// orreryScheduler is Orrery's engine. Effects succeed at once, like the calls of kube-scheduler.
type orreryScheduler struct {
	engine  *engine.Engine
	calls   []effect
	written []world.Action // of volumes and claims
	events  []string

	failingBindings map[string]bool
}

// effect is one write of Orrery.
type effect struct {
	pod types.NamespacedName
	act world.Action
}

func newOrreryScheduler(s *settings, failing []string) *orreryScheduler {
	e, err := engine.New(engine.Options{Config: s.orreryConfig, TieBreak: engine.ByHeap, Start: time.Now()})
	must(err)
	return &orreryScheduler{engine: e, failingBindings: set(failing)}
}

func (u *orreryScheduler) apply(event world.Event) {
	must(u.engine.Apply(world.Input{At: time.Now(), Event: event}))
}

// step makes the next decision, if a pod can be popped, and carries out its effects.
func (u *orreryScheduler) step() *decision {
	before := u.engine.StartIndex()
	d, more := u.engine.Step()
	if !more {
		return nil
	}
	decided := &decision{
		Pod: d.Pod.Name, Node: d.Node, Message: d.Message, Nominated: unchanged, Rejections: map[string]int{},
		Start: before, Examined: d.Examined, Feasible: d.Feasible, Next: u.engine.StartIndex(),
	}
	for _, r := range d.Rejections {
		decided.Rejections[fmt.Sprint(r.Plugin, ": ", r.Reason)] += r.Nodes
	}
	u.carryOutEffects()
	return decided
}

// carryOutEffects carries out effects until there are none.
func (u *orreryScheduler) carryOutEffects() {
	for effects := u.engine.Effects(); len(effects) > 0; effects = u.engine.Effects() {
		for _, f := range effects {
			switch act := f.Action.(type) {
			case world.EmitEvent:
				u.events = append(u.events, fmt.Sprint(act.Regarding.Name, " ", act.Type, " ", act.Reason, " ", act.Action, ": ", act.Note))
			case world.Bind:
				if u.refuse(f.ID, act.Pod.Name) {
					continue
				}
				u.write(act.Pod, act)
			case world.ClaimVolume:
				if act.ByController && u.refuse(f.ID, act.Volume.Name) {
					continue
				}
				u.written = append(u.written, act)
			case world.SelectNode:
				if u.refuse(f.ID, act.Claim.Name) {
					continue
				}
				u.written = append(u.written, act)
			case world.PatchStatus:
				u.write(act.Pod, act)
			case world.Delete:
				u.write(act.Pod, act)
			default:
				panic(fmt.Sprintf("unexpected effect of type %T", act))
			}
			if world.HasOutcome(f.Action) {
				u.apply(world.EffectDone{Effect: f.ID})
			}
		}
	}
}

// refuse lets an effect fail if the next one about this name has to.
func (u *orreryScheduler) refuse(id world.EffectID, name string) bool {
	if !u.failingBindings[name] {
		return false
	}
	delete(u.failingBindings, name)
	u.apply(world.EffectDone{Effect: id, Outcome: world.Outcome{Code: fwk.Error, Message: errTooBusy.Error()}})
	return true
}

func set(names []string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

func (u *orreryScheduler) write(pod world.PodRef, act world.Action) {
	u.calls = append(u.calls, effect{types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}, act})
}

func (u *orreryScheduler) queueOf(pod *v1.Pod) string {
	switch queueOf := u.engine.PodState(pod.Namespace, pod.Name); queueOf {
	case engine.StateActive, engine.StateBackoff, engine.StateUnschedulable, engine.StateGated:
		return string(queueOf)
	}
	return "elsewhere"
}
