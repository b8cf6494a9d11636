package shadow

import (
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/printable"
	"orrery/core/store"
	"orrery/core/world"
)

// Patience is for how long a prediction stands that nothing confirms or contradicts.
const Patience = 30 * time.Second

// pretence takes over the effects of an engine that must not act, and answers them.
type pretence struct {
	held    map[types.UID]prediction
	due     []deadline // of predictions, the oldest first; some of them are over
	answers []world.Ended
}

// prediction is a binding that was wanted.
type prediction struct {
	effect world.EffectID
	pod    world.Ref
	node   string
}

type deadline struct {
	at     time.Time
	uid    types.UID
	effect world.EffectID
}

func newPretence() pretence { return pretence{held: map[types.UID]prediction{}} }

// take takes an effect over. Bindings are held; everything else that has an outcome has succeeded.
func (p *pretence) take(e world.Effect, known *store.Store) {
	bind, ok := e.Act.(world.Bind)
	if !ok {
		if world.Answered(e.Act) {
			p.answers = append(p.answers, world.Ended{Effect: e.ID})
		}
		return
	}
	p.held[bind.Pod.UID] = prediction{e.ID, bind.Pod, bind.Node}
	p.due = append(p.due, deadline{e.At.Add(Patience), bind.Pod.UID, e.ID})
	p.compare(p.held[bind.Pod.UID], known)
}

// before answers what an input decides about, ahead of it: a binding to the same node has succeeded, to another one failed.
func (p *pretence) before(in world.Input) {
	p.expire(in.At)
	changed, ok := in.Event.(world.Changed)
	if !ok || len(p.held) == 0 {
		return
	}
	pod, ok := changed.Object.(*v1.Pod)
	if !ok || changed.Op == world.Deleted || pod.Spec.NodeName == "" {
		return
	}
	if one, ok := p.held[pod.UID]; ok {
		p.bound(one, pod.Spec.NodeName)
	}
}

// after answers what an input has shown: that the other scheduler turned a pod down, that a pod is gone, and, after a list,
// whatever it says of the pods on their way. Was is the pod before the input.
func (p *pretence) after(in world.Input, was *v1.Pod, known *store.Store) {
	if len(p.held) == 0 {
		return
	}
	switch event := in.Event.(type) {
	case world.Changed:
		pod, ok := event.Object.(*v1.Pod)
		if !ok {
			return
		}
		one, ok := p.held[pod.UID]
		switch {
		case !ok:
		case event.Op == world.Deleted:
			p.compare(one, known)
		case refused(was, pod) != nil:
			p.fail(one, metav1.StatusReasonConflict, "the cluster's scheduler declared it unschedulable: "+printable.Line(refused(was, pod).Message, 200))
		}
	case world.Listed:
		if event.Kind == world.Pod {
			for _, d := range p.due { // in the order in which they were made
				if one, ok := p.held[d.uid]; ok && one.effect == d.effect {
					p.compare(one, known)
				}
			}
		}
	}
}

// compare answers a prediction if the pod is gone or has a node by now.
func (p *pretence) compare(one prediction, known *store.Store) {
	pod := known.Pod(one.pod.Namespace, one.pod.Name)
	switch {
	case pod == nil || pod.UID != one.pod.UID:
		p.fail(one, metav1.StatusReasonNotFound, "the pod is gone")
	case pod.Spec.NodeName != "":
		p.bound(one, pod.Spec.NodeName)
	}
}

func (p *pretence) bound(one prediction, node string) {
	if node != one.node {
		p.fail(one, metav1.StatusReasonConflict, "the cluster's scheduler bound it to "+printable.Line(node, 100))
		return
	}
	delete(p.held, one.pod.UID)
	p.answers = append(p.answers, world.Ended{Effect: one.effect})
}

func (p *pretence) fail(one prediction, reason metav1.StatusReason, message string) {
	delete(p.held, one.pod.UID)
	p.answers = append(p.answers, world.Ended{Effect: one.effect, Outcome: world.Outcome{Code: fwk.Error, Reason: reason, Message: message}})
}

// expire gives predictions up that nobody has confirmed for too long.
func (p *pretence) expire(now time.Time) {
	for len(p.due) > 0 {
		first := p.due[0]
		one, open := p.held[first.uid]
		if open = open && one.effect == first.effect; open && first.at.After(now) {
			return
		}
		p.due = p.due[1:]
		if open {
			p.fail(one, metav1.StatusReasonTimeout, "the cluster's scheduler has not bound it within "+Patience.String())
		}
	}
}

// nextWake is when the first prediction is given up.
func (p *pretence) nextWake() (time.Time, bool) {
	for len(p.due) > 0 {
		if one, open := p.held[p.due[0].uid]; open && one.effect == p.due[0].effect {
			return p.due[0].at, true
		}
		p.due = p.due[1:]
	}
	return time.Time{}, false
}

// refused is what the other scheduler says of a pod it cannot place, if it has just said so or says something new.
func refused(was, is *v1.Pod) *v1.PodCondition {
	now := unscheduled(is)
	if now == nil || is.Spec.NodeName != "" {
		return nil
	}
	if was != nil && was.UID == is.UID {
		if before := unscheduled(was); before != nil && before.Message == now.Message && before.LastTransitionTime.Equal(&now.LastTransitionTime) {
			return nil
		}
	}
	return now
}

func unscheduled(pod *v1.Pod) *v1.PodCondition {
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		if c.Type == v1.PodScheduled && c.Status == v1.ConditionFalse && c.Reason == v1.PodReasonUnschedulable {
			return c
		}
	}
	return nil
}
