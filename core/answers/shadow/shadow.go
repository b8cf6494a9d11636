package shadow

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// Options configure a Shadow.
type Options struct {
	// Engine configures the deciding engine. Its configuration should be the real scheduler's.
	Engine engine.Options
	// Observer makes an observer of the engine's inputs, decisions and effects, outcomes of held effects included; it
	// may be nil.
	Observer func(*engine.Engine) drive.Observer
	// Window is how far apart two schedulers may see an event; zero means [Window].
	Window time.Duration
	// AskExtenders lets the engine ask the configuration's extenders: Effects returns the calls. Otherwise what they say is
	// unknown.
	AskExtenders bool
	// NoComparison turns off the comparison, for a caller that does not see all of the other scheduler's inputs.
	NoComparison bool
}

// Shadow decides on another scheduler's inputs, and compares. It is not safe for concurrent use.
type Shadow struct {
	engine     *engine.Engine
	observer   drive.Observer
	held       heldBindings
	calls      []world.Effect // of extenders
	comparator *Comparator    // nil if nothing is compared
}

// New returns a shadow without inputs.
func New(o Options) (*Shadow, error) {
	o.Engine.Shadow, o.Engine.ExtendersUnasked = true, !o.AskExtenders
	e, err := engine.New(o.Engine)
	if err != nil {
		return nil, err
	}
	s := &Shadow{engine: e, observer: drive.Observers{}}
	s.held = newHeldBindings(s.recordOverruled)
	if !o.NoComparison {
		if s.comparator, err = NewComparator(o); err != nil {
			return nil, fmt.Errorf("making the comparison with the other scheduler: %w", err)
		}
	}
	if o.Observer != nil {
		s.observer = o.Observer(e)
	}
	return s, nil
}

// Engine returns the deciding engine, to be read.
func (s *Shadow) Engine() *engine.Engine { return s.engine }

// Comparator returns the comparator; nil if nothing is compared.
func (s *Shadow) Comparator() *Comparator { return s.comparator }

// Apply applies an input; see engine.Engine.Apply.
func (s *Shadow) Apply(in world.Input) error {
	var was *v1.Pod
	if changed, ok := in.Event.(world.Changed); ok {
		if pod, ok := changed.Object.(*v1.Pod); ok {
			was = s.engine.Store().Pod(pod.Namespace, pod.Name)
		}
	}
	s.held.beforeInput(in)
	s.applyOutcomes(in.At)
	err := s.engine.Apply(in)
	s.observer.Applied(in, err)
	s.held.afterInput(in, was, s.engine.Store())
	s.takeEffects()
	s.applyOutcomes(in.At)
	if s.comparator != nil {
		s.comparator.Apply(in)
	}
	return err
}

// Step decides once, and reports whether there was anything to decide.
func (s *Shadow) Step() (d *engine.Decision, more bool) {
	d, more = s.engine.Step()
	s.observer.Stepped(d)
	s.takeEffects()
	s.applyOutcomes(s.engine.Now())
	return d, more
}

// Shrink leaves what the comparator's engine keeps for reuse, and its history, a share of their bounds; see engine.Engine.Shrink. So it
// does with the observer's. The deciding engine's is its owner's to shrink.
func (s *Shadow) Shrink(halvings int) {
	if optional, is := s.observer.(drive.Shrinker); is {
		optional.Shrink(halvings)
	}
	if s.comparator != nil {
		s.comparator.engine.Shrink(halvings)
	}
}

// takeEffects passes the engine's effects to the held bindings.
func (s *Shadow) takeEffects() {
	for _, effect := range s.engine.Effects() {
		s.observer.Emitted(effect)
		switch effect.Action.(type) {
		case world.CallExtender, world.CancelExtenderCalls:
			s.calls = append(s.calls, effect)
			continue
		}
		s.held.accept(effect, s.engine.Store())
	}
}

// applyOutcomes applies the outcomes of effects, and those of the effects that follow.
func (s *Shadow) applyOutcomes(at time.Time) {
	for len(s.held.outcomes) > 0 {
		ended := s.held.outcomes[0]
		s.held.outcomes = s.held.outcomes[1:]
		in := world.Input{At: at, Event: ended}
		err := s.engine.Apply(in)
		s.observer.Applied(in, err)
		s.takeEffects()
	}
}

// recordOverruled passes a pod that the other scheduler bound elsewhere to the comparator.
func (s *Shadow) recordOverruled(uid types.UID, actual, ours string) {
	if s.comparator != nil {
		s.comparator.overruled.add(uid, actual, ours)
	}
}

// Effects returns the calls of extenders since the last call: a shadow has no effects on the cluster.
func (s *Shadow) Effects() []world.Effect {
	calls := s.calls
	s.calls = nil
	return calls
}

// NextWake returns when the next timer is due.
func (s *Shadow) NextWake() (time.Time, bool) {
	first, due := s.engine.NextWake()
	timers := []func() (time.Time, bool){s.held.nextWake}
	if s.comparator != nil {
		timers = append(timers, s.comparator.NextWake)
	}
	for _, next := range timers {
		if at, ok := next(); ok && (!due || at.Before(first)) {
			first, due = at, true
		}
	}
	return first, due
}

// Predicted returns the number of held bindings.
func (s *Shadow) Predicted() int { return len(s.held.held) }
