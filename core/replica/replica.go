package replica

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/evict/taint"
	"orrery/core/framework"
	"orrery/core/trace/play"
	"orrery/core/world"
	"orrery/core/world/live"
)

// Why a replica ended that nobody told to, or that cannot end well. The texts are kube-scheduler's.
var (
	ErrLostLease  = errors.New("lost lease")
	ErrNoElection = errors.New("finished without leader elect")
)

// drainMost is for how long bindings under way are waited for after a replica was told to stop.
const drainMost = 20 * time.Second

// flightBytes bounds the flight recorder, which always runs. Of a cluster of 5,000 nodes and 10,000 pods it holds some 30 MB
// that the engine does not; that is two minutes at 40 pods a second.
const flightBytes = 32 << 20

// TaintEviction names the controller that makes pods leave tainted nodes; see [Options.Controllers].
const TaintEviction = "taint-eviction"

// Options are what a replica is made with.
type Options struct {
	Config  *config.Configuration
	Plugins framework.Registry
	// KubeConfig is how to reach the API server. The client's limits are in it.
	KubeConfig *rest.Config
	// Identity is what the replica calls itself in the Lease; empty is a name nobody else has.
	Identity string
	// MaxInUnschedulable is how long a pod stays parked without an event that helps it; zero is 5 minutes.
	MaxInUnschedulable time.Duration
	// Controllers run beside the scheduler, under its lease.
	Controllers []string
	// Kinds says which kinds to be told of; nil is those that the engine needs.
	Kinds func(*engine.Engine) ([]world.Kind, error)
	// Seed feeds every choice that is left to chance.
	Seed        uint64
	Instruments Instruments
	Logger      klog.Logger
}

// Instruments measure a replica. All are optional.
type Instruments struct {
	// Prepare adds to the options of the engine that is about to be made: who is told what plugins took, and the like.
	Prepare func(*engine.Options)
	// Witness makes who is told everything the engine is told and decides.
	Witness func(*engine.Engine) engine.Witness
	// Called is told of calls to the API server, see live.Options.
	Called func(act world.Act, err error, took time.Duration)
	// Refresh looks once a second at what is a level and not an event: at the engine, and at the effects that are pending.
	Refresh func(e *engine.Engine, pending func(name func(world.Act) string) map[string]int)
}

// Replica is a scheduler that can be run once.
type Replica struct {
	options Options
	engine  *engine.Engine
	flight  *play.Flight
	cluster *live.Cluster
	drive   *live.Drive
	leases  kubernetes.Interface
	health  *leaderelection.HealthzAdaptor

	candidacy *candidacy // nil where the control plane does not choose the leader

	lead, drain chan struct{}
	leading     atomic.Bool
	term        atomic.Pointer[term]
}

// New makes a replica. It checks everything that can be checked without the API server.
func New(o Options) (*Replica, error) {
	began := time.Now()
	r := &Replica{
		options: o, lead: make(chan struct{}), drain: make(chan struct{}),
		health: leaderelection.NewLeaderHealthzAdaptor(healthTolerance),
	}
	clients, err := newClients(o.KubeConfig, o.Config.LeaderElection.RenewDeadline.Duration, r.allowed)
	if err != nil {
		return nil, err
	}
	engineOptions := engine.Options{
		Config: o.Config, Plugins: o.Plugins, Seed: o.Seed, MaxInUnschedulable: o.MaxInUnschedulable,
		Stopwatch: func() time.Duration { return time.Since(began) },
		Client:    clients.main, KubeConfig: o.KubeConfig,
	}
	if prepare := o.Instruments.Prepare; prepare != nil {
		prepare(&engineOptions)
	}
	e, err := engine.New(engineOptions)
	if err != nil {
		return nil, err
	}
	r.engine, r.leases = e, clients.lease
	if r.candidacy, err = r.newCandidacy(); err != nil {
		return nil, err
	}
	if r.flight, err = play.NewFlight(e, engineOptions, flightBytes); err != nil {
		return nil, fmt.Errorf("starting the flight recorder: %w", err)
	}
	if o.Kinds == nil {
		o.Kinds = live.Watched
	}
	kinds, err := o.Kinds(e)
	if err != nil {
		return nil, err
	}
	r.cluster, err = live.New(live.Options{
		Client: clients.main, EventClient: clients.event, Kinds: kinds, Logger: o.Logger,
		Pod: e.Store().Pod, Allowed: r.allowed, Called: o.Instruments.Called,
	})
	if err != nil {
		return nil, err
	}
	r.drive = live.NewDrive(e, r.cluster)
	r.drive.Lead, r.drive.Drain = r.lead, r.drain
	r.drive.Witness = r.witness()
	r.drive.Controllers, err = r.controllers()
	return r, err
}

// healthTolerance is by how much a renewal may be late before the replica calls itself unhealthy.
const healthTolerance = 20 * time.Second

func (r *Replica) witness() engine.Witness {
	all := play.Witnesses{r.flight, logbook{r.options.Logger}}
	if make := r.options.Instruments.Witness; make != nil {
		all = append(all, make(r.engine))
	}
	return all
}

// firstOfController is the first effect of a controller; the engine will never count so far.
const firstOfController world.EffectID = 1 << 62

func (r *Replica) controllers() (func() []evict.Controller, error) {
	for _, name := range r.options.Controllers {
		if name != TaintEviction {
			return nil, fmt.Errorf("running the controller %q: there is only %q", name, TaintEviction)
		}
	}
	if len(r.options.Controllers) == 0 {
		return nil, nil
	}
	compare := r.options.Config.Features.Enabled(config.TaintTolerationComparisonOperators)
	return func() []evict.Controller {
		return []evict.Controller{taint.New(taint.Options{Act: true, First: firstOfController, Compare: compare})}
	}, nil
}

// Leading tells whether the replica may act.
func (r *Replica) Leading() bool { return r.leading.Load() && r.allowed() }

// allowed is asked before every write.
func (r *Replica) allowed() bool {
	t := r.term.Load()
	return t == nil || t.leads()
}

// Synced is nil when the first lists of everything there is to watch were taken in, and else says what is missing.
func (r *Replica) Synced() error {
	select {
	case <-r.cluster.Synced():
		return nil
	default:
	}
	if missing := r.cluster.Missing(); len(missing) > 0 {
		return fmt.Errorf("handlers are not fully synchronized: no list has arrived of %v", missing)
	}
	return errors.New("handlers are not fully synchronized")
}

// Health is whether a leader renews its lease in time.
func (r *Replica) Health() *leaderelection.HealthzAdaptor { return r.health }

// Tally counts what the connection has been through.
func (r *Replica) Tally() live.Tally { return r.cluster.Tally() }

// Look has the engine looked at between two inputs; see live.Drive.
func (r *Replica) Look(ctx context.Context, look func(*engine.Engine)) error {
	return r.drive.Look(ctx, look)
}

// Compare says how what the replica holds differs from what the API server says.
func (r *Replica) Compare(ctx context.Context) ([]string, error) { return r.drive.Compare(ctx) }

// SaveFlight writes the last minutes as a trace.
func (r *Replica) SaveFlight(ctx context.Context, to io.Writer) error {
	var saved error
	looked := r.drive.Look(ctx, func(*engine.Engine) {
		saved = r.flight.Save(to, play.About{Program: "orrery run", Description: "what the flight recorder held"})
	})
	return errors.Join(looked, saved)
}

// Missing lists the kinds whose first list has not arrived yet.
func (r *Replica) Missing() []world.Kind { return r.cluster.Missing() }
