package engine

import (
	"errors"
	"fmt"
	"time"

	"orrery/core/framework"
	"orrery/core/store"
	"orrery/core/world"
)

// Apply tells the engine what happened. Timers that were due before the input go off first, each at its own time, so
// that it makes no difference how often the engine is called.
//
// The error says what was wrong with the input, which is then left out as far as it was wrong: a malformed object, a
// change that contradicts what is known. The engine goes on in any case; an error that wraps *cache.CorruptionError
// means that it can no longer vouch for a node's contents, and a scheduler that acts on a real cluster should restart.
func (e *Engine) Apply(in world.Input) error {
	e.tally.Inputs++
	err := errors.Join(e.advance(in.At), e.apply(in.Event))
	if err != nil {
		e.tally.Refused++
	}
	e.settle()
	return err
}

func (e *Engine) allChanged(deltas []store.Delta) error {
	var errs []error
	for _, d := range deltas {
		errs = append(errs, e.changed(d))
	}
	return errors.Join(errs...)
}

func (e *Engine) apply(event world.Event) error {
	switch ev := event.(type) {
	case world.Changed:
		deltas, err := e.store.Apply(ev)
		return errors.Join(err, e.allChanged(deltas))
	case world.Listed:
		deltas, errs := e.store.Replace(ev)
		return errors.Join(errors.Join(errs...), e.allChanged(deltas))
	case world.Ended:
		return e.ended(ev)
	case world.Asked:
		e.activate(ev.Activate)
	case world.Passed:
	default:
		return fmt.Errorf("applying an input: there is no event of type %T", event)
	}
	return nil
}

// timeMost is for how long an engine can run: a duration counts no more than 292 years.
const timeMost = 200 * 365 * 24 * time.Hour

// advance lets time pass up to a moment: every timer goes off when it is due, in order. Time never runs backwards; an
// input that claims to be older than the last one counts as simultaneous with it, and so does one from a time so late
// that timers cannot reckon with it.
func (e *Engine) advance(to time.Time) error {
	if e.options.Start.IsZero() {
		e.options.Start = to
	}
	if to.Sub(e.options.Start) > timeMost {
		return fmt.Errorf("applying an input of the year %d: an engine that was started in %d cannot count so far", to.Year(), e.options.Start.Year())
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
		e.queue.Flush(e.now)
		e.settle()
	}
	if to.After(e.now) {
		e.now = to
	}
	return nil
}

// NextWake is when a timer is due next: apply a world.Passed then, if nothing else happens before. The engine needs no
// waking for anything else.
func (e *Engine) NextWake() (time.Time, bool) {
	at, ok := e.queue.NextWake(e.now)
	if permit, waits := e.waiting.NextDeadline(); waits && (!ok || permit.Before(at)) {
		return permit, true
	}
	return at, ok
}

// settle moves on the bindings whose waiting has ended, until none is left. Moving one on may end another's waiting.
func (e *Engine) settle() {
	for ended := e.waiting.TakeEnded(); len(ended) > 0; ended = e.waiting.TakeEnded() {
		for _, wait := range ended {
			if b := e.bindings[wait.Pod.UID]; b != nil {
				if e.options.Listener != nil {
					e.options.Listener.Permitted(wait.Status.Code(), e.now.Sub(b.since))
				}
				e.permitted(b, wait.Status)
			}
		}
	}
}

// ended takes an effect's outcome to whoever waits for it.
func (e *Engine) ended(ev world.Ended) error {
	if uid, ok := e.pending[ev.Effect]; ok {
		delete(e.pending, ev.Effect)
		if b := e.bindings[uid]; b != nil && b.effect == ev.Effect {
			e.bindingAnswered(b, ev.Outcome)
		}
		return nil
	}
	asked, ok := e.asked[ev.Effect]
	if !ok {
		return nil // nobody waits: a status patch, or a second answer
	}
	delete(e.asked, ev.Effect)
	plugin, _ := e.profiles[asked.profile].Plugin(asked.plugin)
	if outcomes, ok := plugin.(framework.Outcomes); ok {
		outcomes.Ended(ev.Effect, asked.act, ev.Outcome)
	}
	return nil
}
