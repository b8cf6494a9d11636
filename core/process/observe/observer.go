package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"orrery/core/answers/shadow"
	"orrery/core/process/contact"
	"orrery/core/process/recording"
	"orrery/core/process/telemetry"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/plugins/unreadable"
	"orrery/core/trace/segments"
	"orrery/core/world"
	"orrery/core/world/live"
	"orrery/core/world/trim"
)

// Options configure an Observer.
type Options struct {
	// KubeConfig is the connection to the API server.
	KubeConfig *rest.Config
	// Config is the configuration of the scheduler that is observed.
	Config  *config.Configuration
	Plugins framework.Registry
	// Identity names the observer to the readers of its stream, as with the name of its pod.
	Identity string
	Seed     uint64
	// Record says where to record to disk; without a directory nothing is recorded there.
	Record      segments.Options
	Instruments Instruments
	Logger      klog.Logger
}

// Instruments measure an observer. All are optional.
type Instruments struct {
	// Prepare changes the options of the deciding engine, for listeners.
	Prepare func(*engine.Options)
	// Observer makes an observer of the engine's inputs, decisions and effects, outcomes of predicted bindings included.
	Observer func(*engine.Engine) drive.Observer
	// Refresh updates figures once a second, between two inputs.
	Refresh func(*engine.Engine, *shadow.Comparator)
}

// Observer shadows the scheduler of a cluster. It runs once. Its methods may be called on any goroutine.
type Observer struct {
	*recording.Recording
	options     Options
	client      kubernetes.Interface
	monitor     contact.Monitor
	access      live.Access
	shadow      *shadow.Shadow
	cluster     *live.Cluster
	loop        *drive.RealTime
	process     *telemetry.Process
	differences Differences
	trouble     atomic.Pointer[string] // as of the last look
}

// Open makes an observer. It first asks the API server which kinds may be read.
func Open(ctx context.Context, o Options) (*Observer, error) {
	b := &Observer{options: o}
	none := ""
	b.trouble.Store(&none)
	own := rest.AddUserAgent(rest.CopyConfig(o.KubeConfig), "observe")
	own.Wrap(b.monitor.Wrap)
	own.Wrap(contact.ReadOnly(errReadOnly))
	var err error
	if b.client, err = live.NewClient(own); err != nil {
		return nil, err
	}
	kinds, err := Kinds(o.Config, o.Plugins)
	if err != nil {
		return nil, err
	}
	if b.access, err = checkAccess(ctx, b.client, kinds); err != nil {
		return nil, err
	}
	if err := b.shadowOf(own); err != nil {
		return nil, err
	}
	return b, b.follow()
}

// shadowOf makes the shadow, and what keeps its records.
func (b *Observer) shadowOf(own *rest.Config) (err error) {
	began := time.Now()
	o := engine.Options{
		Config: unreadable.Guard(b.options.Config, b.unreadableKinds()), Plugins: b.options.Plugins, KubeConfig: own, Seed: b.options.Seed, Start: began.Round(0),
		Stopwatch: func() time.Duration { return time.Since(began) }, Shadow: true, ExtendersUnasked: true,
	}
	if prepare := b.options.Instruments.Prepare; prepare != nil {
		prepare(&o)
	}
	var failed error
	b.shadow, err = shadow.New(shadow.Options{Engine: o, Observer: func(e *engine.Engine) drive.Observer {
		b.Recording, failed = recording.New(recording.Options{
			Engine: e, EngineOptions: o, Disk: b.options.Record, Program: "orrery observe",
			Inspect: func(ctx context.Context, read func(*engine.Engine)) error { return b.loop.Inspect(ctx, read) },
		})
		if failed != nil {
			return drive.Observers{}
		}
		all := drive.Observers(b.Recording.Observers())
		if newObserver := b.options.Instruments.Observer; newObserver != nil {
			all = append(all, newObserver(e))
		}
		return all
	}})
	return errors.Join(err, failed)
}

// follow makes the connection's loop.
func (b *Observer) follow() (err error) {
	e := b.shadow.Engine()
	b.cluster, err = live.New(live.Options{
		Client: b.client, Kinds: b.access.Kinds, Held: e.Store(), Logger: b.options.Logger, Gate: live.NewWriteGate(func() bool { return false }),
	})
	if err != nil {
		return err
	}
	b.loop = drive.NewRealTime(e, Trimmed{b.cluster})
	b.loop.Around, b.loop.Logger = b.shadow, b.options.Logger
	b.process = telemetry.NewProcess(telemetry.ProcessOptions{
		Connection: b.cluster.Counters, Leading: b.Leading, Flight: b.FlightRecorder(), OptionalShare: b.loop.OptionalShare,
	})
	return nil
}

func (b *Observer) unreadableKinds() []world.Kind {
	var kinds []world.Kind
	for _, u := range b.access.Unreadable {
		kinds = append(kinds, u.Kind)
	}
	return kinds
}

// Unreadable are the kinds that may not be read, or that the API server does not serve. Of those there are no objects to the observer.
func (b *Observer) Unreadable() []live.Unreadable { return slices.Clone(b.access.Unreadable) }

// Identity names the observer. It implements stream.Source, with Leading and Observing.
func (b *Observer) Identity() string { return b.options.Identity }

// Leading is false: an observer does not stand for the lease.
func (b *Observer) Leading() bool { return false }

// Observing is true.
func (b *Observer) Observing() bool { return true }

// Synced returns nil if all initial lists were applied, and otherwise an error that names the missing ones.
func (b *Observer) Synced() error {
	select {
	case <-b.cluster.Synced():
		return nil
	default:
		return fmt.Errorf("no list has arrived of %v", b.cluster.Unsynced())
	}
}

// Inspect calls read between two inputs; see drive.RealTime.
func (b *Observer) Inspect(ctx context.Context, read func(*engine.Engine)) error {
	return b.loop.Inspect(ctx, read)
}

// Compare returns how the observer's state differs from the API server's.
func (b *Observer) Compare(ctx context.Context) ([]string, error) { return b.loop.Compare(ctx) }

// Collectors return Orrery's own metrics of this observer, orrery_*. They may be scraped at any time.
func (b *Observer) Collectors() []prometheus.Collector {
	return []prometheus.Collector{b.process, b.Recording, collector{b}}
}

// Trimmed is a cluster whose inputs are as a trace has them. live.Cluster keeps the kinds that plugins write back untrimmed; what only
// reads writes nothing back.
type Trimmed struct{ drive.Cluster }

// Poll implements drive.Cluster.
func (c Trimmed) Poll() (world.Input, bool) {
	in, ok := c.Cluster.Poll()
	in.Event = Trim(in.Event)
	return in, ok
}

// Stamp implements drive.Cluster.
func (c Trimmed) Stamp(event world.Event) world.Input { return c.Cluster.Stamp(Trim(event)) }

// Trim returns an event without what is not recorded. The objects of a list are replaced in place.
func Trim(event world.Event) world.Event {
	switch ev := event.(type) {
	case world.Changed:
		ev.Object = trimmed(ev.Object)
		return ev
	case world.Listed:
		for i, o := range ev.Objects { // the list is not shared
			ev.Objects[i] = trimmed(o)
		}
	}
	return event
}

func trimmed(o world.Object) world.Object {
	switch o.(type) {
	case *v1.PersistentVolume, *v1.PersistentVolumeClaim, *resourcev1.ResourceClaim, *resourcev1.DeviceClass:
		return trim.Object(o)
	}
	return o
}
