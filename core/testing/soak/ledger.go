package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

// ledger observes one process of the scheduler and checks each of its steps by what the process itself was told: others may have
// changed the cluster since.
type ledger struct {
	replica *replica
	run     *run
	engine  *engine.Engine

	// The recount of what the engine counts.
	inputs  uint64
	refused uint64
	verdict [engine.Skipped + 1]uint64

	binds    map[world.EffectID]world.Bind   // without an outcome yet
	binding  map[types.UID]world.EffectID    // the same by pod
	bound    map[types.UID]string            // by an outcome, and not yet seen on it: the node
	taken    map[world.EffectID]claimedThing // devices and volumes, by calls without an outcome yet
	active   []*queue.Pod
	assigned map[types.UID]*v1.Pod // the pods with a node, by the inputs themselves, whatever the store made of them
	// resumed is whether the step goes on with a cycle that has waited for extenders: it decides by what was there when it began.
	resumed bool
}

func newLedger(r *replica, e *engine.Engine) *ledger {
	return &ledger{
		replica: r, run: r.run, engine: e, binds: map[world.EffectID]world.Bind{}, binding: map[types.UID]world.EffectID{},
		bound: map[types.UID]string{}, taken: map[world.EffectID]claimedThing{},
		assigned: map[types.UID]*v1.Pod{},
	}
}

var _ drive.Observer = (*ledger)(nil)

func (l *ledger) fail(invariant, format string, args ...any) {
	l.run.fail(invariant, "%s: "+format, append([]any{replicaName(l.replica.number)}, args...)...)
}

func (l *ledger) decisionsMade() (sum uint64) {
	for _, n := range l.verdict {
		sum += n
	}
	return sum
}

// stateEvery is after how many inputs a process's state is checked as a whole, which visits every object.
const stateEvery = 101

// Applied implements drive.Observer.
func (l *ledger) Applied(in world.Input, err error) {
	l.inputs++
	if err != nil {
		l.refused++
		l.fail("inputs", "%T is refused: %v", in.Event, err)
	}
	switch e := in.Event.(type) {
	case world.EffectDone:
		l.ended(e)
	case world.Changed:
		switch o := e.Object.(type) {
		case *v1.Pod:
			l.hear(e.Op, o)
			if e.Op == world.Deleted || o.Spec.NodeName != "" {
				l.gone(o.UID) // from now on, whether it is bound is what the store says
			}
		case *v1.PersistentVolume:
			l.renewed(o.Name)
		}
	case world.Listed:
		switch e.Kind {
		case world.Pod:
			l.listed(e.Objects)
		case world.PersistentVolume:
			for _, o := range e.Objects {
				l.renewed(o.GetName())
			}
		}
	}
	if l.inputs%stateEvery == 0 {
		l.checkState()
	}
}

// listed takes note of a list, which is all that the process knows from then on, stale as it may be.
func (l *ledger) listed(pods []world.Object) {
	onNode := map[types.UID]bool{}
	clear(l.assigned)
	for _, o := range pods {
		l.hear(world.Added, o.(*v1.Pod))
		onNode[o.GetUID()] = o.(*v1.Pod).Spec.NodeName != ""
	}
	maps.DeleteFunc(l.bound, func(pod types.UID, _ string) bool { return !onNode[pod] })
	for pod := range l.binding {
		if on, there := onNode[pod]; on || !there {
			l.gone(pod)
		}
	}
}

// hear takes note of a pod on its node. A node is never taken from a pod, so that a late event changes nothing.
func (l *ledger) hear(op world.Op, pod *v1.Pod) {
	switch {
	case op == world.Deleted || world.IsTerminated(pod):
		delete(l.assigned, pod.UID)
	case pod.Spec.NodeName != "":
		l.assigned[pod.UID] = pod
	}
}

// gone takes note that nothing is left of a binding but what the store says: the pod was seen on its node, or it is gone. A stale
// list may say later that it has no node; then it is placed once more, and the API server refuses the binding.
func (l *ledger) gone(pod types.UID) {
	delete(l.bound, pod)
	delete(l.binds, l.binding[pod])
	delete(l.binding, pod)
}

// renewed takes note of another version of a volume: a call that began before has been carried out, or will be refused.
func (l *ledger) renewed(volume string) {
	maps.DeleteFunc(l.taken, func(_ world.EffectID, taken claimedThing) bool {
		return slices.Contains(taken.names, volumeName(volume))
	})
}

// ended takes note of an outcome.
func (l *ledger) ended(e world.EffectDone) {
	delete(l.taken, e.Effect)
	bind, ok := l.binds[e.Effect]
	if !ok {
		return
	}
	delete(l.binds, e.Effect)
	delete(l.binding, bind.Pod.UID)
	if e.Outcome.OK() && l.engine.Store().Pod(bind.Pod.Namespace, bind.Pod.Name) != nil {
		l.bound[bind.Pod.UID] = bind.Node
	}
}

// Stepped implements drive.Observer.
func (l *ledger) Stepped(d *engine.Decision) {
	if d == nil {
		return
	}
	l.verdict[d.Verdict]++
	l.run.result.Reached[d.Verdict.String()]++
	if d.Verdict == engine.Placed && !l.resumed {
		l.checkPlaced(d)
		l.checkRoom(d)
		l.checkFilter(d)
	}
	l.checkVictims(d)
}

// Emitted implements drive.Observer.
func (l *ledger) Emitted(e world.Effect) {
	l.run.result.Reached[strings.TrimPrefix(fmt.Sprintf("%T", e.Action), "world.")]++
	if _, event := e.Action.(world.EmitEvent); !event && overNetwork(e.Action) {
		l.checkTerm(e)
	}
	switch act := e.Action.(type) {
	case world.Bind:
		l.checkBind(e.ID, act)
	case world.ClaimVolume:
		l.checkVolume(e.ID, act)
	case world.ReserveResourceClaim:
		l.checkDevices(e.ID, act)
	}
}

// checkTerm: no process acts unless it holds the lease, and no other believes that it does.
func (l *ledger) checkTerm(e world.Effect) {
	l.run.checked("term")
	leaders := l.run.election.Leaders()
	if len(leaders) != 1 || leaders[0] != l.replica.elector {
		l.fail("term", "%T by a process that does not lead, or not alone: %d lead", e.Action, len(leaders))
		return
	}
	settings := l.replica.process.Settings()
	if holder := l.run.holder(); holder != settings.Identity {
		l.fail("term", "%T by %s, but the lease is held by %q", e.Action, settings.Identity, holder)
	}
}

// checkPlaced: no pod is placed that the process knows to be on a node, or is binding. Another scheduler may bind it later on.
func (l *ledger) checkPlaced(d *engine.Decision) {
	l.run.checked("bound once")
	pod := l.engine.Store().Pod(d.Pod.Namespace, d.Pod.Name)
	if pod != nil && pod.UID == d.Pod.UID && pod.Spec.NodeName != "" {
		l.fail("bound once", "%s is placed on %s, and was seen on %s", d.Pod, d.Node, pod.Spec.NodeName)
	}
	l.checkUnbound(d.Pod.UID, "%s is placed on %s", d.Pod, d.Node)
}

// checkBind: no pod is bound that the process has bound or is binding.
func (l *ledger) checkBind(id world.EffectID, act world.Bind) {
	l.checkUnbound(act.Pod.UID, "%s is bound to %s by effect %d", act.Pod, act.Node, id)
	l.binds[id], l.binding[act.Pod.UID] = act, id
}

func (l *ledger) checkUnbound(pod types.UID, format string, args ...any) {
	switch {
	case l.bound[pod] != "":
		l.fail("bound once", format+", and was bound to %s", append(args, l.bound[pod])...)
	case l.binding[pod] != 0:
		l.fail("bound once", format+", while effect %d has no outcome", append(args, l.binding[pod])...)
	}
}

// beforeStep is the highest priority among the pods in activeQ, where the next step begins with a pod from there.
func (l *ledger) beforeStep() (highest *v1.Pod) {
	if l.resumed = !l.engine.Settled(); l.resumed {
		return nil
	}
	l.active = l.engine.Queue().Pods(l.active[:0], queue.Active)
	for _, p := range l.active {
		if highest == nil || corev1helpers.PodPriority(p.Pod()) > corev1helpers.PodPriority(highest) {
			highest = p.Pod()
		}
	}
	return highest
}

// afterStep: no pod of lower priority is decided on while one of a higher is in activeQ.
func (l *ledger) afterStep(highest *v1.Pod, d *engine.Decision) {
	if highest == nil || d == nil {
		return
	}
	l.run.checked("priority")
	if d.Priority < corev1helpers.PodPriority(highest) {
		l.fail("priority", "%s of priority %d is decided on while %s of priority %d is in activeQ", d.Pod, d.Priority, highest.Name, corev1helpers.PodPriority(highest))
	}
}

// checkVictims: every victim has a lower priority than the pod for which it goes.
func (l *ledger) checkVictims(d *engine.Decision) {
	if d.Preemption == nil {
		return
	}
	l.run.checked("priority")
	for _, victim := range d.Preemption.Victims {
		if corev1helpers.PodPriority(victim) >= d.Priority {
			l.fail("priority", "%s of priority %d preempts %s of priority %d", d.Pod, d.Priority, victim.Name, corev1helpers.PodPriority(victim))
		}
	}
}
