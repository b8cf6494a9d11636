package soak

import (
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/process/leader"
	"orrery/core/process/leader/sim"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/world"
)

// leaseServer serves Leases while the API server is up.
type leaseServer struct {
	*sim.Leases
	run *run
}

func (l *leaseServer) reachable() error {
	if l.run.cluster.Now().Before(l.run.apiDownUntil) {
		return apierrors.NewServiceUnavailable("the API server is restarting")
	}
	return nil
}

// Get implements sim.Store.
func (l *leaseServer) Get(kind world.Kind, namespace, name string) (world.Object, error) {
	if err := l.reachable(); err != nil {
		return nil, err
	}
	return l.Leases.Get(kind, namespace, name)
}

// Create implements sim.Store.
func (l *leaseServer) Create(o world.Object) (world.Object, error) {
	if err := l.reachable(); err != nil {
		return nil, err
	}
	return l.Leases.Create(o)
}

// Update implements sim.Store.
func (l *leaseServer) Update(o world.Object) (world.Object, error) {
	if err := l.reachable(); err != nil {
		return nil, err
	}
	return l.Leases.Update(o)
}

// electionTimers runs the election, which has no inputs and effects.
type electionTimers struct{ *run }

func (e electionTimers) Apply(in world.Input) {
	e.election.Run(in.At)
	e.checkCluster(in)
	if both := e.election.Overlaps(); len(both) > 0 {
		e.fail("term", "%v believe at once that they lead, from %v to %v", both[0].Leaders, both[0].From.Sub(e.start), both[0].Until.Sub(e.start))
	}
}

func (e electionTimers) Effects() []world.Effect     { return nil }
func (e electionTimers) NextWake() (time.Time, bool) { return e.election.Next() }

func (r *run) addReplicas() error {
	r.leases = &leaseServer{sim.NewLeases(), r}
	r.election = sim.New(sim.Options{
		Start: r.start, Seed: r.plan.Seed, Store: r.leases, RestartAfter: 3 * time.Second,
		OnNotice: func(seat *sim.Replica, n leader.Notice) {
			for _, one := range r.replicas {
				if one.elector == seat {
					one.notice(n)
				}
			}
		},
		Faults: sim.Faults{
			LatencyMin: 2 * time.Millisecond, LatencyMax: 9 * time.Millisecond,
			FailCalls: r.plan.Rates["call refused"], LoseResponse: r.plan.Rates["reply lost"], Conflict: r.plan.Rates["bound by other"],
		},
	})
	for i := range r.plan.Replicas {
		s := leader.Defaults(replicaName(i))
		s.Strict, s.Seed = true, r.plan.Seed+uint64(i)
		clock := Clock{Rate: 1}
		if i < len(r.plan.Clocks) {
			clock = r.plan.Clocks[i]
		}
		seat, err := r.election.Add(s, time.Duration(clock.Ahead), clock.Rate)
		if err != nil {
			return err
		}
		one := &replica{run: r, number: i, elector: seat, crashIn: -1, stray: map[world.EffectID]bool{}, strayPods: map[types.UID]bool{}}
		if r.plan.Records {
			one.rolling = r.newRolling(one)
		}
		r.replicas = append(r.replicas, one)
	}
	return nil
}

// options are those of the engine of a replica's next process.
func (r *run) options(of *replica, now time.Time) engine.Options {
	o := engine.Options{Config: r.plan.configuration(), Seed: r.plan.Seed + uint64(of.number)<<8 + uint64(of.started), Start: now}
	if r.plan.Fragile {
		o.Plugins = fragileRegistry()
	}
	return o
}

// configuration is that of the plan's schedulers.
func (p *Plan) configuration() *config.Configuration {
	gates := config.DefaultFeatures()
	if p.Gangs {
		var err error
		if gates, err = config.ParseFeatureFlag("GenericWorkload=true,GangScheduling=true"); err != nil {
			panic("the gates are those of Kubernetes: " + err.Error())
		}
	}
	text := "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
	if p.Fragile {
		text += fmt.Sprintf("profiles: [{plugins: {multiPoint: {enabled: [{name: %s}]}}}]\n", fragileName)
	}
	if p.Extender {
		text += fmt.Sprintf("extenders: [{urlPrefix: %q, filterVerb: filter, prioritizeVerb: prioritize, weight: 1, nodeCacheCapable: true, httpTimeout: 5s, ignorable: %t}]\n", extenderAddress, p.Seed%2 == 0)
	}
	c, err := config.Load([]byte(text), gates)
	if err != nil {
		panic("the configuration of a plan is valid: " + err.Error())
	}
	return c
}
