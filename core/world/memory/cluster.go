package memory

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/world"
	"orrery/core/world/admission"
	"orrery/core/world/trim"
)

// Options configure a cluster. The zero value is a cluster without delays or faults.
type Options struct {
	// Start is the virtual time at which the cluster starts; 2026-01-01 UTC if zero.
	Start time.Time
	// Seed determines every name, UID, latency and fault.
	Seed    uint64
	Latency Latency
	Faults  Faults
	// Kinds are the kinds the scheduler watches; nil means every kind.
	Kinds []world.Kind
	// PodBehavior returns how a pod runs on its node. It must depend on the pod alone. Nil means DefaultPodBehavior.
	PodBehavior func(*v1.Pod) PodBehavior
	// Heartbeat is how often every kubelet updates the heartbeat times of its node's conditions; never if zero. A
	// silent node is detected either way.
	Heartbeat time.Duration
	// Budgets implements disruption budgets; without it no budget has a status, and an eviction is a deletion.
	Budgets DisruptionBudgets
	// Pressure simulates the kubelets' reaction to resource pressure; without it nothing runs out. ReportUsage sets the
	// usage.
	Pressure Pressure
	// NodeLifecycle marks silent nodes unreachable and taints nodes for their conditions; nil does neither.
	NodeLifecycle NodeLifecycle
	// ComparisonOperators is the feature gate TaintTolerationComparisonOperators: tolerations may use Gt and Lt.
	ComparisonOperators bool
	// DeviceGatesOff are the feature gates of dynamic resource allocation that the API server has off.
	DeviceGatesOff admission.DeviceGatesOff
	// Admission switches admission plugins; without it those are on that are on by default.
	Admission admission.Options
	// Extenders are web servers beside the cluster, by the address in the scheduler's configuration. SetExtender changes one.
	Extenders map[string]Extender
	// Provisions reports whether a driver makes volumes. Claims of the class of one that does not wait for ever. Nil means that all do.
	Provisions func(driver string) bool
	// CutOff reports whether the sender of an effect has cancelled it on its way to the API server, which does not carry it out then. Nil
	// means that none does.
	CutOff func(world.EffectID) bool
}

// Latency holds the delays of the cluster.
type Latency struct {
	// Request is the delay of a call from the scheduler to the API server, Response that of its outcome.
	Request, Response Delay
	// Watch is the delay from a change to its watch event.
	Watch Delay
	// Kubelet is the delay from a change to the kubelet's reaction, Controller that of controllers.
	Kubelet, Controller Delay
	// Plugin is the duration of a plugin call.
	Plugin Delay
	// Provision is how long a driver takes to make a volume, Attach to attach or detach one.
	Provision, Attach Delay
	// Publish is how long a device driver takes for one ResourceSlice.
	Publish Delay
	// Initialize is how long the controller of an external cloud provider takes to initialize a node; there is none if zero.
	Initialize Delay
}

// TypicalLatency is that of a healthy medium-sized cluster.
func TypicalLatency() Latency {
	return Latency{
		Request:    Delay{2 * time.Millisecond, 6 * time.Millisecond},
		Response:   Delay{time.Millisecond, 2 * time.Millisecond},
		Watch:      Delay{2 * time.Millisecond, 10 * time.Millisecond},
		Kubelet:    Delay{500 * time.Millisecond, 1500 * time.Millisecond},
		Controller: Delay{10 * time.Millisecond, 40 * time.Millisecond},
		Plugin:     Delay{5 * time.Millisecond, 20 * time.Millisecond},
		Provision:  Delay{time.Second, 2 * time.Second},
		Attach:     Delay{time.Second, 4 * time.Second},
		Publish:    Delay{50 * time.Millisecond, 150 * time.Millisecond},
		Initialize: Delay{5 * time.Second, 10 * time.Second},
	}
}

// Cluster is a simulated cluster. It is not safe for concurrent use; two forks may be used concurrently.
type Cluster struct {
	options Options
	now     time.Time
	seq     uint64
	queue   eventQueue

	latency, faults, names rng

	version uint64
	objects map[world.Kind]map[types.NamespacedName]world.Object
	parts   trim.Pool

	nodes      map[string]*nodeState
	pods       map[types.UID]podState
	dependents map[types.UID]*dependents
	workQueue  workQueue

	streams   map[world.Kind]*stream
	downUntil time.Time
	slowUntil time.Time
	slowBy    Delay
	injected  map[Call][]Fault
	inflight  map[types.UID]time.Time

	admission admission.Chain

	lifecycle         NodeLifecycle
	nextLifecycleTick time.Time

	pressure         Pressure
	nextPressureTick time.Time // the time of the next pressureTick in the event queue

	storage storage
	devices devices

	nextQuotaResync time.Time // zero unless one is in the event queue

	extenders map[string]Extender

	history history
	digest  digest
}

var _ world.World = (*Cluster)(nil)

// New returns a cluster with only the default namespaces and priority classes. Objects created before the first Next
// are in the first lists; later changes follow one by one.
func New(o Options) *Cluster {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if o.Kinds == nil {
		o.Kinds = world.Kinds()
	}
	if o.PodBehavior == nil {
		o.PodBehavior = DefaultPodBehavior
	}
	c := &Cluster{
		options:    o,
		now:        o.Start.UTC(),
		queue:      newEventQueue(),
		latency:    newRNG(o.Seed, latencyStream),
		faults:     newRNG(o.Seed, faultStream),
		names:      newRNG(o.Seed, nameStream),
		objects:    make(map[world.Kind]map[types.NamespacedName]world.Object, len(kindInfos)),
		nodes:      map[string]*nodeState{},
		pods:       map[types.UID]podState{},
		dependents: map[types.UID]*dependents{},
		workQueue:  newWorkQueue(),
		streams:    make(map[world.Kind]*stream, len(o.Kinds)),
		injected:   map[Call][]Fault{},
		inflight:   map[types.UID]time.Time{},
		admission:  admission.New(o.Admission),
		lifecycle:  o.NodeLifecycle,
		pressure:   o.Pressure,
		storage:    newStorage(),
		devices:    newDevices(),
		extenders:  maps.Clone(o.Extenders),
		history:    newHistory(),
		digest:     startDigest,
	}
	for kind := range kindInfos {
		c.objects[kind] = map[types.NamespacedName]world.Object{}
	}
	for _, kind := range o.Kinds {
		c.streams[kind] = &stream{}
	}
	c.createDefaults()
	c.relist(c.now, c.watched()...)
	return c
}

// watched returns the kinds the scheduler watches, in the order of first lists.
func (c *Cluster) watched() []world.Kind {
	return slices.DeleteFunc(world.Kinds(), func(k world.Kind) bool { return c.streams[k] == nil })
}

// Now is the virtual time.
func (c *Cluster) Now() time.Time { return c.now }

// timestamp is the present time in whole seconds, as the API server writes it.
func (c *Cluster) timestamp() metav1.Time { return metav1.Time{Time: c.now.Truncate(time.Second)} }

// NextAt is the time of the next event in the cluster; ok is false if there is none. Not every event makes an input.
func (c *Cluster) NextAt() (at time.Time, ok bool) {
	if len(c.queue.Items) == 0 {
		return time.Time{}, false
	}
	return c.queue.Items[0].at, true
}

// Next advances time to the next input for the scheduler, but not beyond until. Without an input, the time is until.
func (c *Cluster) Next(until time.Time) (world.Input, bool) {
	for len(c.queue.Items) > 0 && !c.queue.Items[0].at.After(until) {
		e := c.queue.next()
		c.now = e.at
		if d, ok := e.event.(delivery); ok {
			in := world.Input{At: c.now, Event: d.event}
			c.digest.addInput(in)
			return in, true
		}
		if c.blockedByOutage(e.event) {
			c.schedule(c.downUntil, e.event)
			continue
		}
		e.event.fire(c)
	}
	if until.After(c.now) {
		c.now = until
	}
	return world.Input{}, false
}

// Advance advances time and returns the inputs: for scripts without a scheduler.
func (c *Cluster) Advance(d time.Duration) []world.Input {
	var told []world.Input
	until := c.now.Add(d)
	for {
		in, ok := c.Next(until)
		if !ok {
			return told
		}
		told = append(told, in)
	}
}

// scriptedAction is a scheduled action of a scenario.
type scriptedAction struct{ act func(*Cluster) }

func (s scriptedAction) fire(c *Cluster) { s.act(c) }

// At schedules act; a time in the past means now. After a fork each of the two clusters calls act, so act must change
// only the cluster it is given. It must not call Next or Advance.
func (c *Cluster) At(t time.Time, act func(*Cluster)) { c.schedule(t, scriptedAction{act}) }

// After is At, relative to now.
func (c *Cluster) After(d time.Duration, act func(*Cluster)) { c.At(c.now.Add(d), act) }

// withoutPluginCall returns an event for a fork: a plugin call in it fails.
func withoutPluginCall(h simEvent) simEvent {
	a, ok := h.(effectArrival)
	if !ok {
		return h
	}
	run, ok := a.effect.Action.(world.RunPlugin)
	if !ok || run.Call == nil {
		return h
	}
	run.Call = func(context.Context) *fwk.Status {
		return fwk.NewStatus(fwk.Error, fmt.Sprintf("plugin %s was not called: its call was under way when the cluster was forked, and is the original's", run.Plugin))
	}
	a.effect.Action = run
	return a
}

// delivery is an event in transit to the scheduler.
type delivery struct{ event world.Event }

// fire does nothing: Next returns deliveries.
func (delivery) fire(*Cluster) {}

// Fork returns a second cluster in the same state, with the same pending events and random numbers. The two share
// immutable objects and are otherwise independent. A pending plugin call is made by the original only, as it is the
// plugin of the original's scheduler: in the fork the call fails with an error.
func (c *Cluster) Fork() *Cluster {
	f := *c
	f.queue.Items = slices.Clone(c.queue.Items)
	for i := range f.queue.Items {
		f.queue.Items[i].event = withoutPluginCall(f.queue.Items[i].event)
	}
	f.objects = make(map[world.Kind]map[types.NamespacedName]world.Object, len(c.objects))
	for kind, all := range c.objects {
		f.objects[kind] = maps.Clone(all)
	}
	f.nodes = make(map[string]*nodeState, len(c.nodes))
	for name, n := range c.nodes {
		f.nodes[name] = n.clone()
	}
	f.pods = maps.Clone(c.pods)
	f.dependents = make(map[types.UID]*dependents, len(c.dependents))
	for owner, all := range c.dependents {
		f.dependents[owner] = all.clone()
	}
	f.parts = trim.Pool{} // it is filled while it is used
	f.workQueue = c.workQueue.clone()
	f.streams = make(map[world.Kind]*stream, len(c.streams))
	for kind, s := range c.streams {
		other := *s
		f.streams[kind] = &other
	}
	f.injected = make(map[Call][]Fault, len(c.injected))
	for call, faults := range c.injected {
		f.injected[call] = slices.Clone(faults)
	}
	f.inflight = maps.Clone(c.inflight)
	f.storage = c.storage.clone()
	f.devices = c.devices.clone()
	f.extenders = maps.Clone(c.extenders)
	f.history = c.history.clone()
	if c.lifecycle != nil {
		f.lifecycle = c.lifecycle.Fork()
	}
	if c.pressure != nil {
		f.pressure = c.pressure.Fork()
	}
	return &f
}
