package scenario

import (
	"fmt"
	"strconv"
	"time"

	"orrery/core/engine"
	"orrery/core/leader"
	"orrery/core/leader/sim"
	"orrery/core/world"
)

// Whoever acts in a cluster numbers effects from 1. In the cluster they are told apart by who asked: the upper bits say
// it.
const (
	actorBits       = 48
	taintController = 99
)

// effects is the number of an actor's first effect.
func effects(actor int) world.EffectID { return world.EffectID(actor)<<actorBits + 1 }

// whose is who asked for an effect, and by which number.
func whose(e world.EffectID) (actor int, own world.EffectID) {
	return int(e >> actorBits), e & (1<<actorBits - 1)
}

// replica is one of the schedulers: an engine that hears everything, and a seat in the election that says whether it may
// decide.
type replica struct {
	number  int
	engine  *engine.Engine
	options engine.Options
	seat    *sim.Replica
	seen    engine.Witness // nil if nobody watches
	dead    bool
	held    []world.Event // what came while the process was stopped
}

func replicaName(i int) string { return "scheduler-" + strconv.Itoa(i+1) }

// settings are a replica's in the election.
func (f *file) settings(i int) leader.Settings {
	s := leader.Defaults(replicaName(i))
	s.Seed = f.Seed + uint64(i)
	for _, one := range []struct {
		from *duration
		to   *time.Duration
	}{{f.Scheduler.Lease.Duration, &s.LeaseDuration}, {f.Scheduler.Lease.Renew, &s.RenewDeadline}, {f.Scheduler.Lease.Retry, &s.RetryPeriod}} {
		if one.from != nil {
			*one.to = one.from.of()
		}
	}
	return s
}

// The clocks of replicas are apart by this much, and go at rates that are a few millionths apart.
const clockOffset = 137 * time.Millisecond

func (s *stage) addReplicas() error {
	s.election = sim.New(sim.Options{
		Start: s.cluster.Now(), Seed: s.file.Seed, Store: s.cluster, RestartAfter: 2 * mostLength,
		Weather: sim.Weather{LatencyMin: 2 * time.Millisecond, LatencyMax: 9 * time.Millisecond},
	})
	for i := range s.file.Scheduler.Replicas {
		o := engine.Options{Config: s.config, Plugins: s.plugins, Seed: s.file.Seed + uint64(i), Start: s.cluster.Now()}
		e, err := engine.New(o)
		if err != nil {
			return fmt.Errorf("making a scheduler for the scenario: %w", err)
		}
		seat, err := s.election.Add(s.file.settings(i), time.Duration(i)*clockOffset, 1+float64(i)*20e-6)
		if err != nil {
			return err
		}
		s.replicas = append(s.replicas, &replica{number: i, engine: e, options: o, seat: seat})
	}
	return nil
}

// leads tells whether the replica may decide now.
func (r *replica) leads() bool { return !r.dead && r.seat.Leading() && !r.seat.Stopped() }

// hear tells a replica what happened. One that is stopped hears it when it goes on.
func (r *replica) hear(in world.Input) {
	switch {
	case r.dead:
		return
	case r.seat.Stopped():
		r.held = append(r.held, in.Event)
		return
	}
	held := r.held
	r.held = nil
	for _, event := range append(held, in.Event) {
		one := world.Input{At: in.At, Event: event}
		err := r.engine.Apply(one)
		if r.seen != nil {
			r.seen.Applied(one, err)
		}
	}
}

// nextWake is when the scheduler has something to do that no input tells it of. One that only listens has not: its
// timers go off with the next input.
func (r *replica) nextWake() (time.Time, bool) {
	if !r.leads() {
		return time.Time{}, false
	}
	return r.engine.NextWake()
}

// settle decides until there is nothing to decide, if it may.
func (r *replica) settle(w world.World) {
	for r.leads() {
		r.handOver(w)
		d, more := r.engine.Step()
		if r.seen != nil {
			r.seen.Stepped(d)
		}
		if !more {
			r.handOver(w)
			return
		}
	}
}

// handOver hands the effects over, numbered apart from those of others.
func (r *replica) handOver(w world.World) {
	for _, effect := range r.engine.Effects() {
		if r.seen != nil {
			r.seen.Wanted(effect)
		}
		effect.ID += effects(r.number) - 1
		w.Do(effect)
	}
}
