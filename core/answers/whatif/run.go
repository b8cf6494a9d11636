package whatif

import (
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict"
	"orrery/core/evict/device"
	"orrery/core/evict/taint"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/gangs"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// run is a fork of an engine in a simulated cluster.
type run struct {
	options Options
	base    *engine.Engine // the engine at the start; read-only

	engine      *engine.Engine
	cluster     *memory.Cluster
	bridge      bridge
	taints      *taint.Controller  // nil until a node has a NoExecute taint
	devices     *device.Controller // nil unless device taints evict
	drains      []*drain
	recreations *recreations
	slots       *slotTracker

	start, now time.Time
	lastChange time.Time // when something last changed
	changes    int       // number of changes applied
	decisions  uint64
	truncated  bool
	patient    bool // it goes on while a controller tries in vain what was refused, until a bound
	notes      []string
	unknown    []string // extenders that were not asked

	latestByPod map[types.UID]*engine.Decision // built at rest
	held        map[types.UID]string           // built at rest
}

// clusterSeed is that of the simulated cluster. It is always the same, so that the same question has the same answer, whatever happened
// before it was asked.
const clusterSeed = 0x9d5c1f0b7e3a6824

// begin forks an engine, makes a simulated cluster for the fork, and finishes its pending effects.
func begin(e *engine.Engine, o Options) (*run, error) {
	fork, err := e.Fork()
	if err != nil {
		return nil, err
	}
	c, owners, err := buildCluster(fork, clusterSeed, o.Beside)
	if err != nil {
		return nil, err
	}
	r := &run{
		options: o, base: e, engine: fork, cluster: c, bridge: bridge{c}, start: c.Now(), now: c.Now(), lastChange: c.Now(),
		slots: newSlotTracker(e), recreations: newRecreations(owners), patient: true,
	}
	r.noteTemplates(owners.unknown)
	r.noteProvisioners()
	r.startTaintsIfNeeded()
	r.startDeviceTaints()
	r.finishPending()
	return r, nil
}

// fork copies the run. The run must not have drains yet.
func (r *run) fork() (*run, error) {
	e, err := r.engine.Fork()
	if err != nil {
		return nil, err
	}
	f := *r
	f.engine, f.cluster = e, r.cluster.Fork()
	f.bridge = bridge{f.cluster}
	f.slots, f.recreations = r.slots.fork(), r.recreations.fork()
	if r.taints != nil {
		f.taints = r.taints.Fork(evict.NewRecord())
	}
	f.startDeviceTaints()
	return &f, nil
}

// toRest advances time until nothing more would happen or a bound is reached. It goes from event to event, so that the time at rest is
// that of the last one, and something else may follow.
func (r *run) toRest() {
	v := drive.Virtual{World: runWorld{r}, Controllers: r.controllers(), Stop: func() bool { return r.truncated }}
	until := r.start.Add(r.options.MaxTime)
	for at, due := r.cluster.Now(), true; due; at, due = r.next() {
		if !r.patient && at.Sub(r.lastChange) > maxQuiet {
			return
		}
		if r.truncated = r.truncated || at.After(until); r.truncated {
			return
		}
		v.Run(at)
	}
}

// toRestNow lets everything happen that happens at this instant.
func (r *run) toRestNow() {
	v := drive.Virtual{World: runWorld{r}, Controllers: r.controllers(), Stop: func() bool { return r.truncated }}
	v.Run(r.cluster.Now())
}

// controllers returns the controllers of the run, in order.
func (r *run) controllers() []drive.Controller {
	scheduler := drive.NewScheduler(boundedEngine{r.engine, r}, drive.OnInput(r.observe))
	return []drive.Controller{scheduler, optional[*taint.Controller]{&r.taints}, optional[*device.Controller]{&r.devices}, nodeDrains{r}, owners{r}}
}

// next returns the time of the next event; false if the run is at rest.
func (r *run) next() (time.Time, bool) {
	return drive.Earliest(r.nextOfOthers, boundedEngine{r.engine, r}.NextWake)
}

// nextOfOthers is next without the scheduler.
func (r *run) nextOfOthers() (time.Time, bool) {
	taints, devices := optional[*taint.Controller]{&r.taints}, optional[*device.Controller]{&r.devices}
	return drive.Earliest(r.cluster.NextAt, taints.NextWake, devices.NextWake, nodeDrains{r}.NextWake)
}

// runWorld is the simulated cluster. It advances the run's time.
type runWorld struct{ *run }

func (w runWorld) Do(e world.Effect) { w.bridge.Do(e) }

func (w runWorld) Next(until time.Time) (world.Input, bool) {
	in, ok := w.bridge.Next(until)
	if ok {
		w.advance(in.At)
	}
	return in, ok
}

func (r *run) advance(to time.Time) {
	if to.After(r.now) {
		r.now = to
	}
}

// observe advances the time and counts changes. It ignores the engine's errors: a real driver leaves out refused inputs
// too.
func (r *run) observe(in world.Input, _ error) {
	r.advance(in.At)
	if _, ok := in.Event.(world.Changed); ok {
		r.changes++
		r.lastChange = r.now
	}
}

// maxPermitWait is how long pods that wait on Permit, or for a claim that is never bound, keep the run from its rest: for the deadlines of
// those that waited at the start, and for a second attempt. A gang that does not fit tries again and again.
const maxPermitWait = 2 * gangs.Timeout

// maxQuiet is how long nothing has to change until a run that is not patient is at rest, whatever is tried again: longer than a pod waits on
// Permit. A controller whose pods a quota refuses tries for ever.
//
//orrery:limit answers; virtual time in which nothing changes in a fit or a consolidation; it is at rest then
const maxQuiet = maxPermitWait + time.Minute

// boundedEngine stops deciding at the run's bound. Its timers count only for pods in back-off or with a binding in
// flight, or while another controller has work: the engine retries unschedulable pods every few minutes forever.
// It wakes with the cluster, too, since the cluster's work may bring no input and still be what the timers counted for.
type boundedEngine struct {
	*engine.Engine
	run *run
}

func (e boundedEngine) Step() (*engine.Decision, bool) {
	if e.run.decisions >= uint64(e.run.options.MaxDecisions) {
		e.run.truncated = true
		return nil, false
	}
	d, more := e.Engine.Step()
	if more {
		e.run.decisions++
		e.run.noteUnknown(d.Unknown)
	}
	return d, more
}

// noteUnknown notes extenders that were not asked, each once.
func (r *run) noteUnknown(extenders []string) {
	for _, name := range extenders {
		if !slices.Contains(r.unknown, name) {
			r.unknown = append(slices.Clip(r.unknown), name)
		}
	}
}

func (e boundedEngine) NextWake() (time.Time, bool) {
	r := e.run
	_, others := r.nextOfOthers()
	bindings := e.BindingCount()
	if bindings > 0 && r.now.Sub(r.start) >= maxPermitWait {
		bindings -= e.WaitingCount() + len(heldBindings(e.Engine))
	}
	if !others && e.Queue().Counts().Backoff == 0 && bindings == 0 {
		return time.Time{}, false
	}
	return drive.Earliest(e.Engine.NextWake, r.cluster.NextAt)
}

// optional is a controller of the run that may start late or never. It does nothing before.
type optional[C interface {
	comparable
	drive.Controller
}] struct{ at *C }

func (o optional[C]) Apply(in world.Input) {
	if o.started() {
		(*o.at).Apply(in)
	}
}

func (o optional[C]) Effects() []world.Effect {
	if !o.started() {
		return nil
	}
	return (*o.at).Effects()
}

func (o optional[C]) NextWake() (time.Time, bool) {
	if !o.started() {
		return time.Time{}, false
	}
	return (*o.at).NextWake()
}

func (o optional[C]) started() bool {
	var none C
	return *o.at != none
}

// nodeDrains are the drains of a run. They call the API server themselves.
type nodeDrains struct{ *run }

func (n nodeDrains) Apply(in world.Input) {
	for _, d := range n.drains {
		d.machine.Apply(in)
	}
}

func (n nodeDrains) Effects() []world.Effect {
	for _, d := range n.drains {
		d.evict(n.run)
	}
	return nil
}

func (n nodeDrains) NextWake() (first time.Time, due bool) {
	for _, d := range n.drains {
		if at, ok := d.machine.NextWake(); ok && d.hasNews(n.changes) && (!due || at.Before(first)) {
			first, due = at, true
		}
	}
	return first, due
}

// owners updates the slots, recreates pods for their owners, and starts taint eviction at the first NoExecute taint.
type owners struct{ *run }

func (o owners) Apply(in world.Input) {
	changed, ok := in.Event.(world.Changed)
	if !ok {
		return
	}
	switch object := changed.Object.(type) {
	case *v1.Pod:
		o.slots.podChanged(changed.Op, object)
		o.recreations.podChanged(o.run, changed.Op, object)
	case *v1.Node:
		if o.taints == nil && changed.Op != world.Deleted && hasNoExecute(object) {
			o.startTaints()
		}
	}
}

func (owners) Effects() []world.Effect     { return nil }
func (owners) NextWake() (time.Time, bool) { return time.Time{}, false }

// startTaintsIfNeeded starts taint eviction if a node has a NoExecute taint.
func (r *run) startTaintsIfNeeded() {
	for node := range objects[*v1.Node](r.engine.Store(), world.Node) {
		if hasNoExecute(node) {
			r.startTaints()
			return
		}
	}
}

func hasNoExecute(node *v1.Node) bool {
	for i := range node.Spec.Taints {
		if node.Spec.Taints[i].Effect == v1.TaintEffectNoExecute {
			return true
		}
	}
	return false
}

// comparisons reports whether tolerations may compare numbers.
func comparisons(e *engine.Engine) bool {
	return e.Features().Enabled(config.TaintTolerationComparisonOperators)
}

// startTaints makes the taint eviction controller and applies all nodes and pods to it. Tolerations count from now:
// only the real controller knows how long a pod has tolerated a taint.
func (r *run) startTaints() {
	r.taints = taint.New(taint.Options{Act: true, FirstEffect: 1, ComparisonOperators: comparisons(r.engine)})
	r.list(r.taints, world.Node, world.Pod)
}

// startDeviceTaints makes the controller of device taints, if there is one in a cluster with the scheduler's gates. All that it
// knows follows from the objects.
func (r *run) startDeviceTaints() {
	if r.engine.Features().Enabled(config.DRADeviceTaints) {
		r.devices = device.New(device.Options{Act: true, FirstEffect: 1})
		r.list(r.devices, device.Kinds()...)
	}
}

// list applies all objects of some kinds to a controller.
func (r *run) list(to drive.Controller, kinds ...world.Kind) {
	for _, kind := range kinds {
		list := world.Listed{Kind: kind}
		for o := range r.engine.Store().Objects(kind) {
			list.Objects = append(list.Objects, o)
		}
		to.Apply(world.Input{At: r.now, Event: list})
	}
}
