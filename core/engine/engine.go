package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/cache"
	"orrery/core/config"
	"orrery/core/framework"
	"orrery/core/plugins"
	"orrery/core/plugins/queuesort"
	"orrery/core/queue"
	"orrery/core/store"
	"orrery/core/world"
)

// Options are what an engine is made with. The zero value is a scheduler with the default configuration.
type Options struct {
	// Config is a complete configuration; nil is the default one.
	Config *config.Configuration
	// Plugins are third-party plugins, beside those of this house.
	Plugins framework.Registry
	// Seed feeds every choice that is left to chance.
	Seed uint64
	// TieBreak says which of several nodes with the best score is taken.
	TieBreak TieBreak
	// Requeue is the rule by which pods that failed find their way back.
	Requeue queue.Rule
	// MaxInUnschedulable is how long a pod stays parked without an event that helps it; zero is 5 minutes.
	MaxInUnschedulable time.Duration
	// Start is the time before the first input; timers count from it.
	Start time.Time
	// Decisions is how many decisions the log holds; zero is 4096.
	Decisions int

	// Stopwatch reads a clock that only goes forward. It measures how long things take and decides nothing; without it
	// nothing is measured. Observer is told what plugins took.
	Stopwatch func() time.Duration
	Observer  framework.Observer
	// Listener hears of what happens inside. Neither it nor Observer is told of what a fork does.
	Listener Listener
	// Client and KubeConfig are handed on to plugins that want them; nil in worlds without an API server.
	Client     clientset.Interface
	KubeConfig *restclient.Config
}

const decisionsDefault = 4096

// Engine owns all scheduling state. It is not safe for concurrent use; see the package comment for how to drive it.
type Engine struct {
	options    Options
	config     *config.Configuration
	registry   framework.Registry
	percentage int32

	now        time.Time
	store      *store.Store
	cache      *cache.Cache
	snapshot   *cache.Snapshot
	queue      *queue.Queue
	profiles   map[string]*framework.Profile
	order      []string     // of profiles, as configured
	registered []world.Kind // for events
	waiting    *framework.WaitingPods
	ctx        context.Context
	chance     *rand.PCG
	stopwatch  func() time.Duration
	hintTook   time.Duration // by the last hint that was asked; measured for a listener only

	gates      queue.Gates
	startIndex int
	feasible   []fwk.NodeInfo          // the last search's, for its room
	statuses   *framework.NodeToStatus // and what it turned down
	searched   lookedAt
	bindings   map[types.UID]*binding
	pending    map[world.EffectID]types.UID // the binding that waits for an effect
	asked      map[world.EffectID]ask       // the plugin that waits for an effect
	batches    map[string]*batch            // by profile
	batching   map[string]*Batching

	effects    []world.Effect
	lastEffect world.EffectID
	decisions  decisionLog
	lastSeq    uint64
	journal    *queue.Journal
	tide       queue.Tide
	tally      Tally
	digest     Digest
	problems   problemLog
}

// New makes an engine that knows of no object yet.
func New(o Options) (*Engine, error) {
	if o.Config == nil {
		o.Config = config.Default(config.DefaultFeatures())
	}
	if o.Decisions == 0 {
		o.Decisions = decisionsDefault
	}
	if len(o.Config.Extenders) > 0 {
		return nil, errors.New("the configuration names extenders, and Orrery cannot call any: take them out of its field extenders")
	}
	registry := plugins.Registry(o.Config.Features)
	if err := registry.Merge(o.Plugins); err != nil {
		return nil, fmt.Errorf("adding third-party plugins: %w", err)
	}
	e := &Engine{
		options: o, config: o.Config, registry: registry, percentage: o.Config.PercentageOfNodesToScore,
		gates: queue.Gates{
			InPlacePodVerticalScaling:               o.Config.Features.Enabled(config.InPlacePodVerticalScaling),
			InPlacePodLevelResourcesVerticalScaling: o.Config.Features.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
			DynamicResourceAllocation:               o.Config.Features.Enabled(config.DynamicResourceAllocation),
			NodeDeclaredFeatures:                    o.Config.Features.Enabled(config.NodeDeclaredFeatures),
		},
		now: o.Start, store: store.New(), cache: cache.NewWith(accounting(o.Config.Features)), snapshot: cache.NewSnapshot(),
		waiting: framework.NewWaitingPods(), statuses: framework.NewNodeToStatus(0), ctx: context.Background(),
		chance: rand.NewPCG(o.Seed, o.Seed^chanceStream), stopwatch: o.Stopwatch,
		bindings: map[types.UID]*binding{}, pending: map[world.EffectID]types.UID{}, asked: map[world.EffectID]ask{},
		batches: map[string]*batch{}, batching: map[string]*Batching{},
		decisions: newDecisionLog(o.Decisions), journal: queue.NewJournal(), digest: fnvOffset,
	}
	if err := e.makeProfiles(); err != nil {
		return nil, err
	}
	options, err := e.queueOptions()
	if err != nil {
		return nil, err
	}
	e.queue = queue.New(options)
	e.register(options.Profiles)
	return e, nil
}

// chanceStream sets the second word of the random source apart from the first.
const chanceStream = 0x9e3779b97f4a7c15

// makeProfiles makes every configured profile anew, on this engine's own store, snapshot and queue. The queue itself
// may come later: plugins must not use their handle before the first input.
func (e *Engine) makeProfiles() error {
	all, err := framework.NewProfiles(e.ctx, e.registry, e.config.Profiles, func(name string) framework.Options {
		return framework.Options{
			Snapshot: e.snapshot, Nominator: nominator{e}, Activator: activator{e}, Waiting: e.waiting,
			Actor: actor{e, name}, Dice: dice{e}, Informers: e.store.Informers(), Events: announcer{e, name},
			Client: e.options.Client, KubeConfig: e.options.KubeConfig, Features: e.config.Features,
			Stopwatch: e.stopwatch, Observer: e.options.Observer,
		}
	})
	if err != nil {
		return fmt.Errorf("initializing profiles: %w", err)
	}
	e.profiles, e.order = map[string]*framework.Profile{}, nil
	for _, p := range all.List {
		e.profiles[p.ProfileName()] = p
		e.order = append(e.order, p.ProfileName())
	}
	return nil
}

// queueOptions tell the queue what the profiles know of queueing.
func (e *Engine) queueOptions() (queue.Options, error) {
	f := e.config.Features
	o := queue.Options{
		Less:               e.customLess(),
		InitialBackoff:     time.Duration(e.config.PodInitialBackoffSeconds) * time.Second,
		MaxBackoff:         time.Duration(e.config.PodMaxBackoffSeconds) * time.Second,
		MaxInUnschedulable: e.options.MaxInUnschedulable,
		PopFromBackoff:     f.Enabled(config.SchedulerPopFromBackoffQ),
		Gates:              e.gates,
		Accounting:         accounting(f),
		Profiles:           map[string]queue.Profile{},
		Pods:               e.store.Pod,
		Observe:            e.observe,
		Rule:               e.options.Requeue,
		Start:              e.options.Start,
	}
	for _, name := range e.order {
		p := e.profiles[name]
		hints, err := queue.NewHints(e.timed(queue.Extensions(p.EnqueueExtensions(), f.Enabled(config.GenericWorkload)))...)
		if err != nil {
			return queue.Options{}, fmt.Errorf("registering the events of profile %s: %w", name, err)
		}
		o.Profiles[name] = queue.Profile{PreEnqueue: p.PreEnqueuePlugins(), Hints: hints}
	}
	return o, nil
}

// accounting says how the feature gates have requests added up.
func accounting(f config.Features) cache.Accounting {
	return cache.Accounting{
		IgnorePodLevel: !f.Enabled(config.PodLevelResources),
		PodLevelStatus: f.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
	}
}

// customLess is nil for kube-scheduler's own order, which the queue has built in.
func (e *Engine) customLess() fwk.LessFunc {
	first := e.profiles[e.order[0]]
	if sorts := first.Enabled(framework.QueueSort); len(sorts) == 1 && sorts[0] == queuesort.Name {
		return nil
	}
	return first.QueueSortFunc()
}

// Now is the time of the last input.
func (e *Engine) Now() time.Time { return e.now }

// Digest is the running hash over all decisions and effects so far.
func (e *Engine) Digest() Digest { return e.digest }

// observe keeps what the queue tells of its pods.
func (e *Engine) observe(t queue.Transition) {
	e.journal.Add(t)
	e.tide.Add(&t)
	if e.options.Listener != nil {
		e.pass(t)
	}
}

// pass hands a record on. It takes a copy of its own, so that without a listener none has to live on.
func (e *Engine) pass(t queue.Transition) { e.options.Listener.Recorded(&t, e.hintTook) }
