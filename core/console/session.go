package console

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/operate"
	"orrery/core/shadow"
	"orrery/core/world"
	"orrery/core/world/live"
)

// Options are what a session is opened with.
type Options struct {
	// KubeConfig is how to reach the API server.
	KubeConfig *rest.Config
	// Namespace is the one to show where no more may be read than one; empty for nothing in that case.
	Namespace string
	// Config is the cluster's scheduler's configuration, as far as anybody knows it; nil is the default one.
	Config  *config.Configuration
	Plugins framework.Registry
	// Schedule has the session stand for the scheduler's lease, and schedule while it has it.
	Schedule bool
	// Allow lets people change the cluster by way of [Session.Hand]. Without it that has no way to.
	Allow bool
	// Identity is what it calls itself there; empty is a name nobody else has.
	Identity string
	// Observer is told what plugins took, and Witness what the engine is told and decides. Both may be nil.
	Observer framework.Observer
	Witness  func(*engine.Engine) engine.Witness
	Seed     uint64
}

// Session is a live cluster that is being watched. Its methods may be called from any goroutine, except that Hold is for one
// at a time.
type Session struct {
	options Options
	client  kubernetes.Interface
	link    link
	sight   sight
	wakes   chan struct{}
	synced  atomic.Bool
	leading func() bool

	engine *engine.Engine
	judge  *shadow.Judge // nil when scheduling
	look   func(context.Context, func(*engine.Engine)) error
	hand   operate.Hand
	stop   func()
	awaits func() []world.Kind

	over  chan struct{} // closed when nobody drives the engine any more
	ended error         // why, once it is closed
	until context.Context
}

// Open begins a session. It tries what may be seen first, and takes some seconds where the API server does not answer.
func Open(ctx context.Context, o Options) (*Session, error) {
	s := &Session{options: o, wakes: make(chan struct{}, 1), over: make(chan struct{}), leading: func() bool { return false }}
	s.link.wake = s.wake
	own, through := rest.AddUserAgent(rest.CopyConfig(o.KubeConfig), "console"), s.link.reading
	if o.Allow {
		through = s.link.around
	}
	own.Wrap(through)
	s.options.KubeConfig = rest.CopyConfig(o.KubeConfig)
	s.options.KubeConfig.Wrap(s.link.around)
	var err error
	if s.client, err = live.NewClient(own); err != nil {
		return nil, err
	}
	if s.options.Config == nil {
		s.options.Config = config.Default(config.DefaultFeatures())
	}
	s.hand = operate.Hand{Client: s.client, Pause: pause}
	if o.Schedule {
		return s, s.beReplica(ctx)
	}
	return s, s.beShadow(ctx)
}

func pause(ctx context.Context) error {
	timer := time.NewTimer(operate.BetweenTries)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finish says that the engine is nobody's any more.
func (s *Session) finish(err error) {
	s.ended = err
	close(s.over)
	s.wake()
}

// Close ends the session, and returns when nothing of it is left. What is under way of scheduling is let end.
func (s *Session) Close() {
	s.stop()
	<-s.over
}

// Hold holds the engine still while a function looks at it. The function must not change it.
func (s *Session) Hold(look func(*engine.Engine)) {
	select {
	case <-s.over:
	default:
		looked := false
		err := s.look(s.until, func(e *engine.Engine) {
			looked = true
			look(e)
		})
		if err == nil || looked {
			return
		}
		<-s.over // nobody was there to ask because it was over
	}
	look(s.engine)
}

// Engine is the engine, to be read while it is held.
func (s *Session) Engine() *engine.Engine { return s.engine }

// Judge is who compares the cluster's scheduler with Orrery, to be read while the engine is held; nil in a session that
// schedules itself.
func (s *Session) Judge() *shadow.Judge { return s.judge }

// Wake has something in it when something has changed since it was emptied.
func (s *Session) Wake() <-chan struct{} { return s.wakes }

func (s *Session) wake() {
	select {
	case s.wakes <- struct{}{}:
	default:
	}
}

// Hand is who carries out what a person has asked for.
func (s *Session) Hand() operate.Hand { return s.hand }

// State is how a session is doing.
type State struct {
	// Synced says that everything there is has been listed once. Until then, Awaited are the kinds that have not been.
	Synced  bool
	Awaited []world.Kind
	// Lost is why the API server cannot be reached, since when; nil if it can.
	Lost  error
	Since time.Time
	// Unseen are the kinds that may not be read at all, and Missing the rules without which something is not seen.
	Unseen  []world.Kind
	Missing []operate.Rule
	// Within is the one namespace that is seen of some kinds, and More are the rules that it takes to see the others; empty
	// if there are no such kinds.
	Within string
	More   []operate.Rule
	// Undecided is why the session decides nothing beside the cluster's scheduler, and compares nothing; empty if it does.
	Undecided string
	// Scheduling says that the session may act, Leading that it does.
	Scheduling, Leading bool
	// Ended is why the engine stands still for good; nil while it does not.
	Ended error
}

// Bound is the one namespace whose pods are seen; empty if all pods are, or none.
func (st *State) Bound() string {
	if slices.ContainsFunc(st.More, aboutPods) {
		return st.Within
	}
	return ""
}

// PodsIn tells whether the pods of a namespace are seen.
func (st *State) PodsIn(namespace string) bool {
	bound := st.Bound()
	return bound == namespace || bound == "" && !slices.ContainsFunc(st.Missing, aboutPods)
}

func aboutPods(r operate.Rule) bool { return r.Group == "" && r.Resource == "pods" }

// State says how the session is doing.
func (s *Session) State() State {
	st := State{
		Synced: s.synced.Load(), Scheduling: s.options.Schedule, Leading: s.leading(),
		Unseen: s.sight.unseen, Within: s.sight.namespace(), More: s.sight.more, Undecided: s.sight.undecided(),
	}
	if !st.Synced {
		st.Awaited = s.awaits()
	}
	var denied []operate.Rule
	st.Since, denied, st.Lost = s.link.state()
	st.Missing = slices.Clone(s.sight.missing)
	for _, rule := range denied {
		anywhere := rule
		anywhere.Namespace = ""
		if !unmissed(rule) && !slices.Contains(slices.Concat(st.Missing, st.More), anywhere) && !slices.Contains(st.Missing, rule) {
			st.Missing = append(st.Missing, rule)
		}
	}
	select {
	case <-s.over:
		if st.Ended = s.ended; st.Ended == nil {
			st.Ended = errors.New("the session was closed")
		}
	default:
	}
	return st
}

// wanted are the kinds that an engine of the session's configuration needs, and those that the screen has use for.
func (s *Session) wanted() ([]world.Kind, error) {
	e, err := engine.New(engine.Options{Config: s.options.Config, Plugins: s.options.Plugins})
	if err != nil {
		return nil, err
	}
	return wanted(e)
}

// wanted are the kinds that an engine needs, and those that the screen has use for.
func wanted(e *engine.Engine) ([]world.Kind, error) {
	kinds, err := live.Watched(e)
	if err != nil {
		return nil, err
	}
	for _, kind := range besides {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

// quiet is a logger for what must not be written on the screen.
func quiet() klog.Logger { return klog.Background() }
