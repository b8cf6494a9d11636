package engine

import (
	"errors"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/component-helpers/scheduling/corev1"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/preempt"
	"orrery/core/world"
)

// errNoNodes ends an attempt while the cluster has no node; neither Filter nor PostFilter runs.
var errNoNodes = errors.New("no nodes available to schedule pods")

// clearNomination removes the pod's nomination.
var clearNomination = &fwk.NominatingInfo{NominatingMode: fwk.ModeOverride}

// attempt is one pod's scheduling attempt: the search for a node, and what follows from its end.
type attempt struct {
	search
	memory *cycleMemory // nil for an attempt that the engine does not decide on
	// inPostFilter says that no node is feasible, and postFilter how far PostFilter has come.
	inPostFilter bool
	postFilter   framework.PostFilterRun
	started      time.Duration
}

// Step decides on one pod, at the time of the last input: on the one whose scheduling cycle waited for extenders, if they have
// answered, or on the next of the queue. It returns false if no pod is ready, or if a cycle waits: cycles are serial. The decision
// is the engine's own record, valid until the log overwrites it.
func (e *Engine) Step() (*Decision, bool) {
	e.carryOutPosted()
	defer e.carryOutPosted()
	for {
		a := e.nextAttempt()
		if a == nil {
			return nil, false
		}
		d := e.scheduleOne(a)
		e.resumeBindings() // plugins may have allowed or rejected waiting pods
		if d != nil {
			return d, true
		}
	}
}

// nextAttempt returns the suspended attempt if it can go on, or a new one of the next pod; nil if there is nothing to decide.
func (e *Engine) nextAttempt() *attempt {
	if a := e.suspended; a != nil {
		if !a.asking.over() {
			return nil
		}
		e.suspended = nil
		a.decision.At = e.now
		return a
	}
	popped, ok := e.queue.Pop(e.now)
	if !ok {
		return nil
	}
	a, memory := &e.attempt, e.takeCycleMemory()
	a.begin(e, popped.Pod(), &memory.state, &memory.toActivate)
	a.memory, a.popped = memory, popped
	a.decision.Attempt = popped.GetAttempts()
	return a
}

// scheduleOne returns nil for a pod that needs no decision: one of no profile, or one already placed; and for one about which
// extenders are asked.
func (e *Engine) scheduleOne(a *attempt) *Decision {
	if a.profile == nil {
		e.queue.Done(a.pod.UID)
		return nil
	}
	if a.pod.DeletionTimestamp != nil || a.asking.cancelled {
		return a.skipDeleted()
	}
	if e.placed(a.pod) {
		e.queue.Done(a.pod.UID)
		return nil
	}
	placed, failure := a.schedule()
	e.carryOutPosted()
	if !a.asking.over() {
		e.suspended = a
		return nil
	}
	if failure != nil {
		a.recordFailure(failure)
		e.requeue(a.popped, a.decision.Profile, failure)
		e.attempted(a.popped, a.decision.Profile, a.decision.Verdict, a.started)
	}
	d := e.recordDecision(a)
	if placed != nil {
		e.keepFit(a.fit)
		e.startBinding(placed)
	} else {
		e.release(a.memory)
	}
	return d
}

// placed reports whether the pod is assumed, or its binding is in flight.
func (e *Engine) placed(pod *v1.Pod) bool { return e.bindings[pod.UID] != nil || e.unconfirmed(pod) }

// newAttempt returns an attempt beside those of the engine's own cycles.
func (e *Engine) newAttempt(pod *v1.Pod) *attempt {
	a := &attempt{}
	a.begin(e, pod, framework.NewCycleState(), framework.NewPodsToActivate())
	return a
}

func (a *attempt) begin(e *Engine, pod *v1.Pod, state *framework.CycleState, toActivate *framework.PodsToActivate) {
	*a = attempt{started: e.elapsed()}
	a.engine, a.pod, a.profile, a.state = e, pod, e.profiles[pod.Spec.SchedulerName], state
	a.batching = e.features.batching && e.options.TieBreak != byPod
	e.settleFor(pod)
	a.decision = Decision{
		At: e.now, Pod: world.PodRefOf(pod), Profile: pod.Spec.SchedulerName,
		Priority: corev1.PodPriority(pod), Start: e.startIndex,
	}
	state.SetRecordPluginMetrics(e.sampled())
	state.Write(framework.PodsToActivateKey, toActivate)
}

// skipDeleted ends the attempt of a pod that is being deleted.
func (a *attempt) skipDeleted() *Decision {
	note := "skip schedule deleting pod: " + a.pod.Namespace + "/" + a.pod.Name
	a.announce(v1.EventTypeWarning, "FailedScheduling", "Scheduling", note)
	a.engine.queue.Done(a.pod.UID)
	a.decision.Verdict, a.decision.Message = Skipped, note
	return a.engine.recordDecision(a)
}

// schedule finds a node and reserves its resources. It returns either a binding, ready to start, or the failure; neither, if it
// has to be called again with the answers of extenders.
func (a *attempt) schedule() (*binding, *failure) {
	if a.inPostFilter {
		return nil, a.runPostFilter(a.fit)
	}
	node, err := a.findNode()
	if errors.Is(err, errAsked) {
		return nil, nil
	}
	if a.engine.options.Listener != nil {
		a.engine.options.Listener.Chose(a.engine.elapsed() - a.started)
	}
	if err != nil {
		return nil, a.runPostFilter(err)
	}
	return a.reserve(node)
}

// reserve takes the node that was chosen: assume, reserve, permit.
func (a *attempt) reserve(node string) (*binding, *failure) {
	a.decision.Node = node
	assumed, err := a.assume(node)
	if err != nil {
		return nil, &failure{status: fwk.AsStatus(err), nomination: clearNomination}
	}
	ctx := a.engine.ctx
	status := a.profile.RunReservePluginsReserve(ctx, a.state, assumed, node)
	if status.IsSuccess() {
		status = a.profile.RunPermitPlugins(ctx, a.state, assumed, node, a.engine.now)
	}
	if !status.IsSuccess() && !status.IsWait() {
		a.profile.RunReservePluginsUnreserve(ctx, a.state, assumed, node)
		a.engine.devices.TakeFreed() // no other pod has missed what was taken and given up within one attempt
		forgotten := a.engine.cache.ForgetPod(assumed)
		a.decision.Node = ""
		return nil, &failure{status: rejectedOn(node, a.pod, status), nomination: clearNomination, cleanupErr: forgotten}
	}
	a.engine.activateRequested(a.state)
	b := a.newBinding()
	*b = binding{
		popped: a.popped, assumed: assumed, node: node, profile: a.profile, state: a.state, memory: a.memory,
		started: a.started, waits: status.IsWait(),
	}
	return b, nil
}

func (a *attempt) newBinding() *binding {
	if a.memory == nil {
		return &binding{}
	}
	return &a.memory.binding
}

// runPostFilter turns a failed search into the attempt's failure, after running PostFilter. There is none yet if PostFilter asks
// extenders.
func (a *attempt) runPostFilter(err error) *failure {
	var fit *framework.FitError
	switch {
	case errors.Is(err, errNoNodes):
		return &failure{status: fwk.NewStatus(fwk.UnschedulableAndUnresolvable).WithError(err), nomination: clearNomination}
	case !errors.As(err, &fit):
		return &failure{status: fwk.AsStatus(err), nomination: clearNomination}
	case !a.profile.HasPostFilterPlugins():
		return &failure{status: fwk.NewStatus(fwk.Unschedulable).WithError(fit), nomination: clearNomination}
	}
	a.inPostFilter = true
	a.engine.preempting.Store(a)
	result, status, over := a.profile.ContinuePostFilterPlugins(a.engine.ctx, a.state, a.pod, fit.Diagnosis.NodeToStatus, &a.postFilter)
	a.engine.preempting.Store(nil)
	if !over {
		return nil
	}
	fit.Diagnosis.PostFilterMsg = status.Message()
	f := &failure{status: fwk.NewStatus(fwk.Unschedulable).WithError(fit)}
	if result != nil {
		f.nomination = result.NominatingInfo
	}
	if data, err := a.state.Read(preempt.RecordKey); err == nil {
		a.decision.Preemption = data.(*preempt.Record)
	}
	return f
}

// assume adds the pod to the cache before it is bound, so that the next attempt counts its requests.
func (a *attempt) assume(node string) (*v1.Pod, error) {
	assumed, err := a.engine.cache.AssumePod(a.pod, node)
	if err != nil {
		return nil, err
	}
	a.engine.queue.DeleteNominatedPodIfExists(assumed)
	return assumed, nil
}

// rejectedOn wraps a rejection by Reserve or Permit in a FitError for the one chosen node.
func rejectedOn(node string, pod *v1.Pod, status *fwk.Status) *fwk.Status {
	if !status.IsRejected() {
		return status
	}
	return fwk.NewStatus(status.Code()).WithError(framework.NewNodeFitError(pod, node, status))
}

func (a *attempt) announce(kind, reason, action, note string) {
	a.engine.emit(world.EmitEvent{
		Regarding: a.decision.Pod, Type: kind, Reason: reason, Action: action,
		Note: truncateNote(note), Controller: a.decision.Profile,
	})
}
