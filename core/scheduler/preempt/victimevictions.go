package preempt

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/release"
	"orrery/core/world"
)

// VictimEvictions evicts the victims of preemptions:
//
//	Begin ─► nominations of lower pods cleared, all victims but the last: condition ─► delete ─► event
//	                                            then the last victim: condition ─► delete ─► event ─► done
//
// Each step waits for the outcome of the one before. The last victim waits for the others because its deletion requeues the
// preemptor, which then finds all the room. An eviction that fails ends the preemption, and the preemptor is activated. If a
// pod keeps its nomination, as its clearing failed, the evictions go on, and the preemptor is activated after the last one.
// Kube-scheduler does the same on goroutines (KEP-4832).
// The state is plain data, so it can be copied with its engine.
//
// From 1.36 on a victim that is not bound yet loses its place in this scheduler's memory, and is not deleted. Nothing else tells a preemptor of
// its end, so that from 1.37 on the preemptor is activated if that was the last victim.
type VictimEvictions struct {
	plugin     string
	handle     fwk.Handle
	emitter    framework.Emitter
	memory     framework.MemoryPreemption // nil if victims are preempted in memory by no rule
	activates  bool                       // the preemptor, after a last victim in memory
	inProgress map[preemptionID]*preemption
	latest     map[types.UID]preemptionID // of each preemptor
	calls      map[world.EffectID]call
	lastID     preemptionID
}

// preemptionID counts preemptions. A preemptor that is retried before its last call has ended may begin another.
type preemptionID uint64

// preemption is one preemption in progress.
type preemption struct {
	id           preemptionID
	preemptor    *v1.Pod
	node         string
	victims      []*v1.Pod // all of them, in order
	remaining    []*v1.Pod // victims not yet evicted, in order
	pendingCalls int       // calls that have not ended
	lastVictim   *v1.Pod   // nil before its turn
	failed       bool      // an eviction failed
	uncleared    bool      // a lower pod has kept its nomination
	gated        bool      // PreEnqueue rejected the preemptor meanwhile
	tookMemory   bool      // the last victim was preempted in memory
}

// call is a pending effect on a pod.
type call struct {
	preemption preemptionID
	pod        *v1.Pod
	purpose    purpose
}

type purpose uint8

const (
	clearing purpose = iota // a lower pod's nomination
	marking                 // a victim, with a condition
	deleting                // a victim
)

// NewVictimEvictions serves one plugin of one profile. Its API calls are effects of the emitter.
func NewVictimEvictions(plugin string, h fwk.Handle, e framework.Emitter) *VictimEvictions {
	return &VictimEvictions{
		plugin: plugin, handle: h, emitter: e,
		inProgress: map[preemptionID]*preemption{}, latest: map[types.UID]preemptionID{}, calls: map[world.EffectID]call{},
	}
}

// Follow sets the rules of a release.
func (d *VictimEvictions) Follow(features config.Features) *VictimEvictions {
	if memory, ok := d.handle.(framework.MemoryPreemption); ok && features.Has(release.UnboundPreemptedInMemory) {
		d.memory, d.activates = memory, features.Has(release.MemoryPreemptorActivated)
	}
	return d
}

// ForkFrom copies the preemptions in progress.
func (d *VictimEvictions) ForkFrom(old *VictimEvictions) {
	d.calls, d.latest, d.lastID = maps.Clone(old.calls), maps.Clone(old.latest), old.lastID
	d.inProgress = make(map[preemptionID]*preemption, len(old.inProgress))
	for n, run := range old.inProgress {
		twin := *run
		twin.remaining = slices.Clone(run.remaining)
		d.inProgress[n] = &twin
	}
}

// Begin evicts the victims of a decision, except those that are terminating already.
func (d *VictimEvictions) Begin(preemptor *v1.Pod, r *Record) {
	victims := slices.DeleteFunc(slices.Clone(r.Victims), func(v *v1.Pod) bool { return v.DeletionTimestamp != nil })
	if len(victims) == 0 {
		return
	}
	d.lastID++
	run := &preemption{id: d.lastID, preemptor: preemptor, node: r.Node, victims: victims, remaining: victims}
	d.inProgress[run.id] = run
	d.latest[preemptor.UID] = run.id
	d.clearNominations(run)
	for len(run.remaining) > 1 {
		victim := run.remaining[0]
		run.remaining = run.remaining[1:]
		d.evict(run, victim)
	}
	d.advance(run)
}

// clearNominations clears the nomination of lower-priority pods to the node: they will not fit there now, and as long as they are
// nominated, their requests are taken for others.
func (d *VictimEvictions) clearNominations(run *preemption) {
	none := ""
	for _, info := range d.handle.NominatedPodsForNode(run.node) {
		pod := info.GetPod()
		if corev1.PodPriority(pod) < corev1.PodPriority(run.preemptor) && pod.Status.NominatedNodeName != "" {
			d.emit(run, world.PatchStatus{Pod: world.PodRefOf(pod), NominatedNode: &none}, call{run.id, pod, clearing})
		}
	}
}

// advance evicts the last victim once all calls for the others have ended, and finishes the preemption after it.
func (d *VictimEvictions) advance(run *preemption) {
	switch {
	case run.pendingCalls > 0:
	case run.failed:
		d.finish(run)
		d.activate(run)
	case run.lastVictim == nil:
		run.lastVictim = run.remaining[0]
		d.evict(run, run.lastVictim)
		d.advance(run)
	default:
		d.finish(run)
		switch {
		case run.uncleared || d.missedDeletion(run):
			d.activate(run)
		case run.tookMemory && d.activates:
			// Kube-scheduler's evictions run beside the cycle of the preemptor, and end after it.
			d.memory.ActivateAfterCycle(run.preemptor)
		}
	}
}

// missedDeletion reports whether the last victim was gone before the gate ended: no further event will requeue the preemptor.
func (d *VictimEvictions) missedDeletion(run *preemption) bool {
	return run.gated && d.currentPod(run.lastVictim) == nil
}

func (d *VictimEvictions) activate(run *preemption) {
	d.handle.Activate(klog.Logger{}, map[string]*v1.Pod{run.preemptor.Name: run.preemptor})
}

func (d *VictimEvictions) finish(run *preemption) {
	delete(d.inProgress, run.id)
	if d.latest[run.preemptor.UID] == run.id {
		delete(d.latest, run.preemptor.UID)
	}
}

// evict evicts one victim. One that is not bound yet has no container that has started: up to 1.35 it is rejected if it waits for Permit,
// and from 1.36 on it is preempted in memory.
func (d *VictimEvictions) evict(run *preemption, victim *v1.Pod) {
	if d.memory != nil {
		if d.memory.PreemptInMemory(victim.UID, d.plugin) {
			run.tookMemory = victim == run.lastVictim
			d.emitEvent(run, victim, " (in kube-scheduler memory).")
			return
		}
	} else if waiting := d.handle.GetWaitingPod(victim.UID); waiting != nil {
		waiting.Reject(d.plugin, "preempted")
		d.emitEvent(run, victim, "")
		return
	}
	condition := DisruptionCondition(run.preemptor, victim)
	if condition == nil {
		d.emit(run, world.Delete{Pod: world.PodRefOf(victim)}, call{run.id, victim, deleting})
		return
	}
	d.emit(run, world.PatchStatus{Pod: world.PodRefOf(victim), Condition: condition}, call{run.id, victim, marking})
}

// EffectDone advances the preemption that an effect belongs to. A victim that no longer exists counts as deleted, without
// an event.
func (d *VictimEvictions) EffectDone(id world.EffectID, out world.Outcome) {
	c, ok := d.calls[id]
	if !ok {
		return
	}
	delete(d.calls, id)
	run := d.inProgress[c.preemption]
	run.pendingCalls--
	gone := out.Reason == metav1.StatusReasonNotFound
	switch {
	case gone:
	case c.purpose == clearing:
		run.uncleared = run.uncleared || !out.OK() && d.isNominated(c.pod, run.node)
	case !out.OK():
		run.failed = true
	case c.purpose == marking && !run.failed:
		d.emit(run, world.Delete{Pod: world.PodRefOf(c.pod)}, call{run.id, c.pod, deleting})
	case c.purpose == deleting:
		d.emitEvent(run, c.pod, "")
	}
	d.advance(run)
}

// isNominated reports whether a pod is nominated for a node now. A pod that was placed meanwhile is not: the binding makes the
// clearing needless, and supersedes it.
func (d *VictimEvictions) isNominated(pod *v1.Pod, node string) bool {
	return slices.ContainsFunc(d.handle.NominatedPodsForNode(node), func(info fwk.PodInfo) bool { return info.GetPod().UID == pod.UID })
}

func (d *VictimEvictions) emit(run *preemption, act world.Action, c call) {
	d.calls[d.emitter.Emit(act, d.plugin)] = c
	run.pendingCalls++
}

func (d *VictimEvictions) emitEvent(run *preemption, victim *v1.Pod, where string) {
	d.handle.EventRecorder().Eventf(victim, run.preemptor, v1.EventTypeNormal, "Preempted", "Preempting",
		"Preempted by pod %v on node %v%s", run.preemptor.UID, run.node, where)
}

// IsRunningPreemption reports whether the preemptor must stay gated: its victims are being evicted, and the last of them is
// not terminating yet.
func (d *VictimEvictions) IsRunningPreemption(preemptor types.UID) bool {
	run, ok := d.inProgress[d.latest[preemptor]]
	if !ok {
		return false
	}
	waits := run.lastVictim == nil
	if !waits {
		last := d.currentPod(run.lastVictim)
		waits = last != nil && last.DeletionTimestamp == nil
	}
	run.gated = run.gated || waits
	return waits
}

// currentPod is a victim as it is now; nil if it no longer exists.
func (d *VictimEvictions) currentPod(victim *v1.Pod) *v1.Pod {
	lister := d.handle.SharedInformerFactory().Core().V1().Pods().Lister()
	pod, err := lister.Pods(victim.Namespace).Get(victim.Name)
	if err != nil || pod.UID != victim.UID {
		return nil
	}
	return pod
}

// DisruptionCondition is the DisruptionTarget condition of a victim; nil if the pod has it already. It is written before the pod is
// deleted, so that a Job's failure policy can tell the preemption from a failure of the program (KEP-3329).
func DisruptionCondition(preemptor, victim *v1.Pod) *v1.PodCondition {
	c := &v1.PodCondition{
		Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler,
		Message:            world.PreemptionMessage(preemptor.Spec.SchedulerName),
		ObservedGeneration: victim.Generation,
	}
	for _, has := range victim.Status.Conditions {
		if has.Type == c.Type && has.Status == c.Status && has.Reason == c.Reason && has.Message == c.Message {
			return nil
		}
	}
	return c
}
