package device

import (
	"maps"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/store"
	"orrery/core/world"
)

// Name is what the controller calls itself in events.
const Name = "device-taint-eviction-controller"

// Options are what a controller is made with.
type Options struct {
	// Act has it delete pods. Without it, it only predicts what another one does.
	Act bool
	// First is the number of its first effect; the next ones follow. It must be beyond what others use.
	First world.EffectID
	// Board is where departures are written; nil is a board of its own.
	Board *evict.Board
	// Store, if not nil, is somebody else's who keeps [Kinds], and tells of every change with Heard.
	Store *store.Store
}

// Controller implements evict.Controller. One goroutine at a time may use it.
type Controller struct {
	options Options
	board   *evict.Board
	now     time.Time
	store   *store.Store

	pools  pools
	claims map[types.NamespacedName]*due // of allocated claims that make their pods leave
	duties map[types.UID]duty
	timers evict.Timers[types.UID]
	asked  map[types.UID]bool // pods that have been deleted, and are not gone yet

	removals evict.Removals

	evicted  map[types.UID]int64            // pods, by rule
	statuses map[types.UID]metav1.Condition // what was last decided, by rule
	wanted   []RuleStatus                   // since Statuses was last called
	fresh    []ruleName                     // rules whose status is to be looked at now
	reports  evict.Timers[ruleName]         // and those later
}

var _ evict.Controller = (*Controller)(nil)

// Kinds are the kinds of objects that it looks at.
func Kinds() []world.Kind {
	return []world.Kind{world.Pod, world.ResourceClaim, world.ResourceSlice, world.DeviceTaintRule}
}

// New is a controller that knows of no object yet.
func New(o Options) *Controller {
	if o.Board == nil {
		o.Board = evict.NewBoard()
	}
	if o.Store == nil {
		o.Store = store.New(Kinds()...)
	}
	return &Controller{
		options: o, board: o.Board, store: o.Store,
		pools: pools{}, claims: map[types.NamespacedName]*due{}, duties: map[types.UID]duty{},
		timers: evict.NewTimers[types.UID](), asked: map[types.UID]bool{},
		removals: evict.NewRemovals(o.First, mark, pauseAfter),
		evicted:  map[types.UID]int64{}, statuses: map[types.UID]metav1.Condition{},
		reports: evict.NewTimers[ruleName](),
	}
}

// Apply tells what happened. An object that the store refuses is left out, as in the engine.
func (c *Controller) Apply(in world.Input) {
	c.advance(in.At)
	switch event := in.Event.(type) {
	case world.Changed:
		deltas, _ := c.store.Apply(event)
		c.changed(deltas)
	case world.Listed:
		deltas, _ := c.store.Replace(event)
		c.changed(deltas)
	case world.Ended:
		if pod, over, deleted := c.removals.Ended(c.now, event); over {
			c.removed(pod, deleted)
		}
	}
	c.advance(in.At)
}

// Heard tells a controller that shares a store what a change of it came to. It must have been told before the change,
// with Apply, that the time had come.
func (c *Controller) Heard(deltas []store.Delta) {
	c.changed(deltas)
	c.advance(c.now)
}

// NextWake is when a timer is due next.
func (c *Controller) NextWake() (first time.Time, runs bool) {
	for _, next := range []func() (time.Time, bool){c.reports.Next, c.timers.Next, c.removals.NextWake} {
		if at, ok := next(); ok && (!runs || at.Before(first)) {
			first, runs = at, true
		}
	}
	return first, runs
}

// Effects hands over what is to be done since the last call.
func (c *Controller) Effects() []world.Effect { return c.removals.Effects() }

// Tally is what was done so far.
func (c *Controller) Tally() evict.Tally { return c.removals.Tally() }

// Fork is a copy that goes its own way and writes on another board, which should be a fork of this one's.
func (c *Controller) Fork(board *evict.Board) *Controller { return c.ForkOn(c.store.Fork(), board) }

// ForkOn is Fork for a controller that shares a store, which was forked as well.
func (c *Controller) ForkOn(store *store.Store, board *evict.Board) *Controller {
	f := *c
	f.board, f.options.Board = board, board
	f.store, f.options.Store, f.pools = store, store, c.pools.clone()
	f.claims, f.duties, f.asked = maps.Clone(c.claims), maps.Clone(c.duties), maps.Clone(c.asked)
	f.evicted, f.statuses, f.wanted = maps.Clone(c.evicted), maps.Clone(c.statuses), slices.Clone(c.wanted)
	f.timers, f.reports, f.removals = c.timers.Clone(), c.reports.Clone(), c.removals.Clone()
	return &f
}

// advance lets time pass: every timer goes off when it is due, in order; of one moment's, reports come first, so that
// they still count the pods. Time never runs backwards.
func (c *Controller) advance(to time.Time) {
	for _, rule := range c.fresh {
		c.report(rule)
	}
	c.fresh = c.fresh[:0]
	for {
		at, ok := c.NextWake()
		if !ok || at.After(to) {
			break
		}
		c.now = later(c.now, at)
		if rule, _, ok := c.reports.Pop(c.now); ok {
			c.report(rule)
		} else if uid, _, ok := c.timers.Pop(c.now); ok {
			c.fire(uid)
		} else if ref, ok := c.removals.Due(c.now); ok {
			c.removals.Try(c.now, c.store.Pod(ref.Namespace, ref.Name))
		}
	}
	c.now = later(c.now, to)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
