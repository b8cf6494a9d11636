package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	clientset "k8s.io/client-go/kubernetes"
	restclient "k8s.io/client-go/rest"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/objects/saturating"
	"orrery/core/scheduler/cache"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/devices"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/gangs"
	"orrery/core/scheduler/plugins"
	"orrery/core/scheduler/plugins/noderesources"
	"orrery/core/scheduler/plugins/queuesort"
	"orrery/core/scheduler/queue"
	"orrery/core/scheduler/release"
	"orrery/core/scheduler/store"
	"orrery/core/scheduler/volumes"
	"orrery/core/world"
	"orrery/core/world/extender"
)

// Options configure an engine. The zero value is a scheduler with the default configuration.
type Options struct {
	// Config is a complete configuration; nil is the default one.
	Config *config.Configuration
	// Plugins are third-party plugins, added to the built-in ones.
	Plugins framework.Registry
	// Seed seeds every random choice.
	Seed uint64
	// TieBreak selects among nodes with the same best score.
	TieBreak TieBreak
	// RequeueRule is the rule by which failed pods are requeued.
	RequeueRule queue.RequeueRule
	// PodMaxInUnschedulablePodsDuration limits how long a pod stays in unschedulablePods; zero is 5 minutes.
	PodMaxInUnschedulablePodsDuration time.Duration
	// NoReuse says that every verdict and score is computed afresh. Decisions are the same.
	NoReuse bool
	// Shadow says that another scheduler binds the pods. A pod that it binds to another node ends the engine's own
	// binding, and is not queued again.
	Shadow bool
	// ExtendersUnasked says that no extender is called. Each counts as one that leaves all nodes, gives no score and agrees with all
	// victims, and decisions name those whose verdict is therefore unknown.
	ExtendersUnasked bool
	// Unread are the kinds that there is no right to read: that the engine has no object of them says nothing. No decision depends on it.
	Unread []world.Kind
	// Start is the time before the first input; timers count from it.
	Start time.Time
	// DecisionLogSize is how many decisions the log holds; zero is 4096.
	DecisionLogSize int

	// Stopwatch reads a monotonic clock. It measures durations and affects no decision; without it nothing is measured.
	// OnTiming receives the durations of plugins and extension points.
	Stopwatch func() time.Duration
	OnTiming  func(framework.Timing)
	// Listener observes the engine. A fork calls neither Listener nor OnTiming.
	Listener Listener
	// Client and KubeConfig are how plugins reach the cluster; nil in worlds without an API server. A shadow needs KubeConfig
	// only, as its plugins may only read.
	Client     clientset.Interface
	KubeConfig *restclient.Config
}

//orrery:limit scheduler; decisions that are remembered; the oldest goes; less under GOMEMLIMIT
const defaultDecisionLogSize = 4096

// Engine owns all scheduling state. It is not safe for concurrent use; the package comment says how to drive it.
type Engine struct {
	options    Options
	config     *config.Configuration
	registry   framework.Registry
	extenders  []*extender.Extender // in the order in which they are asked
	percentage int32

	start        time.Time // the time of the first input, unless the options set it
	now          time.Time
	store        *store.Store
	volumes      *volumes.State
	devices      *devices.State
	gangs        *gangs.State
	cache        *cache.Cache
	snapshot     *cache.Snapshot
	queue        *queue.Queue
	profiles     map[string]*framework.Profile
	profileNames []string     // of profiles, as configured
	watches      []world.Kind // for events
	waiting      *framework.WaitingPods
	objectWaits  objectWaits // of bindings
	ctx          context.Context
	rng          *rand.PCG
	stopwatch    func() time.Duration
	hintDuration time.Duration // of the last hint; measured for a listener only

	gates         queue.FeatureGates
	features      features
	startIndex    int
	attempt       attempt                 // of the scheduling cycle, or of the last one
	idleMemory    []*cycleMemory          // of cycles and bindings that have ended
	idleFit       *framework.FitError     // of the last cycle, if it found a node
	suspended     *attempt                // the scheduling cycle that waits for extenders; nil if none does
	preempting    atomic.Pointer[attempt] // the scheduling cycle whose PostFilter plugins run; nil if none do
	feasible      []fwk.NodeInfo          // of the last search; the memory is used again
	positions     []int32                 // of the feasible nodes
	nominated     nominatedPlaces         // as of the last search
	ranks         []rank                  // of the feasible nodes
	statuses      *framework.NodeToStatus // the nodes that the last search rejected
	lastSearch    lastSearch
	bindings      map[types.UID]*binding
	pending       map[world.EffectID]types.UID    // the binding that waits for an effect
	pluginEffects map[world.EffectID]pluginEffect // the plugin that waits for an effect
	batches       map[string]*batch               // by profile
	batchCounters map[string]*BatchCounters
	rescoring     rescoring
	memory        *memoryPreemption

	shared bool // whether plugins may use their handles on goroutines of their own
	posted posted
	nominations

	effects     []world.Effect
	lastEffect  world.EffectID
	decisions   decisionLog
	lastSeq     uint64
	journal     *queue.Journal
	queueDepths queue.DepthHistory
	counters    Counters
	digest      Digest
	problems    []Problem
	refusals    []Problem
	panics      map[PanicSource]uint64
}

// New returns an engine without objects.
func New(o Options) (*Engine, error) {
	if o.Config == nil {
		o.Config = config.Default(config.DefaultFeatures())
	}
	if o.DecisionLogSize == 0 {
		o.DecisionLogSize = defaultDecisionLogSize
	}
	extenders := extender.All(o.Config.Extenders)
	registry := plugins.Registry(o.Config.Features)
	if err := registry.Merge(o.Plugins); err != nil {
		return nil, fmt.Errorf("adding third-party plugins: %w", err)
	}
	e := &Engine{
		options: o, config: o.Config, registry: registry, extenders: extenders, percentage: o.Config.PercentageOfNodesToScore,
		gates: queue.FeatureGates{
			InPlacePodVerticalScaling:               o.Config.Features.Enabled(config.InPlacePodVerticalScaling),
			InPlacePodLevelResourcesVerticalScaling: o.Config.Features.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
			DynamicResourceAllocation:               o.Config.Features.Enabled(config.DynamicResourceAllocation),
			NodeDeclaredFeatures:                    o.Config.Features.Enabled(config.NodeDeclaredFeatures),
			SplitPods:                               o.Config.Features.Has(release.PodEventsSplit),
			Sum:                                     noderesources.SumOf(o.Config.Features),
		},
		features: featuresOf(o.Config),
		start:    o.Start, now: o.Start, store: store.New(), cache: cache.NewWithAccounting(accounting(o.Config.Features)), snapshot: cache.NewSnapshot(),
		waiting: framework.NewWaitingPods(), statuses: framework.NewNodeToStatus(0), ctx: context.Background(),
		rng: rand.NewPCG(o.Seed, o.Seed^rngStream), stopwatch: o.Stopwatch,
		bindings: map[types.UID]*binding{}, pending: map[world.EffectID]types.UID{}, pluginEffects: map[world.EffectID]pluginEffect{},
		batches: map[string]*batch{}, batchCounters: map[string]*BatchCounters{},
		decisions: newDecisionLog(o.DecisionLogSize), journal: queue.NewJournal(), digest: fnvOffset, panics: map[PanicSource]uint64{},
		posted: newPosted(),
	}
	e.volumes, e.devices, e.objectWaits = volumes.New(e.store), devices.New(e.store, deviceGates(e.config.Features)), newObjectWaits()
	e.gangs = gangs.New(e.store)
	e.memory = &memoryPreemption{engine: e}
	if err := e.makeProfiles(); err != nil {
		return nil, err
	}
	options, err := e.queueOptions()
	if err != nil {
		return nil, err
	}
	e.queue = queue.New(options)
	e.registerWatches(options.Profiles)
	return e, nil
}

// features are the feature gates and rules that every cycle asks for.
type features struct {
	batching, rescores, signsQueued, nominatesExpected, gangs, writesToCurrent, preemptsInMemory, preBindsInParallel bool
}

func featuresOf(c *config.Configuration) features {
	f := c.Features
	return features{
		batching: f.Enabled(config.OpportunisticBatching), rescores: f.Has(release.BatchesRescored),
		signsQueued: f.Enabled(config.OpportunisticBatching) && f.Has(release.QueuedPodsSigned), nominatesExpected: f.Enabled(config.NominatedNodeNameForExpectation),
		gangs: f.Enabled(config.GangScheduling), writesToCurrent: f.Has(release.FailureOfCurrentPod), preemptsInMemory: f.Has(release.UnboundPreemptedInMemory),
		// kube-scheduler runs them on the workers that search nodes: one works through them in order.
		preBindsInParallel: f.Enabled(config.NominatedNodeNameForExpectation) && f.Has(release.PreBindsInParallel) && c.Parallelism > 1,
	}
}

// rngStream makes the second seed word of the random source differ from the first.
const rngStream = 0x9e3779b97f4a7c15

// makeProfiles creates every configured profile on this engine's own store, snapshot and queue. The queue may be
// created later: plugins must not use their handle before the first input.
func (e *Engine) makeProfiles() error {
	e.store.OnPanic(func(kind world.Kind, value any) {
		e.pluginPanicked(framework.NewPluginPanic("handler of "+string(kind), framework.OnEvent, value))
	})
	claims := devices.NewShared(e.devices, e.store.Informers().Resource().V1().ResourceClaims().Lister, e.posted.post)
	all, err := framework.NewProfiles(e.ctx, e.registry, e.config.Profiles, func(name string) framework.Options {
		return framework.Options{
			Snapshot: e.snapshot, Nominator: nominator{e}, Activator: podActivator{e}, Waiting: e.waiting,
			Emitter: emitter{e, name}, Memory: e.memory, Rand: rng{e}, Clock: e, Changes: e.store, Events: eventRecorder{e, name},
			Informers: e.store.Informers(), CSI: framework.CSINodes(e.store.Informers()), Volumes: e.volumes,
			Devices: e.devices, DRA: claims,
			Gangs: e.gangs, Extenders: e.extenderHandles(), AwaitsExtenders: e.awaitsExtenders,
			Client: e.options.Client, KubeConfig: e.options.KubeConfig, Features: e.config.Features,
			NoReuse: e.options.NoReuse, HandleOf: e.handleOf, OnPanic: e.pluginPanicked, Stopwatch: e.stopwatch, OnTiming: e.options.OnTiming,
		}
	})
	if err != nil {
		return fmt.Errorf("initializing profiles: %w", err)
	}
	e.profiles, e.profileNames = map[string]*framework.Profile{}, nil
	for _, p := range all.List {
		if p.MayBlock() {
			e.share()
		}
		e.profiles[p.ProfileName()] = p
		e.profileNames = append(e.profileNames, p.ProfileName())
	}
	e.store.PluginsMade()
	return nil
}

// queueOptions derives the queue's options from the profiles and the configuration.
func (e *Engine) queueOptions() (queue.Options, error) {
	f := e.config.Features
	o := queue.Options{
		Less:               e.customLess(),
		InitialBackoff:     saturating.Seconds(e.config.PodInitialBackoffSeconds),
		MaxBackoff:         saturating.Seconds(e.config.PodMaxBackoffSeconds),
		MaxInUnschedulable: e.options.PodMaxInUnschedulablePodsDuration,
		PopFromBackoff:     f.Enabled(config.SchedulerPopFromBackoffQ),
		NominateOnAdd:      f.Has(release.GatedPodsNominated),
		FlushGated:         f.Has(release.GatedPodsFlushed),
		NoteFlushed:        f.Has(release.FlushedPodsCounted),
		ReplaceByUID:       f.Has(release.RecreatedPodsAnew),
		FeatureGates:       e.gates,
		Accounting:         accounting(f),
		Profiles:           map[string]queue.Profile{},
		LookupPod:          e.store.Pod,
		Observe:            e.queueTransition,
		RequeueRule:        e.options.RequeueRule,
		Start:              e.start,
	}
	for _, name := range e.profileNames {
		p := e.profiles[name]
		extensions := queue.EnqueueExtensions(p.EnqueueExtensions(), f.Enabled(config.GenericWorkload))
		for i, extension := range extensions {
			extensions[i] = p.RecoverHints(extension)
		}
		if f.Has(release.PodEventsSplit) {
			e.splitRegistrations(extensions)
		}
		hints, err := hintsOf(f, e.timedExtensions(extensions))
		if err != nil {
			return queue.Options{}, fmt.Errorf("registering the events of profile %s: %w", name, err)
		}
		part := queue.Profile{PreEnqueue: p.PreEnqueuePlugins(), Hints: hints}
		if e.features.signsQueued {
			part.Sign = func(pod *v1.Pod) fwk.PodSignature { return p.Sign(e.ctx, pod, true) }
		}
		o.Profiles[name] = part
	}
	return o, nil
}

// splitRegistrations has the in-tree plugins among some registered for the kinds of pod events that they are registered for from 1.37 on.
// Plugins of others may mean any pod by Pod.
func (e *Engine) splitRegistrations(extensions []fwk.EnqueueExtensions) {
	for i, extension := range extensions {
		_, others := e.options.Plugins[extension.Name()]
		if _, known := e.registry[extension.Name()]; known && !others {
			extensions[i] = plugins.SplitPodEvents(extension)
		}
	}
}

// hintsOf returns the events that requeue the pods of a profile.
func hintsOf(f config.Features, extensions []fwk.EnqueueExtensions) (*queue.Hints, error) {
	if f.Has(release.TaintEventsExplicit) {
		return queue.NewExactHints(extensions...)
	}
	return queue.NewHints(extensions...)
}

// accounting returns how requests are summed under the feature gates.
func accounting(f config.Features) cache.Accounting {
	return cache.Accounting{
		IgnorePodLevel: !f.Enabled(config.PodLevelResources),
		PodLevelStatus: f.Enabled(config.InPlacePodLevelResourcesVerticalScaling),
		Sum:            noderesources.SumOf(f),
	}
}

// deviceGates returns what the feature gates say about devices.
func deviceGates(f config.Features) devices.Gates {
	return devices.Gates{
		ConsumableCapacity: f.Enabled(config.DRAConsumableCapacity),
		DeviceTaintRules:   f.Enabled(config.DRADeviceTaintRules),
		ExtendedResources:  f.Enabled(config.DRAExtendedResource),
		RulesNeedSelector:  f.Has(release.DeviceTaintRulesNeedSelector),
		AllocatedParts:     f.Has(release.AllocatedPartsShared),
	}
}

// customLess returns the QueueSort plugin's order, or nil for the default order, which is built into the queue.
func (e *Engine) customLess() fwk.LessFunc {
	first := e.profiles[e.profileNames[0]]
	if sorts := first.Enabled(framework.QueueSort); len(sorts) == 1 && sorts[0] == queuesort.Name {
		return nil
	}
	return first.QueueSortFunc()
}

// Now is the time of the last input.
func (e *Engine) Now() time.Time { return e.now }

// Digest is the running hash over all decisions and effects so far.
func (e *Engine) Digest() Digest { return e.digest }

// queueTransition records a transition of the queue.
func (e *Engine) queueTransition(t queue.Transition) {
	e.journal.Add(&t)
	e.queueDepths.Add(&t)
	e.noteQueuedMember(&t)
	if e.options.Listener != nil {
		e.notifyTransition(t)
	}
}

// noteQueuedMember tells the gangs whether a member is in activeQ, where activating it changes nothing. By the older rule it
// counts as a request to move pods, so there no member is known to be in activeQ.
func (e *Engine) noteQueuedMember(t *queue.Transition) {
	if t.Kind != queue.Moved || e.gangs.Len() == 0 || e.options.RequeueRule == queue.MoveRequestCycle {
		return
	}
	if pod := e.store.Pod(t.Namespace, t.Name); pod != nil && pod.UID == t.UID && gangs.IsMember(pod) {
		e.gangs.Queued(gangs.KeyOf(pod), pod.UID, t.To == queue.Active)
	}
}

// notifyTransition notifies the listener. Its copy escapes to the heap only if there is a listener.
func (e *Engine) notifyTransition(t queue.Transition) {
	e.options.Listener.Recorded(&t, e.hintDuration)
}
