package replica

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/klog/v2"

	"orrery/core/process/recording"
	"orrery/core/process/telemetry"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/queue"
	"orrery/core/trace/segments"
	"orrery/core/world"
	"orrery/core/world/live"
)

// The errors of a replica that ends without the end of its context, or without election. The texts are
// kube-scheduler's.
var (
	ErrLostLease  = errors.New("lost lease")
	ErrNoElection = errors.New("finished without leader elect")
)

// drainTimeout bounds the wait for bindings in flight after SIGTERM.
//
//orrery:limit scheduler; the wait for bindings in flight after SIGTERM; they are cut off
const drainTimeout = 20 * time.Second

// cycleTimeout bounds the wait for the scheduling cycle that is under way when everything has to stop.
//
//orrery:limit scheduler; the wait for the scheduling cycle under way when the lease is lost; the process ends without it
const cycleTimeout = 2 * time.Second

// cutOffTimeout bounds the wait for calls that are cut off before the lease is released.
//
//orrery:limit scheduler; the wait for calls to the API server that are cut off before the lease is released; it is released without them
const cutOffTimeout = 2 * time.Second

// catchUpTimeout bounds the wait of a new leader for what was written before it acquired the lease. Kinds that nothing happens to do not
// reach a version at all, so that this is how long a new leader waits in a quiet cluster.
//
//orrery:limit scheduler; the wait of a new leader until its watches have brought what was written before it leads; it begins to schedule
const catchUpTimeout = time.Second

// Options configure a replica.
type Options struct {
	Config  *config.Configuration
	Plugins framework.Registry
	// KubeConfig is the connection to the API server, with the client's rate limits.
	KubeConfig *rest.Config
	// Identity is the replica's identity in the Lease; empty for a unique one.
	Identity string
	// MaxInUnschedulable is how long a pod stays in unschedulablePods without an event; zero means 5 minutes.
	MaxInUnschedulable time.Duration
	// RequeueRule is the rule by which failed pods are requeued.
	RequeueRule queue.RequeueRule
	// NoReuse computes every verdict and score afresh.
	NoReuse bool
	// StrictLease ends a term a renew deadline after the start of the last renewal, see the package comment.
	StrictLease bool
	// Controllers run with the scheduler, under its lease.
	Controllers []string
	// Kinds returns the kinds to watch; nil for those that the engine needs.
	Kinds func(*engine.Engine) ([]world.Kind, error)
	// Record says where to record to disk; without a directory nothing is recorded.
	Record segments.Options
	// Seed is the seed of the random source.
	Seed        uint64
	Instruments Instruments
	Logger      klog.Logger
}

// Instruments measure a replica. All are optional.
type Instruments struct {
	// Prepare changes the options of the engine, for observers of plugins and the like.
	Prepare func(*engine.Options)
	// Observer makes an observer of the engine's inputs, decisions and effects.
	Observer func(*engine.Engine) drive.Observer
	// OnCall receives calls to the API server, see live.Options.
	OnCall func(act world.Action, err error, took time.Duration)
	// Refresh updates gauges once a second: from the engine, and from the pending effects.
	Refresh func(e *engine.Engine, pending func(name func(world.Action) string) map[string]int)
}

// Replica is a scheduler process. It runs once.
type Replica struct {
	*recording.Recording
	options Options
	engine  *engine.Engine
	cluster *live.Cluster
	gate    *live.WriteGate
	driver  *drive.RealTime
	leases  kubernetes.Interface
	health  *leaderelection.HealthzAdaptor

	candidacy *candidacy // nil unless the control plane chooses the leader

	catchUp     time.Duration // the bound of a new leader's wait
	lead, drain chan struct{}
	leading     atomic.Bool
	term        atomic.Pointer[term]
	process     *telemetry.Process
}

// New makes a replica. It checks everything that needs no API server.
func New(o Options) (*Replica, error) {
	began := time.Now()
	r := &Replica{
		options: o, lead: make(chan struct{}), drain: make(chan struct{}), catchUp: catchUpTimeout,
		health: leaderelection.NewLeaderHealthzAdaptor(healthTolerance),
	}
	r.gate = live.NewWriteGate(r.allowed)
	clients, err := newClients(o.KubeConfig, o.Config.LeaderElection.RenewDeadline.Duration, r.gate)
	if err != nil {
		return nil, err
	}
	engineOptions := engine.Options{
		Config: o.Config, Plugins: o.Plugins, Seed: o.Seed, PodMaxInUnschedulablePodsDuration: o.MaxInUnschedulable,
		RequeueRule: o.RequeueRule, NoReuse: o.NoReuse, Start: began.Round(0),
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
	if _, err := r.identity(); err != nil {
		return nil, err
	}
	if r.candidacy, err = r.newCandidacy(); err != nil {
		return nil, err
	}
	r.Recording, err = recording.New(recording.Options{
		Engine: e, EngineOptions: engineOptions, Disk: o.Record, Program: "orrery run",
		Inspect: func(ctx context.Context, read func(*engine.Engine)) error { return r.driver.Inspect(ctx, read) },
	})
	if err != nil {
		return nil, err
	}
	if o.Kinds == nil {
		o.Kinds = (*engine.Engine).WatchedKinds
	}
	kinds, err := o.Kinds(e)
	if err != nil {
		return nil, err
	}
	controllers, theirs, err := controllersOf(o.Controllers, o.Config.Features)
	if err != nil {
		return nil, err
	}
	kinds = world.SortKinds(append(slices.Clone(kinds), theirs...))
	r.cluster, err = live.New(live.Options{
		Client: clients.main, EventClient: clients.event, Kinds: kinds, Extenders: o.Config.Extenders, Logger: o.Logger,
		Held: e.Store(), Gate: r.gate, OnCall: o.Instruments.OnCall,
	})
	if err != nil {
		return nil, err
	}
	r.driver = drive.NewRealTime(e, r.cluster)
	r.driver.Lead, r.driver.Drain = r.lead, r.drain
	r.driver.Observers, r.driver.Logger = r.observers(), o.Logger
	r.driver.Controllers = controllers
	r.process = telemetry.NewProcess(telemetry.ProcessOptions{
		Connection: r.cluster.Counters, Leading: r.Leading, Flight: r.FlightRecorder(), OptionalShare: r.driver.OptionalShare,
	})
	return r, nil
}

// healthTolerance is how late a renewal may be before the replica reports itself unhealthy.
const healthTolerance = 20 * time.Second

func (r *Replica) observers() []drive.Observer {
	all := append(r.Recording.Observers(), decisionLogger{r.options.Logger})
	if newObserver := r.options.Instruments.Observer; newObserver != nil {
		all = append(all, newObserver(r.engine))
	}
	return all
}

// Leading reports whether the replica may act.
func (r *Replica) Leading() bool { return r.leading.Load() && r.allowed() }

// Observing is false: a replica leads, or waits to.
func (r *Replica) Observing() bool { return false }

// allowed is called before every write.
func (r *Replica) allowed() bool {
	t := r.term.Load()
	return t == nil || t.leads()
}

// Synced returns nil if all initial lists were applied, and otherwise an error that names the missing ones.
func (r *Replica) Synced() error {
	select {
	case <-r.cluster.Synced():
		return nil
	default:
	}
	if missing := r.cluster.Unsynced(); len(missing) > 0 {
		return fmt.Errorf("handlers are not fully synchronized: no list has arrived of %v", missing)
	}
	return errors.New("handlers are not fully synchronized")
}

// Health returns the check that a leader renews its lease in time.
func (r *Replica) Health() *leaderelection.HealthzAdaptor { return r.health }

// Counters returns the counters of the connection.
func (r *Replica) Counters() live.Counters { return r.cluster.Counters() }

// Collectors return Orrery's own metrics of this replica, orrery_*. They may be scraped at any time.
func (r *Replica) Collectors() []prometheus.Collector {
	return []prometheus.Collector{r.process, r.Recording}
}

// Inspect calls read between two inputs; see drive.RealTime.
func (r *Replica) Inspect(ctx context.Context, read func(*engine.Engine)) error {
	return r.driver.Inspect(ctx, read)
}

// Compare returns how the replica's state differs from the API server's.
func (r *Replica) Compare(ctx context.Context) ([]string, error) { return r.driver.Compare(ctx) }

// Unsynced returns the kinds whose initial list has not arrived.
func (r *Replica) Unsynced() []world.Kind { return r.cluster.Unsynced() }
