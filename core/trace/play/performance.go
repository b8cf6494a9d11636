package play

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/engine"
	"orrery/core/trace"
	"orrery/core/world"
)

// performance is an engine that a trace is played to.
type performance struct {
	engine *engine.Engine
	// along hears what the engine is told and decides; nil if nobody does.
	along Companion
	// open are the effects that wait for their outcomes, by what they were to do, the oldest first. It is nil where the
	// engine numbers its effects as the recorded one did.
	open map[trace.Wish][]world.EffectID
	// placed is where pods went, in a loose performance; nil in an exact one.
	placed map[types.UID]string
	// alone says that the trace has no scheduler in it: everything the engine wants done succeeds at once.
	alone bool
}

// newPerformance begins a performance of a trace. Hashed names make other messages, and so other effects: a status is
// patched when its message differs.
func newPerformance(e *engine.Engine, along Companion, base trace.Base, hashed bool) performance {
	p := performance{engine: e, along: along, alone: base == trace.FromImport}
	if base != trace.FromStart {
		p.placed = map[types.UID]string{}
	}
	if base != trace.FromStart || hashed {
		p.open = map[trace.Wish][]world.EffectID{}
	}
	return p
}

func (p performance) fork() (performance, error) {
	e, err := p.engine.Fork()
	if err != nil {
		return performance{}, err
	}
	fork := p
	if p.along != nil {
		fork.along = p.along.Fork()
	}
	fork.engine, fork.open, fork.placed = e, maps.Clone(p.open), maps.Clone(p.placed)
	for wish, ids := range fork.open {
		fork.open[wish] = slices.Clone(ids)
	}
	return fork, nil
}

func (p performance) exact() bool { return p.placed == nil }

// play plays one record, and tells the report.
func (p performance) play(r trace.Record, report *Report) {
	report.Records++
	switch b := r.Body.(type) {
	case trace.Input:
		report.Inputs++
		p.input(r, b, report)
	case trace.Decision:
		report.Decisions++
		if p.exact() {
			p.decide(r, b, report)
		} else {
			p.compareLoosely(r, b, report)
		}
	case trace.Checkpoint:
		if p.exact() {
			report.digest(r, b.Digest, p.engine.Digest())
		}
	}
}

func (p performance) input(r trace.Record, in trace.Input, report *Report) {
	if p.exact() && !in.Hurried {
		p.rest(r, report)
	}
	event := p.renumber(in)
	if !p.exact() {
		p.follow(r, p.inferred(event), report)
		return
	}
	p.apply(r, event, report)
	p.note()
}

func (p performance) apply(r trace.Record, event world.Event, report *Report) {
	in := world.Input{At: r.At, Event: event}
	err := p.engine.Apply(in)
	if err != nil {
		report.Refused++
	}
	if p.along != nil {
		p.along.Applied(in, err)
	}
}

// step has one decision made. It is false when there was nothing to decide.
func (p performance) step() (*engine.Decision, bool) {
	d, more := p.engine.Step()
	if p.along != nil {
		p.along.Stepped(d)
	}
	return d, more
}

// effects are what the engine wants done and has not said yet.
func (p performance) effects() []world.Effect {
	effects := p.engine.Effects()
	if p.along != nil {
		for _, effect := range effects {
			p.along.Wanted(effect)
		}
	}
	return effects
}

// rest checks that there is nothing to decide where the recorded engine had nothing.
func (p performance) rest(r trace.Record, report *Report) {
	for d, more := p.step(); more; d, more = p.step() {
		p.note()
		report.unexpected(r, decided(d, p.engine.Digest()))
	}
	p.note()
}

func (p performance) decide(r trace.Record, recorded trace.Decision, report *Report) {
	d, ok := p.step()
	if !ok {
		report.missing(r, recorded)
		return
	}
	p.note()
	report.compare(r, recorded, decided(d, p.engine.Digest()))
}

// note takes the engine's effects off it. They were carried out when the trace was recorded, and the trace has their
// outcomes.
func (p performance) note() {
	effects := p.effects()
	if p.open == nil {
		return
	}
	for _, effect := range effects {
		if wish := trace.WishOf(effect.Act); wish.Verb != trace.Unknown {
			p.open[wish] = append(p.open[wish], effect.ID)
		}
	}
}

// close takes the oldest effect of a kind off those that wait.
func (p performance) close(wish trace.Wish) (world.EffectID, bool) {
	ids := p.open[wish]
	switch len(ids) {
	case 0:
		return 0, false
	case 1:
		delete(p.open, wish)
	default:
		p.open[wish] = ids[1:]
	}
	return ids[0], true
}

// renumber finds the engine's own number for the effect that an outcome is of. An outcome of an effect that this engine
// never wanted only brings its time.
func (p performance) renumber(in trace.Input) world.Event {
	ended, ok := in.Event.(world.Ended)
	if !ok || p.open == nil {
		return in.Event
	}
	id, ok := p.close(in.Answers)
	if !ok {
		return world.Passed{}
	}
	ended.Effect = id
	return ended
}

// inferred puts before an event the outcomes that it implies: a pod that is on a node, or gone, was bound. Outcomes that
// were on their way when the trace began are not in it otherwise.
func (p performance) inferred(event world.Event) []world.Event {
	changed, ok := event.(world.Changed)
	if !ok {
		return []world.Event{event}
	}
	pod, ok := changed.Object.(*v1.Pod)
	if !ok || (pod.Spec.NodeName == "" && changed.Op != world.Deleted) {
		return []world.Event{event}
	}
	if id, underway := p.close(bindOf(world.RefOf(pod))); underway {
		return []world.Event{world.Ended{Effect: id}, event}
	}
	return []world.Event{event}
}

func bindOf(pod world.Ref) trace.Wish { return trace.Wish{Verb: trace.Bind, Pod: pod} }

// follow applies events and what follows from them in a loose performance: all decisions there are to be made, and,
// where the trace has no scheduler in it, what they lead to.
func (p performance) follow(r trace.Record, events []world.Event, report *Report) {
	for len(events) > 0 {
		p.apply(r, events[0], report)
		events = events[1:]
		for d, more := p.step(); more; d, more = p.step() {
			if d.Verdict == engine.Placed {
				p.placed[d.Pod.UID] = d.Node
			}
		}
		if !p.alone {
			p.note()
			continue
		}
		for _, effect := range p.effects() {
			events = append(events, p.success(effect)...)
		}
	}
}

// success is what a cluster would tell of an effect that succeeds.
func (p performance) success(effect world.Effect) []world.Event {
	if !world.Answered(effect.Act) {
		return nil
	}
	events := []world.Event{world.Ended{Effect: effect.ID}}
	switch act := effect.Act.(type) {
	case world.Bind:
		if pod := p.held(act.Pod); pod != nil {
			pod.Spec.NodeName = act.Node
			events = append(events, world.Changed{Op: world.Modified, Object: pod})
		}
	case world.Delete:
		if pod := p.held(act.Pod); pod != nil {
			events = append(events, world.Changed{Op: world.Deleted, Object: pod})
		}
	}
	return events
}

// held is a copy of a pod to be changed; nil when it has gone. Nobody counts versions here, and one without is believed.
func (p performance) held(ref world.Ref) *v1.Pod {
	held := p.engine.Store().Pod(ref.Namespace, ref.Name)
	if held == nil || held.UID != ref.UID {
		return nil
	}
	pod := *held
	pod.ResourceVersion = ""
	return &pod
}

// compareLoosely compares where a pod was placed. A pod that failed again while its binding is under way here was not
// bound there.
func (p performance) compareLoosely(r trace.Record, recorded trace.Decision, report *Report) {
	if recorded.Verdict != trace.Placed && recorded.Attempt > 1 {
		if id, underway := p.close(bindOf(recorded.Pod)); underway {
			failed := world.Outcome{Code: fwk.Error, Message: "it was decided about again"}
			p.follow(r, []world.Event{world.Ended{Effect: id, Outcome: failed}}, report)
		}
	}
	if recorded.Verdict != trace.Placed {
		return
	}
	replayed := recorded
	if replayed.Node = p.placed[recorded.Pod.UID]; replayed.Node == "" {
		report.missing(r, recorded)
		return
	}
	report.compare(r, recorded, replayed)
}
