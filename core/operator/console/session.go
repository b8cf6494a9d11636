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

	"orrery/core/answers/shadow"
	"orrery/core/operator/actions"
	"orrery/core/safe/panics"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
	"orrery/core/world/live"
)

// Options configure a session.
type Options struct {
	// KubeConfig is the connection to the API server.
	KubeConfig *rest.Config
	// Namespace is the namespace to read if all namespaces are forbidden; empty for none.
	Namespace string
	// Config is the scheduler's configuration; nil means the default one.
	Config  *config.Configuration
	Plugins framework.Registry
	// NoReuse computes every verdict and score afresh.
	NoReuse bool
	// Schedule makes the session compete for the scheduler's lease, and schedule while it holds it.
	Schedule bool
	// AllowActions permits writes through [Session.Executor].
	AllowActions bool
	// AskExtenders lets a session that does not schedule ask the configuration's extenders. They then get more calls than the
	// scheduler makes.
	AskExtenders bool
	// Identity is the session's identity in the lease; empty for a unique one.
	Identity string
	// OnTiming receives the durations of plugins, Observer the engine's inputs and decisions. Both may be nil.
	OnTiming func(framework.Timing)
	Observer func(*engine.Engine) drive.Observer
	Seed     uint64
}

// Session is a connection to a live cluster. Its methods may be called from any goroutine, Inspect by one at a time.
type Session struct {
	options    Options
	client     kubernetes.Interface
	connection connection
	access     access
	// unevaluatedClaims means that the volumes may not be read, and pods with claims are held back.
	unevaluatedClaims bool
	wakes             chan struct{}
	synced            atomic.Bool
	leading           func() bool

	engine     *engine.Engine
	comparator *shadow.Comparator // nil when the session schedules
	inspect    func(context.Context, func(*engine.Engine)) error
	executor   actions.Executor
	stop       func()
	unsynced   func() []world.Kind

	done  chan struct{} // closed when the engine has stopped
	err   error         // why, after done is closed
	until context.Context
}

// Open starts a session. It checks access first, which takes some seconds if the API server does not respond.
func Open(ctx context.Context, o Options) (*Session, error) {
	s := &Session{options: o, wakes: make(chan struct{}, 1), done: make(chan struct{}), leading: func() bool { return false }}
	s.connection.observe(s.wake)
	own, through := rest.AddUserAgent(rest.CopyConfig(o.KubeConfig), "console"), s.connection.wrapReadOnly
	if o.AllowActions {
		through = s.connection.Wrap
	}
	own.Wrap(through)
	s.options.KubeConfig = rest.CopyConfig(o.KubeConfig)
	s.options.KubeConfig.Wrap(s.connection.Wrap)
	var err error
	if s.client, err = live.NewClient(own); err != nil {
		return nil, err
	}
	if s.options.Config == nil {
		s.options.Config = config.Default(config.DefaultFeatures())
	}
	s.executor = actions.Executor{Client: s.client, Pause: sleepRetryInterval}
	if o.Schedule {
		return s, s.startReplica(ctx)
	}
	return s, s.startShadow(ctx)
}

func sleepRetryInterval(ctx context.Context) error {
	timer := time.NewTimer(actions.RetryInterval)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// finish marks the engine as stopped.
func (s *Session) finish(err error) {
	s.err = err
	close(s.done)
	s.wake()
}

// Close ends the session and waits for it. Bindings in flight end first.
func (s *Session) Close() {
	s.stop()
	<-s.done
}

// Inspect runs a read-only function on the engine between two inputs.
func (s *Session) Inspect(read func(*engine.Engine)) {
	select {
	case <-s.done:
	default:
		looked := false
		err := s.inspect(s.until, func(e *engine.Engine) {
			looked = true
			read(e)
		})
		if panicked := (*panics.Error)(nil); errors.As(err, &panicked) {
			panic(panicked) // where the terminal can be restored
		}
		if err == nil || looked {
			return
		}
		<-s.done // the session ended before the engine was inspected
	}
	read(s.engine)
}

// Engine returns the engine, to be read in Inspect.
func (s *Session) Engine() *engine.Engine { return s.engine }

// Comparator compares the cluster's scheduler with Orrery, to be read in Inspect; nil in a session that schedules.
func (s *Session) Comparator() *shadow.Comparator { return s.comparator }

// Wake returns a channel that receives after changes.
func (s *Session) Wake() <-chan struct{} { return s.wakes }

func (s *Session) wake() {
	select {
	case s.wakes <- struct{}{}:
	default:
	}
}

// Executor carries out an operator's actions.
func (s *Session) Executor() actions.Executor { return s.executor }

// State is a session's state.
type State struct {
	// Synced means that all initial lists have arrived. Until then Unsynced are the missing kinds.
	Synced   bool
	Unsynced []world.Kind
	// Lost is why the API server is unreachable or answers no lists and watches; nil if it does. Nothing is known of the time since
	// LostSince.
	Lost      error
	LostSince time.Time
	// Heard is when the API server last said anything. Asking means that it was silent for so long that a leader would count as silent, and
	// has not answered a request yet; Silent that it did not answer in time.
	Heard          time.Time
	Asking, Silent bool
	// Unreadable are the kinds that are not readable at all, and MissingRules the missing RBAC rules.
	Unreadable   []world.Kind
	MissingRules []actions.Rule
	// Namespace is the only one that is read of some kinds, and MoreRules are the rules to read the others; empty if
	// there are no such kinds.
	Namespace string
	MoreRules []actions.Rule
	// NotDeciding is why the session does not shadow the scheduler; empty if it does.
	NotDeciding string
	// UnevaluatedClaims means that pods with a PersistentVolumeClaim are not evaluated, as the volumes may not be read.
	UnevaluatedClaims bool
	// Scheduling means that the session may schedule, Leading that it does.
	Scheduling, Leading bool
	// Ended is why the engine has stopped; nil while it runs.
	Ended error
}

// PodNamespace is the only namespace whose pods are read; empty if all or none are.
func (st *State) PodNamespace() string {
	if slices.ContainsFunc(st.MoreRules, isPodRule) {
		return st.Namespace
	}
	return ""
}

// ShowsPodsIn reports whether the pods of a namespace are read.
func (st *State) ShowsPodsIn(namespace string) bool {
	bound := st.PodNamespace()
	return bound == namespace || bound == "" && !slices.ContainsFunc(st.MissingRules, isPodRule)
}

func isPodRule(r actions.Rule) bool { return r.Group == "" && r.Resource == "pods" }

// State returns the session's state.
func (s *Session) State() State {
	st := State{
		Synced: s.synced.Load(), Scheduling: s.options.Schedule, Leading: s.leading(),
		Unreadable: s.access.unreadable, Namespace: s.access.namespace(), MoreRules: s.access.moreRules, NotDeciding: s.access.whyNotDeciding(),
		UnevaluatedClaims: s.unevaluatedClaims,
	}
	if !st.Synced {
		st.Unsynced = s.unsynced()
	}
	denied := s.connection.state(&st)
	st.MissingRules = slices.Clone(s.access.missingRules)
	for _, rule := range denied {
		anywhere := rule
		anywhere.Namespace = ""
		if !s.access.isOptionalRule(rule) && !slices.Contains(slices.Concat(st.MissingRules, st.MoreRules), anywhere) && !slices.Contains(st.MissingRules, rule) {
			st.MissingRules = append(st.MissingRules, rule)
		}
	}
	select {
	case <-s.done:
		if st.Ended = s.err; st.Ended == nil {
			st.Ended = errors.New("the session was closed")
		}
	default:
	}
	return st
}

// requiredKinds returns the kinds that an engine of the session's configuration and the screen need, and those that the engine needs.
func (s *Session) requiredKinds() (kinds, watched []world.Kind, err error) {
	e, err := engine.New(engine.Options{Config: s.options.Config, Plugins: s.options.Plugins, NoReuse: s.options.NoReuse})
	if err != nil {
		return nil, nil, err
	}
	return requiredKinds(e)
}

// requiredKinds returns the kinds that an engine and the screen need, and those that the engine needs.
func requiredKinds(e *engine.Engine) (kinds, watched []world.Kind, err error) {
	watched, err = e.WatchedKinds()
	if err != nil {
		return nil, nil, err
	}
	kinds = slices.Clone(watched)
	for _, kind := range screenKinds {
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, watched, nil
}

// quietLogger returns a logger that does not write to the screen.
func quietLogger() klog.Logger { return klog.Background() }
