package preempt

import (
	"fmt"
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/framework"
	"orrery/core/world"
)

// Departures carries preemptions out, and remembers those under way:
//
//	Begin ─► nominations of lower pods cleared, all victims but the last: marked ─► deleted ─► announced
//	                                            then the last victim: marked ─► deleted ─► announced ─► over
//
// Each step waits for the outcome of the one before. The last victim waits for the others because its leaving is what
// brings the preemptor back: then all the room is there. A failed call ends the preemption, and the preemptor is tried
// again. All of it is plain data, so it can be copied with its engine.
type Departures struct {
	plugin  string
	handle  fwk.Handle
	actor   framework.Actor
	running map[number]*departure
	latest  map[types.UID]number // of each preemptor
	calls   map[world.EffectID]call
	begun   number
}

// number counts preemptions. A preemptor that is tried again before its last call has been answered may begin another.
type number uint64

// departure is one preemption under way.
type departure struct {
	number    number
	preemptor *v1.Pod
	node      string
	victims   []*v1.Pod // those still to be asked; the last in the list is the last to be asked
	open      int       // calls that have not ended
	last      *v1.Pod   // the last victim, once it is its turn
	failed    bool
	held      bool // the preemptor was held back from the queue meanwhile
}

// call is what an effect under way is for.
type call struct {
	of       number
	victim   *v1.Pod // nil when a nomination is cleared
	deleting bool    // the victim's second call
}

// NewDepartures serves one plugin of one profile. The actor has the calls made.
func NewDepartures(plugin string, h fwk.Handle, a framework.Actor) *Departures {
	return &Departures{
		plugin: plugin, handle: h, actor: a,
		running: map[number]*departure{}, latest: map[types.UID]number{}, calls: map[world.EffectID]call{},
	}
}

// ForkFrom takes over what other departures remember.
func (d *Departures) ForkFrom(old *Departures) {
	d.calls, d.latest, d.begun = maps.Clone(old.calls), maps.Clone(old.latest), old.begun
	d.running = make(map[number]*departure, len(old.running))
	for n, run := range old.running {
		twin := *run
		twin.victims = slices.Clone(run.victims)
		d.running[n] = &twin
	}
}

// Begin has the victims of a decision leave. Those that are leaving already are not asked again.
func (d *Departures) Begin(preemptor *v1.Pod, r *Record) {
	victims := slices.DeleteFunc(slices.Clone(r.Victims), func(v *v1.Pod) bool { return v.DeletionTimestamp != nil })
	if len(victims) == 0 {
		return
	}
	d.begun++
	run := &departure{number: d.begun, preemptor: preemptor, node: r.Node, victims: victims}
	d.running[run.number] = run
	d.latest[preemptor.UID] = run.number
	d.clearNominations(run)
	for len(run.victims) > 1 {
		victim := run.victims[0]
		run.victims = run.victims[1:]
		d.evict(run, victim)
	}
	d.goOn(run)
}

// clearNominations takes the claim to the node from pods of lower priority: they will not fit there now.
func (d *Departures) clearNominations(run *departure) {
	none := ""
	for _, info := range d.handle.NominatedPodsForNode(run.node) {
		pod := info.GetPod()
		if corev1.PodPriority(pod) < corev1.PodPriority(run.preemptor) && pod.Status.NominatedNodeName != "" {
			d.do(run, world.PatchStatus{Pod: world.RefOf(pod), NominatedNode: &none}, call{of: run.number})
		}
	}
}

// goOn asks the last victim to leave once all calls for the others have ended, and closes the account after it.
func (d *Departures) goOn(run *departure) {
	switch {
	case run.open > 0:
	case run.failed:
		d.over(run)
		d.activate(run)
	case run.last == nil:
		run.last = run.victims[0]
		d.evict(run, run.last)
		d.goOn(run)
	default:
		d.over(run)
		if run.held && d.present(run.last) == nil {
			d.activate(run) // its victims left before it could be let go: no event will come that does it
		}
	}
}

func (d *Departures) activate(run *departure) {
	d.handle.Activate(klog.Logger{}, map[string]*v1.Pod{run.preemptor.Name: run.preemptor})
}

func (d *Departures) over(run *departure) {
	delete(d.running, run.number)
	if d.latest[run.preemptor.UID] == run.number {
		delete(d.latest, run.preemptor.UID)
	}
}

// evict has one victim leave. One that is itself only on its way to the node is turned back; it has nothing to stop.
func (d *Departures) evict(run *departure, victim *v1.Pod) {
	if waiting := d.handle.GetWaitingPod(victim.UID); waiting != nil {
		waiting.Reject(d.plugin, "preempted")
		d.announce(run, victim)
		return
	}
	condition := Disruption(run.preemptor, victim)
	if condition == nil {
		d.do(run, world.Delete{Pod: world.RefOf(victim)}, call{run.number, victim, true})
		return
	}
	d.do(run, world.PatchStatus{Pod: world.RefOf(victim), Condition: condition}, call{run.number, victim, false})
}

// Ended moves the preemption on that an effect belonged to. A victim that is gone by itself is as good as deleted, but
// is not announced as preempted.
func (d *Departures) Ended(id world.EffectID, out world.Outcome) {
	c, ok := d.calls[id]
	if !ok {
		return
	}
	delete(d.calls, id)
	run := d.running[c.of]
	run.open--
	gone := out.Reason == metav1.StatusReasonNotFound
	switch {
	case gone:
	case !out.OK():
		run.failed = true
	case c.victim == nil:
	case !c.deleting && !run.failed:
		d.do(run, world.Delete{Pod: world.RefOf(c.victim)}, call{c.of, c.victim, true})
	case c.deleting:
		d.announce(run, c.victim)
	}
	d.goOn(run)
}

func (d *Departures) do(run *departure, act world.Act, c call) {
	d.calls[d.actor.Act(act, d.plugin)] = c
	run.open++
}

func (d *Departures) announce(run *departure, victim *v1.Pod) {
	d.handle.EventRecorder().Eventf(victim, run.preemptor, v1.EventTypeNormal, "Preempted", "Preempting",
		"Preempted by pod %v on node %v", run.preemptor.UID, run.node)
}

// Running tells whether the preemptor should wait: its victims are being asked to leave, and the last of them is not
// known to be leaving yet.
func (d *Departures) Running(preemptor types.UID) bool {
	run, ok := d.running[d.latest[preemptor]]
	if !ok {
		return false
	}
	waits := run.last == nil
	if !waits {
		last := d.present(run.last)
		waits = last != nil && last.DeletionTimestamp == nil
	}
	run.held = run.held || waits
	return waits
}

// present is a victim as it is now; nil if it is gone.
func (d *Departures) present(victim *v1.Pod) *v1.Pod {
	lister := d.handle.SharedInformerFactory().Core().V1().Pods().Lister()
	pod, err := lister.Pods(victim.Namespace).Get(victim.Name)
	if err != nil || pod.UID != victim.UID {
		return nil
	}
	return pod
}

// Disruption is the condition that tells a victim's owner why it leaves; nil if the pod carries it already.
func Disruption(preemptor, victim *v1.Pod) *v1.PodCondition {
	c := &v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler,
		Message:            fmt.Sprintf("%s: preempting to accommodate a higher priority pod", preemptor.Spec.SchedulerName),
		ObservedGeneration: victim.Generation,
	}
	for _, has := range victim.Status.Conditions {
		if has.Type == c.Type && has.Status == c.Status && has.Reason == c.Reason && has.Message == c.Message {
			return nil
		}
	}
	return c
}
