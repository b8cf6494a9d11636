package whatif

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/world"
)

// mostAwaited is how far back outcomes are still owed: an effect that so many later ones have overtaken was lost.
const mostAwaited = 1 << 16

// settle ends well what the fork was waiting for: bindings and preemptions whose calls somebody else had taken over.
//
// The numbers of those calls are the engine's own, but an outcome that nobody waits for means nothing to it. So every
// recent number is answered, and what the answers lead to tells what the calls were: a binding that has ended was a
// bind, and a victim that is announced was deleted.
func (r *run) settle() error {
	unsent := r.engine.Effects()
	if awaits(r.engine) {
		last, err := lastEffect(r.engine)
		if err != nil {
			return err
		}
		r.answerUpTo(last, unsent)
	}
	for _, e := range unsent {
		r.bridge.Do(e)
	}
	return nil
}

// answerUpTo answers every effect up to a number, except those that nobody has taken over yet.
func (r *run) answerUpTo(last world.EffectID, unsent []world.Effect) {
	mine := map[world.EffectID]bool{}
	for _, e := range unsent {
		mine[e.ID] = true
	}
	binding := r.engine.Bindings()
	first := world.EffectID(1)
	if last > mostAwaited {
		first = last - mostAwaited
	}
	for id := first; id <= last; id++ {
		if !mine[id] {
			r.tell(world.Input{At: r.now, Event: world.Ended{Effect: id}})
		}
	}
	r.carryOut(binding)
}

// awaits tells whether an engine may be waiting for outcomes.
func awaits(e *engine.Engine) bool {
	for _, b := range e.Bindings() {
		if len(b.Waiting) == 0 {
			return true
		}
	}
	for d := range e.Decisions() {
		if d.Preemption == nil {
			continue
		}
		if pod := e.Store().Pod(d.Pod.Namespace, d.Pod.Name); pod != nil && pod.UID == d.Pod.UID && pod.Spec.NodeName == "" {
			return true
		}
	}
	return false
}

// carryOut does in the cluster what the answered calls were to do, and then what they lead to.
func (r *run) carryOut(before []engine.Underway) {
	still := map[types.UID]bool{}
	for _, b := range r.engine.Bindings() {
		still[b.Pod.UID] = true
	}
	for _, b := range before {
		if !still[b.Pod.UID] {
			r.bridge.Do(world.Effect{At: r.now, Act: world.Bind{Pod: b.Pod, Node: b.Node}})
		}
	}
	for _, e := range r.engine.Effects() {
		switch act := e.Act.(type) {
		case world.Announce:
			if act.Reason == "Preempted" {
				r.mark(act.Regarding)
				r.bridge.Do(world.Effect{At: r.now, Act: world.Delete{Pod: act.Regarding}})
			}
		case world.Delete:
			r.mark(act.Pod)
		}
		r.bridge.Do(e)
	}
}

// mark says of a victim why it leaves; the call that was to say so was among those that were answered.
func (r *run) mark(victim world.Ref) {
	r.bridge.Do(world.Effect{At: r.now, Act: world.PatchStatus{Pod: victim, Condition: &v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler,
	}}})
}

// lastEffect is the number of the last effect an engine wanted. A fork of it is made to want another one: it is given a
// pod that is being deleted already, which it announces to leave alone, after whatever else it finds to do.
func lastEffect(e *engine.Engine) (world.EffectID, error) {
	f, err := e.Fork()
	if err != nil {
		return 0, err
	}
	f.Effects()
	at := metav1.Time{Time: f.Now()}
	_ = f.Apply(world.Input{At: f.Now(), Event: world.Changed{Op: world.Added, Object: &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "orrery-whatif", Name: "probe", UID: "orrery-whatif-probe", DeletionTimestamp: &at},
		Spec:       v1.PodSpec{SchedulerName: f.Profiles()[0]},
	}}}) // if it is refused, there is nothing to find out and the loop below ends
	for {
		_, more := f.Step()
		if effects := f.Effects(); len(effects) > 0 {
			return effects[0].ID - 1, nil
		}
		if !more {
			return 0, nil
		}
	}
}
