package play

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	deviceoutcome "orrery/core/scheduler/devices/outcome"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/volumes/outcome"
	"orrery/core/trace"
	"orrery/core/world"
)

// replayer is an engine with the state for playing a trace to it.
type replayer struct {
	engine    *engine.Engine
	scheduler *drive.Scheduler
	// follower observes the engine; it may be nil.
	follower Follower
	// pending are the effects without an outcome, by key, oldest first. It is nil where the engine numbers its effects
	// as the recorded one did.
	pending map[trace.EffectKey][]world.EffectID
	// writes are the pods whose last effect writes a volume or a claim. It is nil where pending is.
	writes map[world.PodRef]trace.EffectKey
	// answers are those of extenders that came before this engine asked for them. It is nil in an exact replay.
	answers map[trace.EffectKey]world.Outcome
	// placed maps pods to their nodes in a loose replay; it is nil in an exact one.
	placed map[types.UID]string
	// withoutScheduler says that the trace has no scheduler: every effect succeeds at once.
	withoutScheduler bool
}

// newReplayer makes a replayer. Hashed names change messages and so effects: a status is patched if its message
// differs.
func newReplayer(e *engine.Engine, follower Follower, beside drive.Observer, origin trace.Origin, hashed bool) replayer {
	p := replayer{engine: e, scheduler: drive.NewScheduler(e, follower, beside), follower: follower, withoutScheduler: origin == trace.FromImport}
	if !origin.Exact() {
		p.placed, p.answers = map[types.UID]string{}, map[trace.EffectKey]world.Outcome{}
	}
	if !origin.Exact() || hashed {
		p.pending, p.writes = map[trace.EffectKey][]world.EffectID{}, map[world.PodRef]trace.EffectKey{}
	}
	return p
}

func (p replayer) fork(forkEngine func(*engine.Engine) (*engine.Engine, error)) (replayer, error) {
	e, err := forkEngine(p.engine)
	if err != nil {
		return replayer{}, err
	}
	fork := p
	if p.follower != nil {
		fork.follower = p.follower.Fork()
	}
	fork.engine, fork.scheduler = e, drive.NewScheduler(e, fork.follower)
	fork.answers = maps.Clone(p.answers)
	fork.pending, fork.writes, fork.placed = maps.Clone(p.pending), maps.Clone(p.writes), maps.Clone(p.placed)
	for wish, ids := range fork.pending {
		fork.pending[wish] = slices.Clone(ids)
	}
	return fork, nil
}

func (p replayer) exact() bool { return p.placed == nil }

// playRecord plays one record and updates the report.
func (p replayer) playRecord(r trace.Record, report *Report) {
	report.Records++
	switch b := r.Body.(type) {
	case trace.Input:
		report.Inputs++
		p.playInput(r, b, report)
	case trace.Decision:
		if p.exact() {
			report.Decisions++
			p.playDecision(r, b, report)
		} else {
			p.comparePlacement(r, b, report)
		}
	case trace.Checkpoint:
		if p.exact() {
			report.compareDigest(r, b.Digest, p.engine.Digest())
		}
	case trace.State:
		report.compareDigest(r, b.Digest, p.engine.Digest())
	}
}

func (p replayer) playInput(r trace.Record, in trace.Input, report *Report) {
	if p.exact() && !in.BeforeRest {
		p.checkAtRest(r, report)
	}
	if !p.exact() && in.Effect.Verb == trace.CallExtender && len(p.pending[in.Effect]) == 0 {
		p.answerEarly(r, in, report)
		return
	}
	event := p.withOwnEffectID(in)
	if !p.exact() {
		p.applyAndDecide(r, p.withImpliedOutcome(event), report)
		return
	}
	p.apply(r, event, report)
	p.collectEffects()
}

func (p replayer) apply(r trace.Record, event world.Event, report *Report) {
	refused := p.engine.Counters().Refused
	p.scheduler.Apply(world.Input{At: r.At, Event: event})
	report.Refused += p.engine.Counters().Refused - refused
}

// checkAtRest checks that the engine has nothing to decide where the recorded engine had nothing.
func (p replayer) checkAtRest(r trace.Record, report *Report) {
	for d, more := p.scheduler.Step(); more; d, more = p.scheduler.Step() {
		p.collectEffects()
		report.unexpected(r, traceDecision(d, p.engine.Digest()))
	}
	p.collectEffects()
}

func (p replayer) playDecision(r trace.Record, recorded trace.Decision, report *Report) {
	d, ok := p.scheduler.Step()
	if !ok {
		report.missing(r, recorded)
		return
	}
	p.collectEffects()
	report.compare(r, recorded, traceDecision(d, p.engine.Digest()))
}

// collectEffects removes the engine's effects. They were carried out when the trace was recorded, and the trace has
// their outcomes.
func (p replayer) collectEffects() {
	effects := p.scheduler.Emit()
	if p.pending == nil {
		return
	}
	for _, effect := range effects {
		wish := trace.EffectKeyOf(effect.Action)
		if wish.Verb != trace.Unknown {
			p.pending[wish] = append(p.pending[wish], effect.ID)
		}
		if wish.Verb.WritesForBinding() {
			p.writes[wish.Pod] = wish
		}
	}
}

// takePending removes and returns the oldest effect with a key.
func (p replayer) takePending(wish trace.EffectKey) (world.EffectID, bool) {
	ids := p.pending[wish]
	switch len(ids) {
	case 0:
		return 0, false
	case 1:
		delete(p.pending, wish)
	default:
		p.pending[wish] = ids[1:]
	}
	return ids[0], true
}

// withOwnEffectID replaces the recorded effect number of an outcome by the engine's own. An outcome without an effect
// in this engine becomes a Tick, which carries its time.
func (p replayer) withOwnEffectID(in trace.Input) world.Event {
	ended, ok := in.Event.(world.EffectDone)
	if !ok || p.pending == nil {
		return in.Event
	}
	id, ok := p.takePending(in.Effect)
	if !ok {
		return world.Tick{}
	}
	ended.Effect = id
	if !p.exact() {
		return p.aboutOwnNodes(ended)
	}
	return ended
}

// takeWrite removes and returns the effect that writes a volume for a pod, if it is pending.
func (p replayer) takeWrite(pod world.PodRef) (world.EffectID, bool) {
	wish, ok := p.writes[pod]
	if !ok {
		return 0, false
	}
	delete(p.writes, pod)
	return p.takePending(wish)
}

// withImpliedOutcome prepends the outcome that an event implies: a pod that is on a node, or deleted, was bound, and a
// volume that it was waiting for was not written. A trace that begins with a snapshot lacks the outcomes of earlier
// effects, and in it other volumes may be chosen.
func (p replayer) withImpliedOutcome(event world.Event) []world.Event {
	changed, ok := event.(world.Changed)
	if !ok {
		return []world.Event{event}
	}
	pod, ok := changed.Object.(*v1.Pod)
	if !ok || (pod.Spec.NodeName == "" && changed.Op != world.Deleted) {
		return []world.Event{event}
	}
	if id, underway := p.takePending(bindKey(world.PodRefOf(pod))); underway {
		return []world.Event{world.EffectDone{Effect: id}, event}
	}
	if id, underway := p.takeWrite(world.PodRefOf(pod)); underway {
		return []world.Event{world.EffectDone{Effect: id, Outcome: notWritten}, event}
	}
	var events []world.Event
	for _, key := range p.callsWithoutAnswer(func(key trace.EffectKey) bool { return key.Pod == world.PodRefOf(pod) }) {
		id, _ := p.takePending(key)
		events = append(events, world.EffectDone{Effect: id, Outcome: notWritten})
	}
	return append(events, event)
}

var notWritten = world.Outcome{Code: fwk.Error, Reason: metav1.StatusReasonConflict, Message: "the recorded scheduler did otherwise"}

func bindKey(pod world.PodRef) trace.EffectKey { return trace.EffectKey{Verb: trace.Bind, Pod: pod} }

// applyAndDecide applies events in a loose replay and makes all decisions that are ready. Without a scheduler in the
// trace, it also applies the outcomes of the effects.
func (p replayer) applyAndDecide(r trace.Record, events []world.Event, report *Report) {
	for len(events) > 0 {
		p.apply(r, events[0], report)
		events = events[1:]
		for d, more := p.scheduler.Step(); more; d, more = p.scheduler.Step() {
			if d.Verdict == engine.Placed {
				p.placed[d.Pod.UID] = d.Node
			}
		}
		if !p.withoutScheduler {
			p.collectEffects()
			events = append(events, p.answersAtHand()...)
			continue
		}
		for _, effect := range p.scheduler.Emit() {
			events = append(events, p.outcomeEvents(effect)...)
		}
	}
}

// outcomeEvents returns the events that a cluster sends for an effect that succeeds.
func (p replayer) outcomeEvents(effect world.Effect) []world.Event {
	if !world.HasOutcome(effect.Action) {
		return nil
	}
	// Claims for devices change before the write is answered: the next write, made at the answer, may be of the same claim.
	events := append(deviceoutcome.Of(effect.Action, p.engine.Store()), world.EffectDone{Effect: effect.ID})
	events = append(events, outcome.Of(effect.Action, p.engine.Store())...)
	switch act := effect.Action.(type) {
	case world.Bind:
		if pod := p.copyOfPod(act.Pod); pod != nil {
			pod.Spec.NodeName = act.Node
			events = append(events, world.Changed{Op: world.Modified, Object: pod})
		}
	case world.Delete:
		if pod := p.copyOfPod(act.Pod); pod != nil {
			events = append(events, world.Changed{Op: world.Deleted, Object: pod})
		}
	}
	return events
}

// copyOfPod copies a pod to change it; nil if the pod is gone. The copy has no resource version, so the store accepts
// it.
func (p replayer) copyOfPod(ref world.PodRef) *v1.Pod {
	held := p.engine.Store().Pod(ref.Namespace, ref.Name)
	if held == nil || held.UID != ref.UID {
		return nil
	}
	pod := *held
	pod.ResourceVersion = ""
	return &pod
}

// comparePlacement compares the node of a placed pod. If a pod with a binding in flight here failed again in the trace,
// its binding failed there.
func (p replayer) comparePlacement(r trace.Record, recorded trace.Decision, report *Report) {
	p.abandonCalls(r, func(key trace.EffectKey) bool { return key.Pod == recorded.Pod }, report)
	if recorded.Verdict != trace.Placed && recorded.Attempt > 1 {
		if id, underway := p.takePending(bindKey(recorded.Pod)); underway {
			failed := world.Outcome{Code: fwk.Error, Message: "it was decided about again"}
			p.applyAndDecide(r, []world.Event{world.EffectDone{Effect: id, Outcome: failed}}, report)
		} else if id, underway := p.takeWrite(recorded.Pod); underway {
			p.applyAndDecide(r, []world.Event{world.EffectDone{Effect: id, Outcome: notWritten}}, report)
		}
	}
	if recorded.Verdict != trace.Placed {
		return
	}
	report.Decisions++
	replayed := recorded
	if replayed.Node = p.placed[recorded.Pod.UID]; replayed.Node == "" {
		report.missing(r, recorded)
		return
	}
	report.compare(r, recorded, replayed)
}
