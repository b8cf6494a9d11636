package drive

import (
	"time"

	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Scheduler is an engine as a Controller, with observers.
type Scheduler struct {
	engine   Engine
	observer Observers
}

var _ Controller = (*Scheduler)(nil)

// NewScheduler returns a Scheduler of an engine. Nil observers are ignored.
func NewScheduler(e Engine, observers ...Observer) *Scheduler {
	s := &Scheduler{engine: e}
	for _, o := range observers {
		if o != nil {
			s.observer = append(s.observer, o)
		}
	}
	return s
}

// Apply applies an input to the engine.
func (s *Scheduler) Apply(in world.Input) { s.observer.Applied(in, s.engine.Apply(in)) }

// Step decides on one pod, if one is ready.
func (s *Scheduler) Step() (*engine.Decision, bool) {
	d, more := s.engine.Step()
	s.observer.Stepped(d)
	return d, more
}

// Emit returns the effects that the engine has emitted since the last call, without deciding anything.
func (s *Scheduler) Emit() []world.Effect {
	effects := s.engine.Effects()
	for _, effect := range effects {
		s.observer.Emitted(effect)
	}
	return effects
}

// Effects decides until no pod is ready, and returns the effects.
func (s *Scheduler) Effects() []world.Effect {
	effects := s.Emit()
	for {
		_, more := s.Step()
		effects = append(effects, s.Emit()...)
		if !more {
			return effects
		}
	}
}

// NextWake is the engine's next timer.
func (s *Scheduler) NextWake() (time.Time, bool) { return s.engine.NextWake() }
