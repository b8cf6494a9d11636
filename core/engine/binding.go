package engine

import (
	"context"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/queue"
	"orrery/core/world"
)

// stage is how far a binding has come.
type stage uint8

// The stages of a binding, in order. Each ends when an input says so; nothing waits in between.
const (
	waitingForPermit stage = iota
	preBinding
	bindingNow
)

func (s stage) String() string {
	return [...]string{"waiting for permit", "pre-binding", "binding"}[s]
}

// binding is a pod between its placement and the end of its bind: a small record that moves on when an input says that
// what it waits for has happened.
type binding struct {
	popped  *queue.Pod
	assumed *v1.Pod
	node    string
	profile *framework.Profile
	state   *framework.CycleState
	lent    *loan
	started time.Duration

	stage  stage
	next   int            // the plugin of this stage whose turn it is
	effect world.EffectID // what it waits for, in the later stages
	since  time.Time
	began  time.Duration // of the present stage, by the stopwatch
}

// loan is the copy of a binding's state that a plugin works on, which may be on another goroutine. It may be read once
// the plugin has returned it.
type loan struct {
	state    *framework.CycleState
	returned atomic.Bool
}

// startBinding sets a placed pod on its way.
func (e *Engine) startBinding(b *binding) {
	b.since = e.now
	e.bindings[b.assumed.UID] = b
	waits := e.waiting.Get(b.assumed.UID) != nil
	if e.config.Features.Enabled(config.NominatedNodeNameForExpectation) {
		status := b.profile.RunPreBindPreFlights(e.ctx, b.state, b.assumed, b.node)
		if status.Code() == fwk.Error || status.IsRejected() {
			e.bindingFailed(b, status)
			return
		}
		if (status.IsSuccess() || waits) && b.assumed.Status.NominatedNodeName != b.node {
			e.do(world.PatchStatus{Pod: world.RefOf(b.assumed), NominatedNode: &b.node})
		}
	}
	if !waits {
		e.permitted(b, nil)
	}
}

// permitted goes on after the permit phase. From here on a failure is no longer a plugin's judgement of the pod, and
// events that happen meanwhile need not be kept for it.
func (e *Engine) permitted(b *binding, status *fwk.Status) {
	if !status.IsSuccess() {
		e.bindingFailed(b, turnedBack(b, status))
		return
	}
	e.queue.Done(b.assumed.UID)
	b.stage, b.next, b.began = preBinding, 0, e.elapsed()
	e.preBind(b)
}

// turnedBack is the failure of a pod whose waiting ended in a rejection. Whoever rejected it is the one to bring it
// back, be it nobody: a pod that is being deleted waits for its end and not for another attempt.
func turnedBack(b *binding, status *fwk.Status) *fwk.Status {
	fit := framework.NewNodeFitError(b.popped.Pod(), b.node, status)
	fit.Diagnosis.UnschedulablePlugins = sets.New(status.Plugin())
	return fwk.NewStatus(status.Code()).WithError(fit)
}

// preBind asks for the next PreBind plugin to be run, or goes on to Bind when all have.
func (e *Engine) preBind(b *binding) {
	if b.next < len(b.profile.PreBindPlugins(b.state)) {
		e.await(b, b.run())
		return
	}
	e.pointTook(b.profile, framework.PreBind, fwk.Success, b.began)
	b.stage, b.next, b.began = bindingNow, 0, e.elapsed()
	e.bind(b)
}

// bind asks for the next Bind plugin's binding. One that can name its binding has it made by the world; any other is
// run where it may block.
func (e *Engine) bind(b *binding) {
	if binder, ok := b.profile.BindPlugins()[b.next].(framework.Binder); ok {
		e.await(b, binder.Binding(b.assumed, b.node))
		return
	}
	e.await(b, b.run())
}

// run is the call of the plugin whose turn it is, for the world to make, as it may block. The plugin is given a copy of
// the state, so that the engine can be forked while it runs; what it writes there counts once it has answered.
func (b *binding) run() world.Run {
	lent := &loan{state: copyOf(b.state)}
	b.lent = lent
	run := b.turn()
	if b.stage == preBinding {
		plugin := b.profile.PreBindPlugins(b.state)[b.next]
		run.Call = func(ctx context.Context) *fwk.Status {
			defer lent.returned.Store(true)
			return plugin.PreBind(ctx, lent.state, b.assumed, b.node)
		}
		return run
	}
	plugin := b.profile.BindPlugins()[b.next]
	run.Call = func(ctx context.Context) *fwk.Status {
		defer lent.returned.Store(true)
		return plugin.Bind(ctx, lent.state, b.assumed, b.node)
	}
	return run
}

// turn names the plugin whose turn it is, and at which point.
func (b *binding) turn() world.Run {
	run := world.Run{Pod: world.RefOf(b.assumed), Node: b.node}
	if b.stage == preBinding {
		run.Plugin, run.Point = b.profile.PreBindPlugins(b.state)[b.next].Name(), string(framework.PreBind)
	} else {
		run.Plugin, run.Point = b.profile.BindPlugins()[b.next].Name(), string(framework.Bind)
	}
	return run
}

// await has something done that the binding waits for.
func (e *Engine) await(b *binding, act world.Act) {
	b.effect = e.do(act)
	e.pending[b.effect] = b.assumed.UID
}

// bindingAnswered moves a binding on when the plugin or the call it waited for has ended.
func (e *Engine) bindingAnswered(b *binding, out world.Outcome) {
	status := statusOf(out)
	if b.lent != nil && b.lent.returned.Load() {
		b.state = b.lent.state
	}
	b.lent = nil
	if b.stage == preBinding {
		plugin := b.profile.PreBindPlugins(b.state)[b.next]
		if status = b.profile.JudgePreBind(plugin.Name(), status); !status.IsSuccess() {
			e.pointTook(b.profile, framework.PreBind, status.Code(), b.began)
			e.bindingFailed(b, status)
			return
		}
		b.next++
		e.preBind(b)
		return
	}
	all := b.profile.BindPlugins()
	status = b.profile.JudgeBind(all[b.next].Name(), status)
	if status.IsSkip() && b.next+1 < len(all) { // a pod that the last plugin skips too is not bound
		b.next++
		e.bind(b)
		return
	}
	e.pointTook(b.profile, framework.Bind, status.Code(), b.began)
	switch {
	case status.IsSuccess():
		e.bound(b)
	default:
		e.bindingFailed(b, status)
	}
}

// bound ends a binding well.
func (e *Engine) bound(b *binding) {
	delete(e.bindings, b.assumed.UID)
	e.note(e.cache.FinishBinding(b.assumed))
	e.do(world.Announce{
		Regarding: world.RefOf(b.assumed), Type: v1.EventTypeNormal, Reason: "Scheduled", Action: "Binding",
		Note:       "Successfully assigned " + b.assumed.Namespace + "/" + b.assumed.Name + " to " + b.node,
		Controller: b.profile.ProfileName(),
	})
	b.profile.RunPostBindPlugins(e.ctx, b.state, b.assumed, b.node)
	e.activateWished(b.state)
	e.tally.Bound++
	e.attempted(b.popped, b.profile.ProfileName(), Placed, b.started)
}

// bindingFailed undoes a placement: reservations are undone in reverse, the room is given back, and the pod returns to
// the queue. Those whom the room may help are woken, except the pod itself if plugins rejected it.
func (e *Engine) bindingFailed(b *binding, status *fwk.Status) {
	delete(e.bindings, b.assumed.UID)
	b.profile.RejectWaitingPod(b.assumed.UID) // nobody listens any more; it only leaves the list
	if b.stage == bindingNow {
		e.note(e.cache.FinishBinding(b.assumed))
	}
	b.profile.RunUnreservePlugins(e.ctx, b.state, b.assumed, b.node)
	err := e.cache.ForgetPod(b.assumed)
	e.note(err)
	freed := func(others func(*v1.Pod) bool) {
		if err == nil {
			e.queue.Move(queue.EventAssignedPodDelete, b.assumed, nil, e.now, others)
		}
	}
	if !status.IsRejected() {
		freed(nil)
	}
	e.requeue(b.popped, b.profile.ProfileName(), &failure{status: status, nomination: clearNomination})
	if status.IsRejected() {
		freed(func(pod *v1.Pod) bool { return pod.UID != b.assumed.UID })
	}
	e.tally.BindingsFailed++
	e.attempted(b.popped, b.profile.ProfileName(), verdictOf(status), b.started)
}

// statusOf is an outcome as a plugin would have said it.
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
