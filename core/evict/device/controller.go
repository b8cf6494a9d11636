package device

import (
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Name is the controller's name in events.
const Name = "device-taint-eviction-controller"

// Options configure a Controller.
type Options struct {
	// Act makes it delete pods. Without it, it only predicts.
	Act bool
	// FirstEffect is the number of its first effect; the next ones follow. It must be beyond what others use.
	FirstEffect world.EffectID
	// Record is where evictions are written; nil is a record of its own.
	Record *evict.Record
	// Store, if not nil, is shared: its owner keeps [Kinds] in it and passes every change to ApplyDeltas.
	Store *store.Store
}

// Controller is driven beside an engine; see package drive. It is not safe for concurrent use.
type Controller struct {
	options Options
	record  *evict.Record
	now     time.Time
	store   *store.Store

	pools    pools
	claims   map[types.NamespacedName]*deadline // of allocated claims whose pods must be evicted
	pending  map[types.UID]pendingEviction
	timers   evict.Timers[types.UID]
	deleting map[types.UID]bool // deleted pods that still exist

	evictor evict.Evictor

	evicted      map[types.UID]int64            // pods, by rule
	statuses     map[types.UID]metav1.Condition // the last decided condition, by rule
	writes       map[world.EffectID]ruleKey     // of conditions, in flight
	dirtyRules   []ruleKey                      // rules whose status is evaluated now
	statusTimers evict.Timers[ruleKey]          // rules whose status is evaluated later
}

// Kinds returns the kinds of objects that the controller reads.
func Kinds() []world.Kind {
	return []world.Kind{world.Pod, world.ResourceClaim, world.ResourceSlice, world.DeviceTaintRule}
}

// New returns a Controller without objects.
func New(o Options) *Controller {
	o.Record, o.Store = evict.OwnOrShared(o.Record, o.Store, Kinds()...)
	return &Controller{
		options: o, record: o.Record, store: o.Store,
		pools: pools{}, claims: map[types.NamespacedName]*deadline{}, pending: map[types.UID]pendingEviction{},
		timers: evict.NewTimers[types.UID](), deleting: map[types.UID]bool{},
		evictor: evict.NewEvictor(o.FirstEffect, evictCondition, retryDelay),
		evicted: map[types.UID]int64{}, statuses: map[types.UID]metav1.Condition{}, writes: map[world.EffectID]ruleKey{},
		statusTimers: evict.NewTimers[ruleKey](),
	}
}

// Apply takes in an input.
func (c *Controller) Apply(in world.Input) {
	c.advance(in.At)
	c.handleDeltas(evict.TakeIn(c.store, in))
	if event, is := in.Event.(world.EffectDone); is {
		c.statusWritten(event)
		if pod, end := c.evictor.EffectDone(c.now, event); end != evict.NotOver {
			c.evictionDone(pod, end)
		}
	}
	c.advance(in.At)
}

// ApplyDeltas passes the deltas of a shared store's change. Apply must have advanced the time before the change.
func (c *Controller) ApplyDeltas(deltas []store.Delta) {
	c.handleDeltas(deltas)
	c.advance(c.now)
}

// NextWake returns the time of the next timer.
func (c *Controller) NextWake() (first time.Time, runs bool) {
	for _, next := range []func() (time.Time, bool){c.statusTimers.Next, c.timers.Next, c.evictor.NextWake} {
		if at, ok := next(); ok && (!runs || at.Before(first)) {
			first, runs = at, true
		}
	}
	return first, runs
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
	f.store, f.options.Store, f.pools = store, store, c.pools.clone()
	f.claims, f.pending, f.deleting = maps.Clone(c.claims), maps.Clone(c.pending), maps.Clone(c.deleting)
	f.evicted, f.statuses, f.writes = maps.Clone(c.evicted), maps.Clone(c.statuses), maps.Clone(c.writes)
	f.timers, f.statusTimers, f.evictor = c.timers.Clone(), c.statusTimers.Clone(), c.evictor.Clone()
	return &f
}

// advance runs the timers up to a time, in order; at the same time status updates come first, so that they still count the
// pods.
func (c *Controller) advance(to time.Time) {
	for _, rule := range c.dirtyRules {
		c.updateStatus(rule)
	}
	c.dirtyRules = c.dirtyRules[:0]
	evict.Advance(&c.now, to, c.NextWake, c.fire)
}

func (c *Controller) fire(time.Time) {
	if rule, _, ok := c.statusTimers.Pop(c.now); ok {
		c.updateStatus(rule)
	} else if uid, _, ok := c.timers.Pop(c.now); ok {
		c.deadlinePassed(uid)
	} else if ref, ok := c.evictor.PopRetry(c.now); ok {
		c.evictor.Retry(c.now, c.store.Pod(ref.Namespace, ref.Name))
	}
}
