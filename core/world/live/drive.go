package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"orrery/core/cache"
	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/world"
)

// Drive runs an engine in a cluster: what engine.DriveSeen does in virtual time, one decision at a time so that nothing
// that happens has to wait for a long queue to be worked through.
//
//	follow ── Lead ──► lead ── Drain ──► drain ── nothing under way ──► nil
//	  └────────────────┴─────────────────┴─────── ctx ends ───────────► at once
//
// Who follows takes everything in and decides nothing, so that it can lead from one moment to the next.
type Drive struct {
	Engine *engine.Engine
	World  *Cluster
	// Witness hears everything, on the goroutine of Run; it may be nil.
	Witness engine.Witness
	// Controllers are made when leading begins, and driven beside the engine from then on. They are told first what the
	// engine's store holds. Their effects must be numbered apart from the engine's and from one another's.
	Controllers func() []evict.Controller
	// Lead is closed when it is time to decide, nil for at once. Drain is closed when no more is to be decided but what is
	// under way should end; nil for never.
	Lead, Drain <-chan struct{}
	// Lists hears of every list made after a watch was lost that showed something the watch had not.
	Lists func(Drift)

	asks        chan ask
	controllers []evict.Controller
	leading     bool
	draining    bool
	restless    bool // something has happened since the engine last had nothing to decide
	logged      int  // how many of the engine's problems
	skew        time.Duration
	looked      time.Time // when the skew was last looked at
}

// ask is a look at the engine, between two inputs.
type ask struct {
	look func(*engine.Engine)
	done chan struct{}
}

// NewDrive is a drive without extras, to be changed before Run.
func NewDrive(e *engine.Engine, w *Cluster) *Drive {
	return &Drive{Engine: e, World: w, asks: make(chan ask)}
}

// Watched lists the kinds an engine has to be told of: pods, nodes, what its plugins read, and what they registered for.
// It is an error if a plugin reads something that no world tells of.
func Watched(e *engine.Engine) ([]world.Kind, error) {
	if unserved := e.Store().Unserved(); len(unserved) > 0 {
		return nil, fmt.Errorf("starting the scheduler: plugins read objects of types it cannot serve: %q; take those plugins out of the configuration", unserved)
	}
	return world.InOrder(append(slices.Concat(e.Store().Asked(), e.Registered()), world.Pod, world.Node)), nil
}

const (
	inputsAtOnce = 1024                 // taken in between two decisions, at most
	staleAfter   = 5 * time.Millisecond // by how much the engine's time may lag behind while it decides
	skewMost     = time.Second          // by how much the wall clock may be set without a word
	skewEvery    = 10 * time.Second     // how often it is looked at
)

// Run drives until the context ends or everything is drained. It returns early with an error if the engine cannot vouch
// for its state any more; whoever runs it should start anew.
func (d *Drive) Run(ctx context.Context) error {
	if d.Witness == nil {
		d.Witness = nobody{}
	}
	d.restless = true
	for {
		if err := d.takeIn(ctx); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		d.turn()
		if d.draining && d.drained() {
			return nil
		}
		if d.leading && !d.draining && d.restless {
			d.decide()
			d.glance()
			continue
		}
		if err := d.rest(ctx); err != nil {
			return err
		}
	}
}

// turn notices that it is time to lead, or to drain.
func (d *Drive) turn() {
	if !d.leading && (d.Lead == nil || isClosed(d.Lead)) && isClosed(d.World.Synced()) {
		d.leading, d.restless = true, true
		d.makeControllers()
	}
	d.draining = d.draining || isClosed(d.Drain)
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// makeControllers tells new controllers what the engine knows.
func (d *Drive) makeControllers() {
	if d.Controllers == nil {
		return
	}
	d.controllers = d.Controllers()
	for _, kind := range d.World.options.Kinds {
		all := world.Listed{Kind: kind, Objects: slices.Collect(d.Engine.Store().Objects(kind))}
		for _, c := range d.controllers {
			c.Apply(world.Input{At: d.Engine.Now(), Event: all})
		}
	}
}

// takeIn applies what has happened, and lets time pass if nothing has.
func (d *Drive) takeIn(ctx context.Context) error {
	for n := range inputsAtOnce {
		in, ok := d.World.poll()
		if !ok {
			if n == 0 && d.restless {
				return d.passTime()
			}
			return nil
		}
		if err := d.apply(in); err != nil || ctx.Err() != nil {
			return err
		}
	}
	return nil
}

// passTime keeps the engine's time from lagging behind while it decides.
func (d *Drive) passTime() error {
	now := d.World.Now()
	if !isClosed(d.World.Synced()) || now.Sub(d.Engine.Now()) < staleAfter {
		return nil
	}
	return d.apply(world.Input{At: now, Event: world.Passed{}})
}

func (d *Drive) apply(in world.Input) error {
	d.restless = true
	d.compare(in)
	err := d.Engine.Apply(in)
	d.Witness.Applied(in, err)
	for _, c := range d.controllers {
		c.Apply(in)
	}
	d.handOver()
	d.logProblems()
	if err == nil {
		return nil
	}
	if corrupt := (*cache.CorruptionError)(nil); errors.As(err, &corrupt) {
		return fmt.Errorf("the scheduler's view of the cluster contradicts itself, start anew: %w", err)
	}
	d.World.options.Logger.Error(err, "Part of what the API server said was left out")
	return nil
}

// compare looks for what a list says that the watch before it had not.
func (d *Drive) compare(in world.Input) {
	list, ok := in.Event.(world.Listed)
	if !ok || !isClosed(d.World.Synced()) {
		return
	}
	drift := driftOf(d.Engine.Store(), list)
	if drift.None() {
		return
	}
	d.World.count.drifted.Add(uint64(drift.Sum()))
	d.World.options.Logger.Info("Listed anew after a watch was lost, and found changes it had not reported", "kind", drift.Kind,
		"gone", drift.Gone, "new", drift.New, "changed", drift.Changed)
	if d.Lists != nil {
		d.Lists(drift)
	}
}

// decide has the engine decide once.
func (d *Drive) decide() {
	decision, more := d.Engine.Step()
	d.Witness.Stepped(decision)
	d.restless = more
	d.handOver()
	d.logProblems()
}

// logProblems logs what went wrong inside the engine. It is worth a look each time, and stops nobody.
func (d *Drive) logProblems() {
	problems := d.Engine.Problems()
	for _, problem := range problems[d.logged:] {
		d.World.options.Logger.Error(problem.What, "The scheduler met with a problem of its own")
	}
	d.logged = len(problems)
}

// handOver has done what is wanted. Who follows wants nothing.
func (d *Drive) handOver() {
	if !d.leading {
		return
	}
	for _, effect := range d.Engine.Effects() {
		d.Witness.Wanted(effect)
		d.World.Do(effect)
	}
	for _, c := range d.controllers {
		for _, effect := range c.Effects() {
			d.World.Do(effect)
		}
	}
}

// drained tells whether nothing is under way any more. Pods that wait for a permit may wait for long, and lose nothing.
func (d *Drive) drained() bool {
	return d.World.workers.idle() && len(d.World.inbox) == 0 && !slices.ContainsFunc(d.Engine.Bindings(), func(u engine.Underway) bool {
		return len(u.Waiting) == 0
	})
}

// rest waits until something happens, somebody asks, or a timer is due.
func (d *Drive) rest(ctx context.Context) error {
	timer := time.NewTimer(d.untilWake())
	defer timer.Stop()
	var lead, drain <-chan struct{}
	if !d.leading && isClosed(d.World.Synced()) { // before that, the turn comes with an input
		lead = d.Lead
	}
	if !d.draining {
		drain = d.Drain
	}
	select {
	case event := <-d.World.inbox:
		return d.apply(d.World.stamped(event))
	case <-timer.C:
		return d.apply(world.Input{At: d.World.Now(), Event: world.Passed{}})
	case a := <-d.asks:
		a.answer(d.Engine)
	case <-lead:
	case <-drain:
	case <-ctx.Done():
	}
	return nil
}

// restMost bounds the rest, so that the clocks are compared now and then.
const restMost = skewEvery

func (d *Drive) untilWake() time.Duration {
	d.lookAtClock()
	wake, due := d.Engine.NextWake()
	for _, c := range d.controllers {
		if at, ok := c.NextWake(); ok && (!due || at.Before(wake)) {
			wake, due = at, true
		}
	}
	if !due {
		return restMost
	}
	return min(restMost, max(0, wake.Sub(d.World.Now())))
}

// lookAtClock notices that somebody has set the wall clock.
func (d *Drive) lookAtClock() {
	now := d.World.Now()
	if now.Sub(d.looked) < skewEvery {
		return
	}
	d.looked = now
	skew := d.World.clock.skew()
	if by := skew - d.skew; by.Abs() > skewMost {
		d.World.count.jumps.Add(1)
		d.World.options.Logger.Info("The wall clock was set; timers go on as if it had not been", "by", by.Round(time.Millisecond))
	}
	d.skew = skew
}

// glance answers who has asked, without waiting.
func (d *Drive) glance() {
	select {
	case a := <-d.asks:
		a.answer(d.Engine)
	default:
	}
}

func (a ask) answer(e *engine.Engine) {
	a.look(e)
	close(a.done)
}

// Look has the engine looked at between two inputs, on the goroutine of Run, and waits for it. It must not change the
// engine.
func (d *Drive) Look(ctx context.Context, look func(*engine.Engine)) error {
	a := ask{look, make(chan struct{})}
	select {
	case d.asks <- a:
		<-a.done
		return nil
	case <-ctx.Done():
		return fmt.Errorf("looking at the engine: %w", ctx.Err())
	}
}

// Fork is a copy of the engine as it is between two inputs.
func (d *Drive) Fork(ctx context.Context) (fork *engine.Engine, err error) {
	looked := d.Look(ctx, func(e *engine.Engine) { fork, err = e.Fork() })
	return fork, errors.Join(looked, err)
}

// nobody is a witness that does not listen.
type nobody struct{}

func (nobody) Applied(world.Input, error) {}
func (nobody) Stepped(*engine.Decision)   {}
func (nobody) Wanted(world.Effect)        {}
