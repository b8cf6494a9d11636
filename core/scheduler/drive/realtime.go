package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"k8s.io/klog/v2"

	"orrery/core/safe/panics"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/world"
)

// Cluster is a world in real time, such as a live.Cluster.
type Cluster interface {
	// Do accepts an effect and returns at once.
	Do(effect world.Effect)
	// Now is the time of the inputs' clock.
	Now() time.Time
	// Poll returns the next input if one is available.
	Poll() (world.Input, bool)
	// Events is the channel of events to wait on; Stamp makes an event an input.
	Events() <-chan world.Event
	Stamp(event world.Event) world.Input
	// Synced is closed when the first list of every kind was returned and, as Poll was called again, applied.
	Synced() <-chan struct{}
	// Failed delivers why the world cannot go on, if that happens: a part of it has panicked.
	Failed() <-chan error
	// Idle reports that no input waits and no effect is being carried out.
	Idle() bool
	// Kinds lists the kinds that are watched, and List reads all objects of one from the API server.
	Kinds() []world.Kind
	List(ctx context.Context, kind world.Kind) ([]world.Object, error)
}

// RealTime runs an engine in a cluster. It decides one pod at a time, so that no input waits for a long queue.
//
//	follow ── Lead ──► lead ── Drain ──► drain ── nothing in flight ──► nil
//	  └────────────────┴─────────────────┴─────── ctx ends ───────────► at once
//
// While following, it applies every input and decides nothing, so that it can start to lead at any moment.
type RealTime struct {
	// Engine is driven, and inspected between two inputs. Around, if not nil, wraps the engine and is driven in its
	// place, as a shadow is.
	Engine *engine.Engine
	Around Engine
	World  Cluster
	// Observers observe the engine on the goroutine of Run.
	Observers []Observer
	// Controllers creates the controllers besides the engine when leading begins. Their first inputs are the objects
	// that the engine knows.
	Controllers func() []Controller
	// Lead is closed to start deciding; nil for at once. Drain is closed to stop deciding and let the bindings in
	// flight end; nil for never.
	Lead, Drain <-chan struct{}
	// Memory reads what the process uses of its memory limit; [ReadMemory] if it is nil. Where that is short, the engine, Around and
	// those of the observers that are a [Shrinker] keep less of what is optional.
	Memory func() Memory
	// Logger logs problems; the zero value is klog's.
	Logger klog.Logger

	memory      memoryWatch
	inspections chan inspection
	scheduler   *Scheduler
	controllers group
	leading     bool
	draining    bool
	undecided   bool // there was an input since the engine last had nothing to decide
	problems    uint64
	broken      error // why it ends early
}

// inspection is a read of the engine between two inputs.
type inspection struct {
	read func(*engine.Engine)
	done chan error // gets the panic of read, or nil
}

// NewRealTime returns a loop without options, to be set before Run.
func NewRealTime(e *engine.Engine, w Cluster) *RealTime {
	return &RealTime{Engine: e, World: w, inspections: make(chan inspection)}
}

const (
	//orrery:limit scheduler; changes that are applied between two decisions; a decision is made
	maxInputsAtOnce = 1024                 // applied between two decisions
	maxLag          = 5 * time.Millisecond // of the engine's time while it decides
	maxSleep        = 10 * time.Second
)

// Run drives the engine until the context ends or everything is drained. It returns early with an error if the engine's
// cache is corrupted, or if it or the world has panicked; the process should restart.
func (r *RealTime) Run(ctx context.Context) (err error) {
	defer panics.Recover("the scheduling loop", &err)
	r.start()
	for r.goesOn(ctx) {
		r.applyWaiting(ctx)
		if !r.goesOn(ctx) {
			break
		}
		r.checkTransition()
		r.checkMemory()
		if r.draining && r.drained() {
			return nil
		}
		if r.leading && !r.draining && r.undecided {
			r.decide()
			r.inspectWaiting()
			continue
		}
		r.sleep(ctx)
	}
	return r.broken
}

func (r *RealTime) goesOn(ctx context.Context) bool {
	if r.broken == nil {
		select {
		case r.broken = <-r.World.Failed():
		default:
		}
	}
	return r.broken == nil && ctx.Err() == nil
}

func (r *RealTime) start() {
	if r.Logger.GetSink() == nil {
		r.Logger = klog.Background()
	}
	var driven Engine = r.Engine
	if r.Around != nil {
		driven = r.Around
	}
	r.scheduler = NewScheduler(driven, append(slices.Clone(r.Observers), OnInput(r.checkError))...)
	r.controllers = group{r.scheduler}
	r.undecided = true
	r.memory.read = r.Memory
	if r.Memory == nil {
		r.memory.read = ReadMemory
	}
}

// checkMemory has what is optional shrink or grow if memory is short or enough.
func (r *RealTime) checkMemory() {
	m, changed := r.memory.check(r.World.Now())
	if !changed {
		return
	}
	r.Engine.Shrink(r.memory.halvings)
	if around, is := r.Around.(Shrinker); is {
		around.Shrink(r.memory.halvings)
	}
	for _, o := range r.Observers {
		if optional, is := o.(Shrinker); is {
			optional.Shrink(r.memory.halvings)
		}
	}
	r.Logger.Info("How much the flight recorder and histories may take changes with the memory that is left, and below a quarter reuse, too",
		"share", r.OptionalShare(), "used", m.Used, "limit", m.Limit)
}

// OptionalShare returns which share of their bounds the flight recorder and histories may take. It is called by an inspection.
func (r *RealTime) OptionalShare() float64 { return 1 / float64(int(1)<<r.memory.halvings) }

// checkError logs an input's error. A corrupted cache ends the run.
func (r *RealTime) checkError(_ world.Input, err error) {
	if err == nil {
		return
	}
	if corruption := (*cache.CorruptionError)(nil); errors.As(err, &corruption) {
		r.broken = fmt.Errorf("the scheduler's cache contradicts itself, restart: %w", err)
		return
	}
	r.Logger.Error(err, "Part of an input was refused")
}

// checkTransition starts to lead or to drain when due.
func (r *RealTime) checkTransition() {
	if !r.leading && (r.Lead == nil || isClosed(r.Lead)) && isClosed(r.World.Synced()) {
		r.leading, r.undecided = true, true
		r.makeControllers()
	}
	r.draining = r.draining || isClosed(r.Drain)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// makeControllers creates the controllers and applies the objects that the engine knows to them.
func (r *RealTime) makeControllers() {
	if r.Controllers == nil {
		return
	}
	added := group(r.Controllers())
	for _, kind := range r.World.Kinds() {
		all := world.Listed{Kind: kind, Objects: slices.Collect(r.Engine.Store().Objects(kind))}
		added.apply(world.Input{At: r.Engine.Now(), Event: all})
	}
	r.controllers = append(r.controllers, added...)
}

// applyWaiting applies the available inputs, or a tick if there is none and the engine's time lags behind while it
// decides.
func (r *RealTime) applyWaiting(ctx context.Context) {
	for n := range maxInputsAtOnce {
		in, ok := r.World.Poll()
		if !ok {
			if n == 0 && r.undecided && isClosed(r.World.Synced()) && r.World.Now().Sub(r.Engine.Now()) >= maxLag {
				r.tick()
			}
			return
		}
		r.apply(in)
		if !r.goesOn(ctx) {
			return
		}
	}
}

func (r *RealTime) tick() { r.apply(world.Input{At: r.World.Now(), Event: world.Tick{}}) }

func (r *RealTime) apply(in world.Input) {
	r.undecided = true
	r.controllers.apply(in)
	r.emit()
}

// decide runs one Step of the engine.
func (r *RealTime) decide() {
	_, r.undecided = r.scheduler.Step()
	r.emit()
}

// emit passes the effects to the cluster if it leads, and logs the engine's problems.
func (r *RealTime) emit() {
	if r.leading {
		doAll(r.scheduler.Emit(), 0, r.World.Do)
		for i, c := range r.controllers[1:] {
			doAll(c.Effects(), i+1, r.World.Do)
		}
	}
	r.logProblems()
}

func (r *RealTime) logProblems() {
	total := r.Engine.Counters().Problems
	latest := r.Engine.Problems()
	for _, problem := range latest[len(latest)-min(len(latest), int(total-r.problems)):] {
		if panicked := (*framework.PluginPanic)(nil); errors.As(problem.Err, &panicked) {
			r.Logger.Error(panicked, "A plugin panicked", "plugin", panicked.Plugin, "point", panicked.Point, "pod", panicked.Pod, "stack", panicked.Stack)
			continue
		}
		r.Logger.Error(problem.Err, "The scheduler found a contradiction")
	}
	r.problems = total
}

// drained reports whether nothing is in flight. Pods that wait for a permit do not count: they may wait for long, and
// lose nothing.
func (r *RealTime) drained() bool {
	return r.World.Idle() && !slices.ContainsFunc(r.Engine.Bindings(), func(b engine.BindingInFlight) bool {
		return len(b.Waiting) == 0
	})
}

// sleep waits for an input, an inspection, a transition or a timer.
func (r *RealTime) sleep(ctx context.Context) {
	timer := time.NewTimer(r.untilWake())
	defer timer.Stop()
	var lead, drain <-chan struct{}
	if !r.leading && isClosed(r.World.Synced()) { // before that, an input comes first
		lead = r.Lead
	}
	if !r.draining {
		drain = r.Drain
	}
	select {
	case event := <-r.World.Events():
		r.apply(r.World.Stamp(event))
	case <-timer.C:
		r.tick()
	case <-r.Engine.Posted():
		r.tick()
	case i := <-r.inspections:
		i.run(r.Engine)
	case r.broken = <-r.World.Failed():
	case <-lead:
	case <-drain:
	case <-ctx.Done():
	}
}

func (r *RealTime) untilWake() time.Duration {
	wake, due := r.controllers.nextWake()
	if !due {
		return maxSleep
	}
	return min(maxSleep, max(0, wake.Sub(r.World.Now())))
}

// inspectWaiting runs a pending inspection, if there is one.
func (r *RealTime) inspectWaiting() {
	select {
	case i := <-r.inspections:
		i.run(r.Engine)
	default:
	}
}

func (i inspection) run(e *engine.Engine) {
	i.done <- panics.Call("reading the scheduler's state", func() { i.read(e) })
}

// Inspect runs read on the engine between two inputs, on the goroutine of Run, and waits for it. read must not change
// the engine. If it panics that is the error, and Run goes on.
func (r *RealTime) Inspect(ctx context.Context, read func(*engine.Engine)) error {
	i := inspection{read, make(chan error, 1)}
	select {
	case r.inspections <- i:
		return <-i.done
	case <-ctx.Done():
		return fmt.Errorf("inspecting the engine: %w", ctx.Err())
	}
}

// Fork forks the engine between two inputs.
func (r *RealTime) Fork(ctx context.Context) (fork *engine.Engine, err error) {
	inspected := r.Inspect(ctx, func(e *engine.Engine) { fork, err = e.Fork() })
	return fork, errors.Join(inspected, err)
}
