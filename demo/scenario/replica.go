package scenario

import (
	"fmt"
	"strconv"
	"time"

	"orrery/core/process/leader"
	"orrery/core/process/leader/sim"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// replica is one of the schedulers: an engine that receives every input, and a candidate of the election that decides
// whether it may schedule.
type replica struct {
	number  int
	engine  *engine.Engine
	options engine.Options
	elector *sim.Replica
	// scheduler drives the engine before the observer, if there is one.
	scheduler *drive.Scheduler
	observer  drive.Observer
	dead      bool
	buffered  []world.Event // received while the process was paused
}

func replicaName(i int) string { return "scheduler-" + strconv.Itoa(i+1) }

// leaderSettings returns a replica's settings of the election.
func (f *file) leaderSettings(i int) leader.Settings {
	s := leader.Defaults(replicaName(i))
	s.Seed = f.Seed + uint64(i)
	for _, one := range []struct {
		from *duration
		to   *time.Duration
	}{{f.Scheduler.Lease.LeaseDuration, &s.LeaseDuration}, {f.Scheduler.Lease.RenewDeadline, &s.RenewDeadline}, {f.Scheduler.Lease.RetryPeriod, &s.RetryPeriod}} {
		if one.from != nil {
			*one.to = one.from.of()
		}
	}
	return s
}

// The clocks of replicas differ by this much, and their rates by a few millionths.
const clockOffset = 137 * time.Millisecond

func (s *simulation) addReplicas() error {
	s.election = sim.New(sim.Options{
		Start: s.cluster.Now(), Seed: s.file.Seed, Store: s.cluster, RestartAfter: 2 * maxLength,
		Faults: sim.Faults{LatencyMin: 2 * time.Millisecond, LatencyMax: 9 * time.Millisecond},
	})
	for i := range s.file.Scheduler.Replicas {
		o := engine.Options{Config: s.config, Plugins: s.plugins, RequeueRule: s.rule, Seed: s.file.Seed + uint64(i), Start: s.cluster.Now()}
		e, err := engine.New(o)
		if err != nil {
			return fmt.Errorf("making a scheduler for the scenario: %w", err)
		}
		seat, err := s.election.Add(s.file.leaderSettings(i), time.Duration(i)*clockOffset, 1+float64(i)*20e-6)
		if err != nil {
			return err
		}
		s.replicas = append(s.replicas, &replica{number: i, engine: e, scheduler: drive.NewScheduler(e), options: o, elector: seat})
	}
	return nil
}

// leads reports whether the replica may schedule now.
func (r *replica) leads() bool { return !r.dead && r.elector.Leading() && !r.elector.Paused() }

// apply passes an input to a replica. A paused one receives it when it resumes.
func (r *replica) apply(in world.Input) {
	switch {
	case r.dead:
		return
	case r.elector.Paused():
		r.buffered = append(r.buffered, in.Event)
		return
	}
	held := r.buffered
	r.buffered = nil
	for _, event := range append(held, in.Event) {
		r.scheduler.Apply(world.Input{At: in.At, Event: event})
	}
}

// Apply applies an input, and a tick only if the replica's own timer is due: its recording has no others.
func (r *replica) Apply(in world.Input) {
	if _, tick := in.Event.(world.Tick); tick {
		if at, ok := r.NextWake(); !ok || at.After(in.At) {
			return
		}
	}
	r.apply(in)
}

// Effects schedules until no pod is ready, if the replica may.
func (r *replica) Effects() []world.Effect {
	if !r.leads() {
		return nil
	}
	return r.scheduler.Effects()
}

// NextWake returns the engine's next timer. A replica that does not lead needs none: its timers fire with the next input.
func (r *replica) NextWake() (time.Time, bool) {
	if !r.leads() {
		return time.Time{}, false
	}
	return r.scheduler.NextWake()
}

// observe sets the replica's observer.
func (r *replica) observe(o drive.Observer) {
	r.observer, r.scheduler = o, drive.NewScheduler(r.engine, o)
}
