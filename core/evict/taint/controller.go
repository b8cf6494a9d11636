package taint

import (
	"maps"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/store"
	"orrery/core/world"
)

// Name is what the controller calls itself in events.
const Name = "taint-eviction-controller"

// Options are what a controller is made with.
type Options struct {
	// Act has it delete pods. Without it, it only predicts what another one does.
	Act bool
	// First is the number of its first effect; the next ones follow. It must be beyond what others use.
	First world.EffectID
	// Board is where departures are written; nil is a board of its own.
	Board *evict.Board
	// Store, if not nil, is somebody else's who keeps pods and nodes, and tells of every change with Heard.
	Store *store.Store
	// Compare says that the operators Gt and Lt are known: the feature gate TaintTolerationComparisonOperators.
	Compare bool
}

// Controller implements evict.Controller. One goroutine at a time may use it.
type Controller struct {
	options Options
	board   *evict.Board
	now     time.Time
	store   *store.Store

	pods    map[string][]podName // by node, in their order; no list is ever changed, so that forks share them
	tainted map[string][]v1.Taint
	timers  evict.Timers[types.UID]
	counts  map[types.UID]countdown // of each timer that runs

	removals evict.Removals
}

var _ evict.Controller = (*Controller)(nil)

// podName is a pod's name in full.
type podName struct{ namespace, name string }

// countdown is what a timer is for, and when it began.
type countdown struct {
	pod   world.Ref
	began time.Time
	why   string
}

// New is a controller that knows of no object yet.
func New(o Options) *Controller {
	if o.Board == nil {
		o.Board = evict.NewBoard()
	}
	if o.Store == nil {
		o.Store = store.New(world.Pod, world.Node)
	}
	return &Controller{
		options: o, board: o.Board, store: o.Store,
		pods: map[string][]podName{}, tainted: map[string][]v1.Taint{},
		timers: evict.NewTimers[types.UID](), counts: map[types.UID]countdown{},
		removals: evict.NewRemovals(o.First, mark, pauseAfter),
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
		c.removals.Ended(c.now, event)
	}
}

// Heard tells a controller that shares a store what a change of it came to. It must have been told before the change,
// with Apply, that the time had come.
func (c *Controller) Heard(deltas []store.Delta) { c.changed(deltas) }

// NextWake is when a timer is due next.
func (c *Controller) NextWake() (time.Time, bool) {
	timer, runs := c.timers.Next()
	retry, waits := c.removals.NextWake()
	if waits && (!runs || retry.Before(timer)) {
		return retry, true
	}
	return timer, runs
}

// Effects hands over what is to be done since the last call.
func (c *Controller) Effects() []world.Effect { return c.removals.Effects() }

// Tally is what was done so far.
func (c *Controller) Tally() evict.Tally { return c.removals.Tally() }

// Deadline is when a pod's timer goes off, if one runs.
func (c *Controller) Deadline(pod types.UID) (time.Time, bool) { return c.timers.At(pod) }

// Fork is a copy that goes its own way and writes on another board, which should be a fork of this one's.
func (c *Controller) Fork(board *evict.Board) *Controller { return c.ForkOn(c.store.Fork(), board) }

// ForkOn is Fork for a controller that shares a store, which was forked as well.
func (c *Controller) ForkOn(store *store.Store, board *evict.Board) *Controller {
	f := *c
	f.board, f.options.Board = board, board
	f.store, f.options.Store = store, store
	f.pods, f.tainted, f.counts = maps.Clone(c.pods), maps.Clone(c.tainted), maps.Clone(c.counts)
	f.timers, f.removals = c.timers.Clone(), c.removals.Clone()
	return &f
}

// advance lets time pass: every timer goes off when it is due, in order. Time never runs backwards.
func (c *Controller) advance(to time.Time) {
	for {
		due, ok := c.NextWake()
		if !ok || due.After(to) {
			break
		}
		c.now = later(c.now, due)
		if uid, _, ok := c.timers.Pop(c.now); ok {
			count := c.counts[uid]
			delete(c.counts, uid)
			c.leave(c.store.Pod(count.pod.Namespace, count.pod.Name), due, count.why)
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
