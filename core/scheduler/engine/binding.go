package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/world"
)

type stage uint8

// The stages of a binding, in order. Each ends with an input; no goroutine waits in between.
const (
	waitingForPermit stage = iota
	preBinding
	bindingNow
)

func (s stage) String() string { return [...]string{"waiting for permit", "pre-binding", "binding"}[s] }

// binding is the record of a placed pod until its binding ends. It advances when an input reports the outcome it waits
// for.
type binding struct {
	popped  *queue.Pod
	assumed *v1.Pod
	node    string
	profile *framework.Profile
	state   *framework.CycleState
	lent    *lentState
	memory  *cycleMemory // that it is in, of this engine; nil in a fork's
	started time.Duration

	waits        bool // for a permit, when it was placed
	stage        stage
	next         int            // the index of the current plugin in this stage
	effect       world.EffectID // the effect it waits for, in the later stages
	asked        world.Action   // that effect's, of a plugin that works in steps or of an extender
	extender     int            // the position of the extender that binds next
	beside       *preBindParts  // of PreBind plugins that run beside each other, while effect and asked are empty; nil if none do
	preempted    string         // why the binding is to fail when the present PreBind plugin has ended; see memorypreemption.go
	since        time.Time
	stageStarted time.Duration // the stopwatch at the start of the present stage
}

// lentState is the copy of a binding's state that a plugin works on, possibly on another goroutine. The engine reads it
// only after the plugin has returned.
type lentState struct {
	state    *framework.CycleState
	returned atomic.Bool
}

// startBinding registers the binding of a placed pod and runs it up to its first wait.
func (e *Engine) startBinding(b *binding) {
	b.since = e.now
	e.bindings[b.assumed.UID] = b
	if e.features.nominatesExpected {
		status := b.profile.RunPreBindPreFlights(e.ctx, b.state, b.assumed, b.node)
		if status.Code() == fwk.Error || status.IsRejected() {
			e.bindingFailed(b, status)
			return
		}
		if (status.IsSuccess() || b.waits) && b.assumed.Status.NominatedNodeName != b.node {
			node := b.node // the binding is used again for other pods, the effect is kept
			e.emit(world.PatchStatus{Pod: world.PodRefOf(b.assumed), NominatedNode: &node})
		}
	}
	if !b.waits {
		e.permitDone(b, nil)
	}
}

// permitDone continues a binding after the Permit phase. A later failure records no rejecting plugins, so the queue need
// not keep in-flight events for the pod.
func (e *Engine) permitDone(b *binding, status *fwk.Status) {
	if !status.IsSuccess() {
		e.bindingFailed(b, permitRejection(b, status))
		return
	}
	e.queue.Done(b.assumed.UID)
	b.stage, b.next, b.stageStarted = preBinding, 0, e.elapsed()
	e.preBind(b)
}

// permitRejection is the failure of a pod that was rejected while it waited for a permit. Only the rejecting plugin's
// events requeue the pod; a pod rejected because it is being deleted has none. A pod that was preempted is none that a plugin rejects.
func permitRejection(b *binding, status *fwk.Status) *fwk.Status {
	if !status.IsRejected() {
		return fwk.AsStatus(fmt.Errorf("waiting on permit for pod: %w", status.AsError())).WithPlugin(status.Plugin())
	}
	fit := framework.NewNodeFitError(b.popped.Pod(), b.node, status)
	fit.Diagnosis.UnschedulablePlugins = sets.New(status.Plugin())
	return fwk.NewStatus(status.Code()).WithError(fit)
}

// preBind begins with the next PreBind plugin, or goes on to Bind after the last.
func (e *Engine) preBind(b *binding) {
	if b.preempted != "" {
		e.preBindFailed(b, fwk.AsStatus(errors.New(b.preempted)))
		return
	}
	if plugins := b.profile.PreBindPlugins(b.state); b.next < len(plugins) {
		if n := e.parallelPreBinds(b); n > 1 {
			e.preBindInParallel(b, n)
			return
		}
		if _, steps := plugins[b.next].(framework.StepwisePreBind); steps {
			e.preBindStep(b, nil)
			return
		}
		e.emitForBinding(b, b.runCurrentPlugin())
		return
	}
	e.observePoint(b.profile, framework.PreBind, fwk.Success, b.stageStarted)
	b.stage, b.next, b.stageStarted = bindingNow, 0, e.elapsed()
	e.bind(b)
}

// parallelPreBinds is how many PreBind plugins run beside each other from the next one on.
func (e *Engine) parallelPreBinds(b *binding) int {
	if !e.features.preBindsInParallel {
		return 1
	}
	return b.profile.ParallelPreBinds(b.state, b.next)
}

// bind calls the extender that binds the pod, or emits the next Bind plugin's binding. A framework.Binder's binding is an
// action of the world; any other plugin is run where it may block.
func (e *Engine) bind(b *binding) {
	if e.bindByExtender(b) {
		return
	}
	if binder, ok := b.profile.BindPlugins()[b.next].(framework.Binder); ok {
		act, failure := b.profile.CallBinding(binder, b.assumed, b.node)
		if failure != nil {
			e.bindDone(b, failure)
			return
		}
		e.emitForBinding(b, act)
		return
	}
	e.emitForBinding(b, b.runCurrentPlugin())
}

// runCurrentPlugin returns the call of the current plugin for the world to make, as it may block. The plugin gets a
// copy of the state, so that the engine can be forked while the plugin runs; its writes take effect when its outcome
// arrives.
func (b *binding) runCurrentPlugin() world.RunPlugin {
	lent := &lentState{state: cloneState(b.state)}
	b.lent = lent
	run := b.currentPlugin()
	profile, assumed, node := b.profile, b.assumed, b.node // the call may outlive the binding
	if b.stage == preBinding {
		plugin := profile.PreBindPlugins(b.state)[b.next]
		run.Call = func(ctx context.Context) *fwk.Status {
			defer lent.returned.Store(true)
			return profile.CallPreBind(ctx, plugin, lent.state, assumed, node)
		}
		return run
	}
	plugin := profile.BindPlugins()[b.next]
	run.Call = func(ctx context.Context) *fwk.Status {
		defer lent.returned.Store(true)
		return profile.CallBind(ctx, plugin, lent.state, assumed, node)
	}
	return run
}

// currentPlugin names the current plugin and its extension point.
func (b *binding) currentPlugin() world.RunPlugin {
	run := world.RunPlugin{Pod: world.PodRefOf(b.assumed), Node: b.node}
	if b.stage == preBinding {
		run.Plugin, run.Point = b.profile.PreBindPlugins(b.state)[b.next].Name(), string(framework.PreBind)
	} else {
		run.Plugin, run.Point = b.profile.BindPlugins()[b.next].Name(), string(framework.Bind)
	}
	return run
}

// waitsFor reports whether the binding waits for an effect's outcome.
func (b *binding) waitsFor(id world.EffectID) bool { return b.effect == id || b.partOf(id) >= 0 }

// emitForBinding emits an effect whose outcome the binding waits for.
func (e *Engine) emitForBinding(b *binding, act world.Action) {
	b.effect = e.emit(act)
	e.pending[b.effect] = b.assumed.UID
}

// bindingEffectDone advances a binding with the outcome of its effect.
func (e *Engine) bindingEffectDone(b *binding, id world.EffectID, out world.Outcome) {
	if len(b.parts()) > 0 {
		e.partEffectDone(b, id, out)
		return
	}
	status := statusOf(out)
	if b.lent != nil && b.lent.returned.Load() {
		b.state = b.lent.state
	}
	b.lent = nil
	if b.stage == preBinding {
		if b.stepwise() != nil {
			outcome := out // only that of a step is on the heap
			e.preBindStep(b, &outcome)
			return
		}
		e.preBindDone(b, status)
		return
	}
	if b.callsExtender() {
		e.extenderBound(b, out)
		return
	}
	e.bindDone(b, status)
}

// bindDone ends the current Bind plugin with its status.
func (e *Engine) bindDone(b *binding, status *fwk.Status) {
	all := b.profile.BindPlugins()
	status = b.profile.CheckBindStatus(all[b.next].Name(), status)
	if status.IsSkip() && b.next+1 < len(all) {
		b.next++
		e.bind(b)
		return
	}
	if status.IsSkip() {
		status = fwk.AsStatus(errEveryBinderSkips)
	}
	e.observePoint(b.profile, framework.Bind, status.Code(), b.stageStarted)
	e.bindingEnded(b, status)
}

func (e *Engine) bindingEnded(b *binding, status *fwk.Status) {
	if status.IsSuccess() {
		e.bindingSucceeded(b)
	} else {
		e.bindingFailed(b, status)
	}
}

var errEveryBinderSkips = errors.New("the pod is not bound: every Bind plugin skips it")

func (e *Engine) bindingSucceeded(b *binding) {
	delete(e.bindings, b.assumed.UID)
	e.reportProblem(e.cache.FinishBinding(b.assumed))
	e.emit(world.EmitEvent{
		Regarding: world.PodRefOf(b.assumed), Type: v1.EventTypeNormal, Reason: "Scheduled", Action: "Binding",
		Note:       "Successfully assigned " + b.assumed.Namespace + "/" + b.assumed.Name + " to " + b.node,
		Controller: b.profile.ProfileName(),
	})
	b.profile.RunPostBindPlugins(e.ctx, b.state, b.assumed, b.node)
	e.activateRequested(b.state)
	e.counters.Bound++
	e.attempted(b.popped, b.profile.ProfileName(), Placed, b.started)
	e.release(b.memory)
}

// bindingFailed undoes a placement and requeues the pod. The freed resources requeue other pods; a rejected pod does not
// requeue itself by it.
func (e *Engine) bindingFailed(b *binding, status *fwk.Status) {
	forgotten := e.undoPlacement(b)
	freed := func(others func(*v1.Pod) bool) {
		if forgotten {
			e.queue.Move(queue.EventAssignedPodDelete, b.assumed, nil, e.now, others)
		}
		e.devicesFreed(others)
	}
	if !status.IsRejected() {
		freed(nil)
	}
	e.requeue(b.popped, b.profile.ProfileName(), &failure{status: status, nomination: clearNomination})
	if status.IsRejected() {
		freed(func(pod *v1.Pod) bool { return pod.UID != b.assumed.UID })
	}
	e.counters.BindingsFailed++
	e.attempted(b.popped, b.profile.ProfileName(), verdictOf(status), b.started)
}

// bindingOverruled ends the binding of a pod that another scheduler bound to a node. It undoes the placement as after a
// failure, but the pod is not queued again.
func (e *Engine) bindingOverruled(b *binding, node string) {
	e.undoPlacement(b)
	e.queue.BoundElsewhere(b.popped, node, b.node, e.now)
	e.queue.Move(queue.EventAssignedPodDelete, b.assumed, nil, e.now, nil)
	e.devicesFreed(nil)
	e.attempted(b.popped, b.profile.ProfileName(), Placed, b.started)
}

// devicesFreed requeues the pods that may be helped by the devices of claims which bindings have given up.
func (e *Engine) devicesFreed(others func(*v1.Pod) bool) {
	for _, claim := range e.devices.TakeFreed() {
		without := *claim
		without.Status.Allocation = nil
		e.queue.Move(queue.EventResourceClaimUpdate, claim, &without, e.now, others)
	}
}

// undoPlacement runs Unreserve and forgets the assumed pod. It reports whether resources became free.
func (e *Engine) undoPlacement(b *binding) bool {
	delete(e.bindings, b.assumed.UID)
	b.profile.RejectWaitingPod(b.assumed.UID) // only removes the entry; the wait is over
	e.objectWaits.cancel(b.assumed.UID)
	if b.stage == bindingNow {
		e.reportProblem(e.cache.FinishBinding(b.assumed))
	}
	b.profile.RunReservePluginsUnreserve(e.ctx, b.state, b.assumed, b.node)
	err := e.cache.ForgetPod(b.assumed)
	e.reportProblem(err)
	return err == nil
}

// statusOf converts an outcome to a plugin's status.
func statusOf(out world.Outcome) *fwk.Status {
	if out.OK() {
		return nil
	}
	if out.Code == fwk.Error {
		return fwk.AsStatus(outcomeError{out})
	}
	return fwk.NewStatus(out.Code, out.Message)
}

type outcomeError struct{ out world.Outcome }

func (e outcomeError) Error() string { return e.out.Message }
