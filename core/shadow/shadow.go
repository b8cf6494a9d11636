package shadow

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/world"
)

// Options are what a Shadow is made with.
type Options struct {
	// Engine is how the deciding engine is made. Its configuration should be the real scheduler's.
	Engine engine.Options
	// Witness is told what the engine is told and decides, pretended answers included; it may be nil. It is made for the
	// engine once that is there.
	Witness func(*engine.Engine) engine.Witness
	// Window is how far apart two schedulers may see an event; zero is [Window].
	Window time.Duration
	// Unjudged has nothing compared: for those who do not see all that the other scheduler does.
	Unjudged bool
}

// Shadow decides beside another scheduler, and compares. One goroutine at a time may use it.
type Shadow struct {
	engine   *engine.Engine
	witness  engine.Witness
	pretence pretence
	judge    *Judge // nil if nothing is compared
}

// New is a shadow that has been told nothing yet.
func New(o Options) (*Shadow, error) {
	e, err := engine.New(o.Engine)
	if err != nil {
		return nil, err
	}
	s := &Shadow{engine: e, pretence: newPretence(), witness: deaf{}}
	if !o.Unjudged {
		if s.judge, err = NewJudge(o); err != nil {
			return nil, fmt.Errorf("making the judge of the other scheduler: %w", err)
		}
	}
	if o.Witness != nil {
		s.witness = o.Witness(e)
	}
	return s, nil
}

// Engine is the engine that decides, to be read.
func (s *Shadow) Engine() *engine.Engine { return s.engine }

// Judge is who compares; nil if nothing is compared.
func (s *Shadow) Judge() *Judge { return s.judge }

// Apply tells what happened; see engine.Engine.Apply.
func (s *Shadow) Apply(in world.Input) error {
	var was *v1.Pod
	if changed, ok := in.Event.(world.Changed); ok {
		if pod, ok := changed.Object.(*v1.Pod); ok {
			was = s.engine.Store().Pod(pod.Namespace, pod.Name)
		}
	}
	s.pretence.before(in)
	s.answer(in.At)
	err := s.engine.Apply(in)
	s.witness.Applied(in, err)
	s.pretence.after(in, was, s.engine.Store())
	s.handOver()
	s.answer(in.At)
	if s.judge != nil {
		s.judge.Apply(in)
	}
	return err
}

// Step decides once, and tells whether there was anything to decide.
func (s *Shadow) Step() (d *engine.Decision, more bool) {
	d, more = s.engine.Step()
	s.witness.Stepped(d)
	s.handOver()
	s.answer(s.engine.Now())
	return d, more
}

// handOver takes the effects from the engine.
func (s *Shadow) handOver() {
	for _, effect := range s.engine.Effects() {
		s.witness.Wanted(effect)
		s.pretence.take(effect, s.engine.Store())
	}
}

// answer tells the engine of the outcomes of its effects, and of those of the effects that followed.
func (s *Shadow) answer(at time.Time) {
	for len(s.pretence.answers) > 0 {
		ended := s.pretence.answers[0]
		s.pretence.answers = s.pretence.answers[1:]
		in := world.Input{At: at, Event: ended}
		err := s.engine.Apply(in)
		s.witness.Applied(in, err)
		s.handOver()
	}
}

// NextWake is when a timer is due next.
func (s *Shadow) NextWake() (time.Time, bool) {
	first, due := s.engine.NextWake()
	timers := []func() (time.Time, bool){s.pretence.nextWake}
	if s.judge != nil {
		timers = append(timers, s.judge.NextWake)
	}
	for _, next := range timers {
		if at, ok := next(); ok && (!due || at.Before(first)) {
			first, due = at, true
		}
	}
	return first, due
}

// Predicted is how many pods are on their way by Orrery's prediction, and not in truth.
func (s *Shadow) Predicted() int { return len(s.pretence.held) }

// deaf is a witness that does not listen.
type deaf struct{}

func (deaf) Applied(world.Input, error) {}
func (deaf) Stepped(*engine.Decision)   {}
func (deaf) Wanted(world.Effect)        {}
