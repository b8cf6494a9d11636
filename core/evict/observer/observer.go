package observer

import (
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/evict/device"
	"orrery/core/evict/lifecycle"
	"orrery/core/evict/taint"
	"orrery/core/scheduler/store"
	"orrery/core/world"
)

// Options configure an Observer.
type Options struct {
	// Record is where evictions are written; nil is a record of its own.
	Record *evict.Record
	// Acting are the causes whose own controllers write on the same record. They are not predicted here.
	Acting []evict.Cause
	// ComparisonOperators is the feature gate TaintTolerationComparisonOperators: tolerations may use Gt and Lt.
	ComparisonOperators bool
}

// predictor predicts the evictions of one cause from the observer's store.
type predictor interface {
	Apply(in world.Input)
	NextWake() (time.Time, bool)
	ApplyDeltas(deltas []store.Delta)
}

// Observer is driven beside an engine; see package drive. It has no effects. It is not safe for concurrent use.
type Observer struct {
	record *evict.Record
	now    time.Time
	store  *store.Store

	predictors []predictor
	// leavesKills is true if containers that run out of memory are recorded by what kills them.
	leavesKills bool

	// causes are those of the pods whose evictions were seen; terminal are evicted pods that have ended and still exist in
	// the API server.
	causes   map[types.UID]evict.Cause
	terminal map[types.UID]struct{}
	// preemptions are, by preemptor, those whose preemptors were not seen bound since.
	preemptions map[types.UID]preemption
}

// New returns an Observer without objects.
func New(o Options) *Observer {
	if o.Record == nil {
		o.Record = evict.NewRecord()
	}
	c := &Observer{
		record: o.Record, store: store.New(append(device.Kinds(), world.Node, world.PodDisruptionBudget)...),
		causes: map[types.UID]evict.Cause{}, terminal: map[types.UID]struct{}{}, preemptions: map[types.UID]preemption{},
	}
	c.leavesKills = slices.Contains(o.Acting, evict.OutOfMemory)
	if !slices.Contains(o.Acting, evict.Taint) {
		c.predictors = append(c.predictors,
			taint.New(taint.Options{Record: o.Record, Store: c.store, ComparisonOperators: o.ComparisonOperators}),
			lifecycle.New(lifecycle.Options{Predict: true, Record: o.Record, Store: c.store, ComparisonOperators: o.ComparisonOperators}))
	}
	if !slices.Contains(o.Acting, evict.DeviceTaint) {
		c.predictors = append(c.predictors, device.New(device.Options{Record: o.Record, Store: c.store}))
	}
	return c
}

// Record returns the record that the observer writes to.
func (c *Observer) Record() *evict.Record { return c.record }

// Apply takes in an input. An object that the store refuses is left out, as in the engine.
func (c *Observer) Apply(in world.Input) {
	c.advance(in.At)
	switch event := in.Event.(type) {
	case world.Changed:
		deltas, err := c.store.Apply(event)
		if err != nil && len(deltas) == 0 {
			return
		}
		pod, _ := event.Object.(*v1.Pod)
		c.applyDeltas(deltas, func(types.UID) *v1.Pod { return pod })
		switch {
		case pod == nil:
		case event.Op == world.Deleted:
			delete(c.terminal, pod.UID)
		case isTerminal(pod):
			c.recordTerminalPod(pod, event.Op == world.Added)
		}
	case world.Listed:
		deltas, _ := c.store.Replace(event)
		c.applyDeltas(deltas, lastStates(event))
		if event.Kind == world.Pod {
			c.recordTerminalPods(event)
		}
	}
}

// advance runs the predictors' timers up to a time.
func (c *Observer) advance(to time.Time) {
	c.now = to
	for _, p := range c.predictors {
		p.Apply(world.Input{At: to, Event: world.Tick{}})
	}
}

// applyDeltas takes in changes. Last returns the last state of a deleted pod, if the event has it.
func (c *Observer) applyDeltas(deltas []store.Delta, last func(types.UID) *v1.Pod) {
	for _, d := range deltas {
		switch d.Kind {
		case world.Pod:
			before, _ := d.Old.(*v1.Pod)
			if pod, ok := d.New.(*v1.Pod); ok {
				c.podChanged(pod, before)
				continue
			}
			latest := last(before.UID)
			if seen := latest != nil && latest.UID == before.UID; seen {
				c.podDeleted(latest, before, true)
			} else {
				c.podDeleted(before, before, false)
			}
		case world.PodDisruptionBudget:
			c.budgetChanged(d)
		}
	}
	if len(deltas) > 0 {
		for _, p := range c.predictors {
			p.ApplyDeltas(deltas)
		}
	}
}

// budgetChanged takes in a budget. If it selects other pods than before, the budgets of the namespace's evictions are
// looked up again.
func (c *Observer) budgetChanged(d store.Delta) {
	pdb, there := d.New.(*policyv1.PodDisruptionBudget)
	if there && !c.record.SetBudget(pdb) {
		return
	}
	if !there {
		pdb = d.Old.(*policyv1.PodDisruptionBudget)
		c.record.DeleteBudget(pdb.Namespace, pdb.Name)
	}
	for _, e := range c.record.Open() {
		if e.Pod.Namespace != pdb.Namespace {
			continue
		}
		if pod := c.store.Pod(e.Pod.Namespace, e.Pod.Name); pod != nil && pod.UID == e.Pod.UID {
			e.Budget, e.DisruptionsAllowed = c.record.BudgetOf(pod)
			c.record.Write(e)
		}
	}
}

// NextWake returns the time of the next predicted timer.
func (c *Observer) NextWake() (first time.Time, ok bool) {
	for _, p := range c.predictors {
		if at, runs := p.NextWake(); runs && (!ok || at.Before(first)) {
			first, ok = at, true
		}
	}
	return first, ok
}

// Effects is always empty: an observer does not act.
func (c *Observer) Effects() []world.Effect { return nil }

// Fork returns an independent copy with a record of its own.
func (c *Observer) Fork() *Observer {
	f := *c
	f.record, f.store = c.record.Fork(), c.store.Fork()
	f.predictors = make([]predictor, len(c.predictors))
	for i, p := range c.predictors {
		switch p := p.(type) {
		case *taint.Controller:
			f.predictors[i] = p.ForkOn(f.store, f.record)
		case *lifecycle.Controller:
			f.predictors[i] = p.ForkOn(f.store, f.record)
		case *device.Controller:
			f.predictors[i] = p.ForkOn(f.store, f.record)
		}
	}
	f.causes, f.terminal, f.preemptions = maps.Clone(c.causes), maps.Clone(c.terminal), maps.Clone(c.preemptions)
	return &f
}
