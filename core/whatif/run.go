package whatif

import (
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/engine"
	"orrery/core/evict"
	"orrery/core/evict/taint"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// run is a fork of an engine in a simulated cluster, on its way to rest.
type run struct {
	options Options
	asked   *engine.Engine // as it was when the question was asked; only read

	engine  *engine.Engine
	cluster *memory.Cluster
	bridge  bridge
	taints  *taint.Controller // nil until there is a taint that makes pods leave
	drains  []*drain
	comers  *comeback
	follow  *follower

	began, now time.Time
	changed    time.Time // when something last changed
	inputs     int       // changes told so far
	decisions  uint64
	truncated  bool
	notes      []string

	last map[types.UID]*engine.Decision // about each pod; made at rest
}

// begin forks an engine and gives the fork a cluster of its own, with nothing left under way.
func begin(e *engine.Engine, o Options) (*run, error) {
	fork, err := e.Fork()
	if err != nil {
		return nil, err
	}
	c, stewards, err := clusterOf(fork.Store(), e.Now(), uint64(e.Digest()))
	if err != nil {
		return nil, err
	}
	r := &run{
		options: o, asked: e, engine: fork, cluster: c, bridge: bridge{c}, began: c.Now(), now: c.Now(), changed: c.Now(),
		follow: newFollower(e), comers: newComeback(stewards),
	}
	r.lookForTaints()
	r.settle()
	return r, nil
}

// fork is the same run a second time. It has to be made before there are drains.
func (r *run) fork() (*run, error) {
	e, err := r.engine.Fork()
	if err != nil {
		return nil, err
	}
	f := *r
	f.engine, f.cluster = e, r.cluster.Fork()
	f.bridge = bridge{f.cluster}
	f.follow, f.comers = r.follow.fork(), r.comers.fork()
	if r.taints != nil {
		f.taints = r.taints.Fork(evict.NewBoard())
	}
	return &f, nil
}

// toRest lets time pass until nothing more would happen, or the bounds are reached.
func (r *run) toRest() {
	deadline := r.began.Add(r.options.Within)
	for {
		if r.decide(); r.truncated {
			return
		}
		if in, ok := r.bridge.Next(r.now); ok {
			r.tell(in)
			continue
		}
		at, due := r.next()
		if !due {
			return
		}
		if at.After(deadline) {
			r.truncated = true
			return
		}
		r.passTo(at)
	}
}

// decide has the engine decide until there is nothing to decide, and hands everybody's wishes to the cluster.
func (r *run) decide() {
	for more := true; more; {
		if r.decisions >= uint64(r.options.Decisions) {
			r.truncated = true
			return
		}
		if _, more = r.engine.Step(); more {
			r.decisions++
		}
		r.handOver()
	}
	if r.taints != nil {
		for _, effect := range r.taints.Effects() {
			r.bridge.Do(effect)
		}
	}
	for _, d := range r.drains {
		d.call(r)
	}
}

// next is when something happens next; false is rest. The engine's timers count only where pods are sure to be tried or
// something else goes on: a parked pod is tried again every few minutes for ever.
func (r *run) next() (time.Time, bool) {
	var first time.Time
	due := false
	sooner := func(at time.Time, ok bool) {
		if ok && (!due || at.Before(first)) {
			first, due = at, true
		}
	}
	sooner(r.cluster.NextAt())
	if r.taints != nil {
		sooner(r.taints.NextWake())
	}
	for _, d := range r.drains {
		if d.worthwhile(r.inputs) {
			sooner(d.machine.NextWake())
		}
	}
	if due || r.engine.Queue().Counts().Backoff > 0 || len(r.engine.Bindings()) > 0 {
		sooner(r.engine.NextWake())
	}
	return first, due
}

// passTo lets time pass to a moment, or to the input that comes before it.
func (r *run) passTo(at time.Time) {
	in, ok := r.bridge.Next(at)
	if !ok {
		in = world.Input{At: at, Event: world.Passed{}}
	}
	r.tell(in)
}

// tell tells everybody of an input.
func (r *run) tell(in world.Input) {
	if in.At.After(r.now) {
		r.now = in.At
	}
	changed, isChange := in.Event.(world.Changed)
	if isChange {
		r.inputs++
		r.changed = r.now
	}
	_ = r.engine.Apply(in) // what the engine refuses it leaves out, as it would in earnest
	if r.taints != nil {
		r.taints.Apply(in)
	}
	for _, d := range r.drains {
		d.machine.Apply(in)
	}
	if !isChange {
		return
	}
	switch o := changed.Object.(type) {
	case *v1.Pod:
		r.follow.changed(changed.Op, o)
		r.comers.changed(r, changed.Op, o)
	case *v1.Node:
		if r.taints == nil && changed.Op != world.Deleted && drivesOut(o) {
			r.startTaints()
		}
	}
}

// firstTaintEffect is beyond every number that an engine reaches.
const firstTaintEffect = 1 << 40

// lookForTaints begins to make pods leave tainted nodes, if there are any.
func (r *run) lookForTaints() {
	for node := range objects[*v1.Node](r.engine.Store(), world.Node) {
		if drivesOut(node) {
			r.startTaints()
			return
		}
	}
}

func drivesOut(node *v1.Node) bool {
	for i := range node.Spec.Taints {
		if node.Spec.Taints[i].Effect == v1.TaintEffectNoExecute {
			return true
		}
	}
	return false
}

// startTaints makes the controller that evicts from tainted nodes, and tells it what there is. Tolerations count from
// now: for how long a pod has tolerated a taint already is known to the real controller only.
func (r *run) startTaints() {
	r.taints = taint.New(taint.Options{Act: true, First: firstTaintEffect})
	for _, kind := range []world.Kind{world.Node, world.Pod} {
		list := world.Listed{Kind: kind}
		for o := range r.engine.Store().Objects(kind) {
			list.Objects = append(list.Objects, o)
		}
		r.taints.Apply(world.Input{At: r.now, Event: list})
	}
}
