package clerk

import (
	"maps"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/evict/device"
	"orrery/core/evict/taint"
	"orrery/core/store"
	"orrery/core/world"
)

// Options are what a clerk is made with.
type Options struct {
	// Board is where departures are written; nil is a board of its own.
	Board *evict.Board
	// Compare says that the operators Gt and Lt of tolerations are known: the feature gate
	// TaintTolerationComparisonOperators.
	Compare bool
}

// Clerk implements evict.Controller, without ever wanting an effect. One goroutine at a time may use it.
type Clerk struct {
	board   *evict.Board
	now     time.Time
	store   *store.Store
	taints  *taint.Controller
	devices *device.Controller

	// marked are the pods that were seen to be leaving, and for what; evicted are those that have ended that way and are
	// still among the API server's objects.
	marked  map[types.UID]evict.Cause
	evicted map[types.UID]struct{}
	// rooms are the preemptions whose preemptors were not seen to have a place since, by the preemptor.
	rooms map[types.UID]room
}

var _ evict.Controller = (*Clerk)(nil)

// New is a clerk that knows of nothing yet.
func New(o Options) *Clerk {
	if o.Board == nil {
		o.Board = evict.NewBoard()
	}
	s := store.New(append(device.Kinds(), world.Node, world.PodDisruptionBudget)...)
	return &Clerk{
		board: o.Board, store: s,
		taints:  taint.New(taint.Options{Board: o.Board, Store: s, Compare: o.Compare}),
		devices: device.New(device.Options{Board: o.Board, Store: s}),
		marked:  map[types.UID]evict.Cause{}, evicted: map[types.UID]struct{}{}, rooms: map[types.UID]room{},
	}
}

// Board is where the clerk writes.
func (c *Clerk) Board() *evict.Board { return c.board }

// Apply tells what happened. An object that the store refuses is left out, as in the engine.
func (c *Clerk) Apply(in world.Input) {
	c.pass(in.At)
	switch event := in.Event.(type) {
	case world.Changed:
		deltas, err := c.store.Apply(event)
		if err != nil {
			return
		}
		pod, _ := event.Object.(*v1.Pod)
		c.heard(deltas, func(types.UID) *v1.Pod { return pod })
		switch {
		case pod == nil:
		case event.Op == world.Deleted:
			delete(c.evicted, pod.UID)
		case ended(pod):
			c.recall(pod, event.Op == world.Added)
		}
	case world.Listed:
		deltas, _ := c.store.Replace(event)
		c.heard(deltas, lastIn(event))
		if event.Kind == world.Pod {
			c.recallAll(event)
		}
	}
}

// pass lets time go by, before anything is changed at that time.
func (c *Clerk) pass(to time.Time) {
	c.now = to
	passed := world.Input{At: to, Event: world.Passed{}}
	c.taints.Apply(passed)
	c.devices.Apply(passed)
	c.devices.Statuses() // whose writing is the acting controller's business
}

// heard takes in what has changed. Last is the last state of a pod that is gone, where the event has one.
func (c *Clerk) heard(deltas []store.Delta, last func(types.UID) *v1.Pod) {
	for _, d := range deltas {
		switch d.Kind {
		case world.Pod:
			before, _ := d.Old.(*v1.Pod)
			if pod, ok := d.New.(*v1.Pod); ok {
				c.podSeen(pod, before)
				continue
			}
			latest := last(before.UID)
			if seen := latest != nil && latest.UID == before.UID; seen {
				c.podGone(latest, before, true)
			} else {
				c.podGone(before, before, false)
			}
		case world.PodDisruptionBudget:
			c.budgetChanged(d)
		}
	}
	if len(deltas) > 0 {
		c.taints.Heard(deltas)
		c.devices.Heard(deltas)
	}
}

// budgetChanged has the board know of a budget. Where it counts other pods than before, so may the budgets of every pod
// of the namespace that is leaving.
func (c *Clerk) budgetChanged(d store.Delta) {
	pdb, there := d.New.(*policyv1.PodDisruptionBudget)
	if there && !c.board.Guard(pdb) {
		return
	}
	if !there {
		pdb = d.Old.(*policyv1.PodDisruptionBudget)
		c.board.Unguard(pdb.Namespace, pdb.Name)
	}
	for _, out := range c.board.Open() {
		if out.Pod.Namespace != pdb.Namespace {
			continue
		}
		if pod := c.store.Pod(out.Pod.Namespace, out.Pod.Name); pod != nil && pod.UID == out.Pod.UID {
			out.Budget, out.Allowed = c.board.Guarding(pod)
			c.board.Write(out)
		}
	}
}

// NextWake is when a predicted timer is due next.
func (c *Clerk) NextWake() (time.Time, bool) {
	first, runs := c.taints.NextWake()
	if at, ok := c.devices.NextWake(); ok && (!runs || at.Before(first)) {
		first, runs = at, true
	}
	return first, runs
}

// Effects is always empty: a clerk only watches.
func (c *Clerk) Effects() []world.Effect { return nil }

// Fork is a copy that goes its own way, with a board of its own.
func (c *Clerk) Fork() *Clerk {
	f := *c
	f.board, f.store = c.board.Fork(), c.store.Fork()
	f.taints, f.devices = c.taints.ForkOn(f.store, f.board), c.devices.ForkOn(f.store, f.board)
	f.marked, f.evicted, f.rooms = maps.Clone(c.marked), maps.Clone(c.evicted), maps.Clone(c.rooms)
	return &f
}
