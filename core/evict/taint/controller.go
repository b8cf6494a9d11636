package taint

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Name is the controller's name in events.
const Name = "taint-eviction-controller"

// Options configure a Controller.
type Options struct {
	// Act makes it delete pods. Without it, it only predicts.
	Act bool
	// FirstEffect is the number of its first effect; the next ones follow. It must be beyond what others use.
	FirstEffect world.EffectID
	// Record is where evictions are written; nil is a record of its own.
	Record *evict.Record
	// Store, if not nil, is shared: its owner keeps pods and nodes in it and passes every change to ApplyDeltas.
	Store *store.Store
	// ComparisonOperators enables Gt and Lt: the feature gate TaintTolerationComparisonOperators.
	ComparisonOperators bool
}

// Controller is driven beside an engine; see package drive. It is not safe for concurrent use.
type Controller struct {
	options Options
	record  *evict.Record
	now     time.Time
	store   *store.Store

	pods       map[string][]podName // by node; only appended to, or replaced, as forks share the lists
	tainted    map[string][]v1.Taint
	timers     evict.Timers[types.UID]
	countdowns map[types.UID]countdown // by pod, of the running timers

	evictor evict.Evictor
}

// podName is a pod's namespace and name.
type podName struct{ namespace, name string }

// countdown describes a timer: its pod, start and reason.
type countdown struct {
	pod     world.PodRef
	started time.Time
	reason  string
}

// New returns a Controller without objects.
func New(o Options) *Controller {
	o.Record, o.Store = evict.OwnOrShared(o.Record, o.Store, world.Pod, world.Node)
	return &Controller{
		options: o, record: o.Record, store: o.Store,
		pods: map[string][]podName{}, tainted: map[string][]v1.Taint{},
		timers: evict.NewTimers[types.UID](), countdowns: map[types.UID]countdown{},
		evictor: evict.NewEvictor(o.FirstEffect, condition, retryDelay),
	}
}

// Apply takes in an input.
func (c *Controller) Apply(in world.Input) {
	c.advance(in.At)
	c.handleDeltas(evict.TakeIn(c.store, in))
	if event, is := in.Event.(world.EffectDone); is {
		if pod, end := c.evictor.EffectDone(c.now, event); end == evict.PodStays {
			c.record.End(pod.UID, evict.Taint, evict.Cancelled, c.now, evict.MayStay)
		}
	}
}

// ApplyDeltas passes the deltas of a shared store's change. Apply must have advanced the time before the change.
func (c *Controller) ApplyDeltas(deltas []store.Delta) { c.handleDeltas(deltas) }

// NextWake returns the time of the next timer.
func (c *Controller) NextWake() (time.Time, bool) {
	timer, runs := c.timers.Next()
	retry, waits := c.evictor.NextWake()
	if waits && (!runs || retry.Before(timer)) {
		return retry, true
	}
	return timer, runs
}

// Effects returns the effects since the last call.
func (c *Controller) Effects() []world.Effect { return c.evictor.Effects() }

// Counters returns the counts so far.
func (c *Controller) Counters() evict.Counters { return c.evictor.Counters() }

// Fork returns an independent copy that writes to record, a fork of its record.
func (c *Controller) Fork(record *evict.Record) *Controller { return c.ForkOn(c.store.Fork(), record) }

// ForkOn is Fork for a controller that shares a store, which was forked as well.
func (c *Controller) ForkOn(store *store.Store, record *evict.Record) *Controller {
	f := *c
	f.record, f.options.Record = record, record
	f.store, f.options.Store = store, store
	f.pods, f.tainted, f.countdowns = maps.Clone(c.pods), maps.Clone(c.tainted), maps.Clone(c.countdowns)
	for node, names := range f.pods {
		f.pods[node] = slices.Clip(names)
	}
	f.timers, f.evictor = c.timers.Clone(), c.evictor.Clone()
	return &f
}

func (c *Controller) advance(to time.Time) { evict.Advance(&c.now, to, c.NextWake, c.fire) }

// fire evicts the pod whose timer is due, or makes the next attempt at one.
func (c *Controller) fire(due time.Time) {
	if uid, _, ok := c.timers.Pop(c.now); ok {
		count := c.countdowns[uid]
		delete(c.countdowns, uid)
		c.evict(c.store.Pod(count.pod.Namespace, count.pod.Name), due, count.reason)
	} else if ref, ok := c.evictor.PopRetry(c.now); ok {
		c.evictor.Retry(c.now, c.store.Pod(ref.Namespace, ref.Name))
	}
}
