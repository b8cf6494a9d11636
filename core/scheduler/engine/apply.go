package engine

import (
	"errors"
	"fmt"
	"time"

	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Apply applies one input. Timers due before the input fire first, each at its own time, so the result does not depend
// on how often the engine is called.
//
// The error reports the invalid part of the input, which is ignored: a malformed object or field, or a change that contradicts
// the known state. The engine keeps running. After an error that wraps *cache.CorruptionError a node's cached contents
// are unreliable, and a scheduler that acts on a real cluster should restart.
func (e *Engine) Apply(in world.Input) error {
	e.counters.Inputs++
	e.carryOutPosted()
	defer e.carryOutPosted()
	err := errors.Join(e.advance(in.At), e.apply(in.Event))
	e.devicesFreed(nil)
	if err != nil {
		e.counters.Refused++
		e.rememberRefusal(err)
	}
	e.resumeBindings()
	return err
}

func (e *Engine) applyDeltas(deltas []store.Delta) error {
	var errs []error
	for _, d := range deltas {
		if err := e.applyDelta(d); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (e *Engine) apply(event world.Event) error {
	switch ev := event.(type) {
	case world.Changed:
		deltas, err := e.store.Apply(ev)
		return errors.Join(err, e.applyDeltas(deltas))
	case world.Listed:
		deltas, errs := e.store.Replace(ev)
		return errors.Join(errors.Join(errs...), e.applyDeltas(deltas))
	case world.EffectDone:
		return e.effectDone(ev)
	case world.ActivateRequest:
		e.activatePods(ev.Activate)
	case world.Tick:
	default:
		return fmt.Errorf("applying an input: there is no event of type %T", event)
	}
	return nil
}

// maxRunTime limits how long one engine runs: a time.Duration overflows after 292 years.
const maxRunTime = 200 * 365 * 24 * time.Hour

// advance moves the engine's time to a moment and fires every timer at its due time, in order. Time never runs
// backwards: an input older than the last one counts as simultaneous with it. An input more than maxRunTime after the
// start is an error and leaves the time as it is.
func (e *Engine) advance(to time.Time) error {
	if e.start.IsZero() {
		e.start = to
	}
	if to.Sub(e.start) > maxRunTime {
		return fmt.Errorf("applying an input of the year %d: an engine that was started in %d cannot count so far", to.Year(), e.start.Year())
	}
	for {
		due, ok := e.NextWake()
		if !ok || due.After(to) {
			break
		}
		if due.After(e.now) {
			e.now = due
		}
		e.waiting.Expire(e.now)
		e.objectWaits.expire(e.now)
		e.queue.Flush(e.now)
		e.resumeBindings()
	}
	if to.After(e.now) {
		e.now = to
	}
	return nil
}

// NextWake returns when the next timer is due. The driver applies a world.Tick at that time if no other input comes
// first.
func (e *Engine) NextWake() (time.Time, bool) {
	at, ok := e.queue.NextWake(e.now)
	if permit, waits := e.waiting.NextDeadline(); waits && (!ok || permit.Before(at)) {
		at, ok = permit, true
	}
	if until, waits := e.objectWaits.nextDeadline(); waits && (!ok || until.Before(at)) {
		at, ok = until, true
	}
	return at, ok
}

// resumeBindings resumes the bindings whose wait has ended: those that waited for objects, and those that waited for a
// permit, until none is left: resuming one may end the wait of another.
func (e *Engine) resumeBindings() {
	e.memory.carryOut()
	for _, uid := range e.objectWaits.takeEnded() {
		if b := e.bindings[uid]; len(b.parts()) > 0 {
			e.partsLook(b)
		} else {
			e.preBindStep(b, nil)
		}
	}
	for ended := e.waiting.TakeEnded(); len(ended) > 0; ended = e.waiting.TakeEnded() {
		for _, wait := range ended {
			if b := e.bindings[wait.Pod.UID]; b != nil {
				if e.options.Listener != nil {
					e.options.Listener.Permitted(wait.Status.Code(), e.now.Sub(b.since))
				}
				e.permitDone(b, wait.Status)
			}
		}
	}
}

// effectDone delivers an effect's outcome to the binding, the scheduling cycle or the plugin that waits for it.
func (e *Engine) effectDone(ev world.EffectDone) error {
	if uid, ok := e.pending[ev.Effect]; ok {
		delete(e.pending, ev.Effect)
		if b := e.bindings[uid]; b != nil && b.waitsFor(ev.Effect) {
			e.bindingEffectDone(b, ev.Effect, ev.Outcome)
		}
		return nil
	}
	if a := e.suspended; a != nil && a.asking.receive(ev) {
		return nil
	}
	asked, ok := e.pluginEffects[ev.Effect]
	if !ok {
		return nil // no receiver: a status patch, or a second outcome
	}
	delete(e.pluginEffects, ev.Effect)
	e.profiles[asked.profile].EffectDone(asked.plugin, ev.Effect, asked.act, ev.Outcome)
	return nil
}
