package cycle

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/parity/claimwrites"
	"orrery/core/parity/difftest"
	"orrery/core/parity/oracle/claimserver"
	"orrery/core/parity/oracle/extenderserver"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// orreryScheduler is Orrery's engine. Effects succeed at once, like the calls of kube-scheduler.
type orreryScheduler struct {
	engine  *engine.Engine
	calls   []effect
	written []world.Action // of volumes and claims
	claims  *claimserver.Server
	events  []string

	failingBindings, failingClearings map[string]bool

	extenders []http.Handler
	seen      difftest.Coverage
	asked     []world.Effect // calls of extenders without an answer

	client *recordingClient // of hosted plugins
	ctx    context.Context  // of their calls
	stop   context.CancelFunc
	mu     sync.Mutex
	ended  []world.EffectDone // of calls of hosted plugins
	over   chan struct{}      // closed when the decision is; see holdEvictions
}

// effect is one write of Orrery.
type effect struct {
	pod types.NamespacedName
	act world.Action
}

func (p *decisionCase) newOrreryScheduler(failing *clusterCase) *orreryScheduler {
	client := p.newClient(failing)
	e, err := engine.New(engine.Options{
		Config: p.settings.orreryConfig, TieBreak: engine.ByHeap, Start: time.Now(), Plugins: p.theirPlugins(), Client: client,
	})
	must(err)
	u := &orreryScheduler{
		engine: e, failingBindings: set(failing.Refused), failingClearings: set(failing.Uncleared), client: client,
		claims: p.newClaimServer(failing.Refused), seen: p.seen,
	}
	u.extenders = p.extenderHandlers(func(bound extenderserver.Binding) {
		pod := world.PodRef{Namespace: bound.Namespace, Name: bound.Name, UID: bound.UID}
		u.write(pod, world.Bind{Pod: pod, Node: bound.Node})
	})
	u.ctx, u.stop = context.WithCancel(context.Background())
	return u
}

func (u *orreryScheduler) apply(event world.Event) {
	must(u.engine.Apply(world.Input{At: time.Now(), Event: event}))
}

// step makes the next decision, if a pod can be popped, and carries out its effects.
func (u *orreryScheduler) step() *decision {
	before := u.engine.StartIndex()
	u.over = make(chan struct{})
	d, more := u.engine.Step()
	for !more && u.askExtenders() {
		d, more = u.engine.Step()
	}
	if !more {
		return nil
	}
	decided := &decision{
		Pod: d.Pod.Name, Node: d.Node, Message: plain(d.Message), Nominated: unchanged, Rejections: map[string]int{},
		Start: before, Examined: d.Examined, Feasible: d.Feasible, Next: u.engine.StartIndex(),
	}
	for _, r := range d.Rejections {
		if r.Plugin == framework.ExtenderName {
			r.Plugin = "" // kube-scheduler does not say who rejected the node
		}
		decided.Rejections[plain(fmt.Sprint(r.Plugin, ": ", r.Reason))] += r.Nodes
	}
	for u.askExtenders() {
	}
	close(u.over)
	u.awaitPlugins()
	return decided
}

// carryOutEffects carries out effects until there are none.
func (u *orreryScheduler) carryOutEffects() {
	for effects := u.engine.Effects(); len(effects) > 0; effects = u.engine.Effects() {
		for _, f := range effects {
			switch act := f.Action.(type) {
			case world.EmitEvent:
				u.events = append(u.events, fmt.Sprint(act.Regarding.Name, " ", act.Type, " ", act.Reason, " ", act.Action, ": ", plain(act.Note)))
			case world.Bind:
				if u.refuse(f.ID, act.Pod.Name, u.failingBindings) {
					continue
				}
				u.write(act.Pod, act)
			case world.ClaimVolume:
				if act.ByController && u.refuse(f.ID, act.Volume.Name, u.failingBindings) {
					continue
				}
				u.written = append(u.written, act)
			case world.SelectNode:
				if u.refuse(f.ID, act.Claim.Name, u.failingBindings) {
					continue
				}
				u.written = append(u.written, act)
			case world.RunPlugin:
				u.call(f.ID, act)
				continue
			case world.CallExtender:
				if act.Verb != world.ExtenderBind { // a cycle's call is answered by step
					u.asked = append(u.asked, f)
					continue
				}
				u.apply(world.EffectDone{Effect: f.ID, Outcome: u.answer(act)})
				continue
			case world.PatchStatus:
				if c := act.Condition; c != nil {
					c.Message = plain(c.Message)
				} else if *act.NominatedNode == "" && u.refuse(f.ID, act.Pod.Name, u.failingClearings) {
					u.seen.Count("nominations that are not cleared")
					continue
				}
				u.write(act.Pod, act)
			case world.Delete:
				u.write(act.Pod, act)
			case world.ReserveResourceClaim, world.UnreserveResourceClaim, world.DeallocateResourceClaim:
				u.apply(world.EffectDone{Effect: f.ID, Outcome: u.writeClaim(act)})
				continue
			default:
				panic(fmt.Sprintf("unexpected effect of type %T", act))
			}
			if world.HasOutcome(f.Action) {
				u.apply(world.EffectDone{Effect: f.ID})
			}
		}
	}
}

// writeClaim writes a claim for devices.
func (u *orreryScheduler) writeClaim(act world.Action) world.Outcome {
	outcome := claimwrites.CarryOut(u.claims, act)
	if reserve, is := act.(world.ReserveResourceClaim); is && outcome.OK() {
		outcome.Version = u.claims.Written[reserve.Claim.Name].ResourceVersion
	}
	return *outcome
}

// call calls a hosted plugin on a goroutine of its own, as the live world does.
func (u *orreryScheduler) call(id world.EffectID, run world.RunPlugin) {
	go func() {
		status := run.Call(u.ctx)
		u.mu.Lock()
		defer u.mu.Unlock()
		u.ended = append(u.ended, world.EffectDone{Effect: id, Outcome: world.Outcome{Code: status.Code(), Message: status.Message()}})
	}()
}

// awaitPlugins waits until hosted plugins have ended or wait themselves, and carries out what follows.
func (u *orreryScheduler) awaitPlugins() {
	for synctest.Wait(); len(u.ended) > 0 || u.posted(); synctest.Wait() {
		ended := u.ended
		u.ended = nil
		for _, done := range ended {
			u.apply(done)
		}
		u.carryOutEffects()
	}
}

// posted has the engine carry out what hosted plugins have asked for on goroutines of their own, if they have.
func (u *orreryScheduler) posted() bool {
	select {
	case <-u.engine.Posted():
		u.apply(world.Tick{})
		u.carryOutEffects()
		return true
	default:
		return false
	}
}

// refuse lets an effect fail if the next one about this name has to.
func (u *orreryScheduler) refuse(id world.EffectID, name string, failing map[string]bool) bool {
	if !failing[name] {
		return false
	}
	delete(failing, name)
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
