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
)

// Options say how a cluster behaves. The zero value is a cluster without any delay or fault.
type Options struct {
	// Start is the virtual time at which the cluster comes into being; 2026-01-01 UTC if zero.
	Start time.Time
	// Seed decides every name, UID, latency and fault.
	Seed    uint64
	Latency Latency
	Faults  Faults
	// Kinds are the kinds the scheduler watches; nil means every kind.
	Kinds []world.Kind
	// PodLife says what becomes of a pod on its node. It must depend on the pod alone. Nil means DefaultLife.
	PodLife func(*v1.Pod) Life
	// Heartbeat is how often every kubelet writes the time of its last heartbeat into its node's conditions; never if
	// zero. That a node has gone silent is noticed either way.
	Heartbeat time.Duration
	// Budgets are the rules of disruption budgets; without them nobody keeps budgets, and an eviction is a deletion.
	Budgets Budgets
	// Pressure is what kubelets do when their nodes run out of something; without it nothing runs out. What is used is said
	// with Use.
	Pressure Pressure
	// Pace decides when nodes in trouble get their NoExecute taints; without it they get them at once.
	Pace Pacer
}

// Latency is how long things take.
type Latency struct {
	// Request is the way of a call from the scheduler to the API server, Response the way of its outcome back.
	Request, Response Delay
	// Watch is the time from a change to the scheduler's being told of it.
	Watch Delay
	// Kubelet is the time from a change to the kubelet's acting on it, Controller the same for controllers.
	Kubelet, Controller Delay
	// Plugin is how long a call of a plugin's own takes.
	Plugin Delay
}

// TypicalLatency is that of a healthy cluster of middling size.
func TypicalLatency() Latency {
	return Latency{
		Request:    Delay{2 * time.Millisecond, 6 * time.Millisecond},
		Response:   Delay{time.Millisecond, 2 * time.Millisecond},
		Watch:      Delay{2 * time.Millisecond, 10 * time.Millisecond},
		Kubelet:    Delay{500 * time.Millisecond, 1500 * time.Millisecond},
		Controller: Delay{10 * time.Millisecond, 40 * time.Millisecond},
		Plugin:     Delay{5 * time.Millisecond, 20 * time.Millisecond},
	}
}

// Cluster is a simulated cluster. It is not safe for use by two goroutines at once; two forks are.
type Cluster struct {
	options Options
	now     time.Time
	seq     uint64
	agenda  agenda

	latency, faults, names chance

	version uint64
	objects map[world.Kind]map[types.NamespacedName]world.Object

	nodes    map[string]*nodeState
	pods     map[types.UID]podState
	families map[types.UID]*family
	due      map[errand]time.Time

	streams  map[world.Kind]*stream
	downTill time.Time
	slowTill time.Time
	slowBy   Delay
	scripted map[Call][]Mishap
	inflight map[types.UID]time.Time

	pacer   Pacer
	pacedAt time.Time // the pacer's next moment on the agenda

	pressure  Pressure
	pressedAt time.Time // the kubelets' next moment on the agenda

	history history
	digest  digest
}

var _ world.World = (*Cluster)(nil)

// New is a cluster with the namespaces and priority classes that every cluster has, and nothing else. What is created
// before the first call of Next reaches the scheduler within the first lists; later changes follow one by one.
func New(o Options) *Cluster {
	if o.Start.IsZero() {
		o.Start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	if o.Kinds == nil {
		o.Kinds = world.Kinds()
	}
	if o.PodLife == nil {
		o.PodLife = DefaultLife
	}
	c := &Cluster{
		options:  o,
		now:      o.Start.UTC(),
		latency:  newChance(o.Seed, latencyStream),
		faults:   newChance(o.Seed, faultStream),
		names:    newChance(o.Seed, nameStream),
		objects:  make(map[world.Kind]map[types.NamespacedName]world.Object, len(shapes)),
		nodes:    map[string]*nodeState{},
		pods:     map[types.UID]podState{},
		families: map[types.UID]*family{},
		due:      map[errand]time.Time{},
		streams:  make(map[world.Kind]*stream, len(o.Kinds)),
		scripted: map[Call][]Mishap{},
		inflight: map[types.UID]time.Time{},
		pacer:    o.Pace,
		pressure: o.Pressure,
		history:  newHistory(),
		digest:   startDigest,
	}
	for kind := range shapes {
		c.objects[kind] = map[types.NamespacedName]world.Object{}
	}
	for _, kind := range o.Kinds {
		c.streams[kind] = &stream{}
	}
	c.foundCluster()
	c.relist(c.now, c.watched()...)
	return c
}

// watched are the kinds the scheduler watches, in the order of a first list.
func (c *Cluster) watched() []world.Kind {
	return slices.DeleteFunc(world.Kinds(), func(k world.Kind) bool { return c.streams[k] == nil })
}

// Now is the virtual time.
func (c *Cluster) Now() time.Time { return c.now }

// stamp is now, as the API server writes it into objects: whole seconds.
func (c *Cluster) stamp() metav1.Time { return metav1.Time{Time: c.now.Truncate(time.Second)} }

// NextAt is when the next thing happens in the cluster; ok is false if it is at rest for good. Not everything that
// happens makes an input.
func (c *Cluster) NextAt() (at time.Time, ok bool) {
	if len(c.agenda) == 0 {
		return time.Time{}, false
	}
	return c.agenda[0].at, true
}

// Next lets time pass until there is an input for the scheduler, but not beyond until. If there is none, it is until.
func (c *Cluster) Next(until time.Time) (world.Input, bool) {
	for len(c.agenda) > 0 && !c.agenda[0].at.After(until) {
		e := c.agenda.pop()
		c.now = e.at
		if d, ok := e.what.(delivery); ok {
			in := world.Input{At: c.now, Event: d.event}
			c.digest.input(in)
			return in, true
		}
		if c.mustWait(e.what) {
			c.schedule(c.downTill, e.what)
			continue
		}
		e.what.happen(c)
	}
	if until.After(c.now) {
		c.now = until
	}
	return world.Input{}, false
}

// Advance lets time pass and collects what the scheduler would have been told: for scripts without a scheduler.
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

// script is an action of a scenario that is still to come.
type script struct{ act func(*Cluster) }

func (s script) happen(c *Cluster) { s.act(c) }

// At has act called when the time has come; a time in the past is now. After a fork each of the two clusters calls it
// for itself, so it must use the cluster it is given, and change nothing else. It must not call Next or Advance.
func (c *Cluster) At(t time.Time, act func(*Cluster)) { c.schedule(t, script{act}) }

// After is At, counted from now.
func (c *Cluster) After(d time.Duration, act func(*Cluster)) { c.At(c.now.Add(d), act) }

// withoutCall is something that is going to happen in a fork: of a plugin's call, that it fails.
func withoutCall(h happening) happening {
	a, ok := h.(arrival)
	if !ok {
		return h
	}
	run, ok := a.effect.Act.(world.Run)
	if !ok || run.Call == nil {
		return h
	}
	run.Call = func(context.Context) *fwk.Status {
		return fwk.NewStatus(fwk.Error, fmt.Sprintf("plugin %s was not called: its call was under way when the cluster was forked, and is the original's", run.Plugin))
	}
	a.effect.Act = run
	return a
}

// delivery is an event on its way to the scheduler.
type delivery struct{ event world.Event }

// happen does nothing: Next hands deliveries out.
func (delivery) happen(*Cluster) {}

// Fork is a second cluster in the same state, with the same future: the same pending events and the same chances. The
// two share objects, which never change, and go separate ways from here. A plugin that is to be called by either is called
// by the original alone, as it is the plugin of the original's scheduler: in the fork the call ends with an error that
// says so.
func (c *Cluster) Fork() *Cluster {
	f := *c
	f.agenda = slices.Clone(c.agenda)
	for i := range f.agenda {
		f.agenda[i].what = withoutCall(f.agenda[i].what)
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
	f.families = make(map[types.UID]*family, len(c.families))
	for owner, all := range c.families {
		f.families[owner] = all.clone()
	}
	f.due = maps.Clone(c.due)
	f.streams = make(map[world.Kind]*stream, len(c.streams))
	for kind, s := range c.streams {
		other := *s
		f.streams[kind] = &other
	}
	f.scripted = make(map[Call][]Mishap, len(c.scripted))
	for call, mishaps := range c.scripted {
		f.scripted[call] = slices.Clone(mishaps)
	}
	f.inflight = maps.Clone(c.inflight)
	f.history = c.history.clone()
	if c.pacer != nil {
		f.pacer = c.pacer.Fork()
	}
	if c.pressure != nil {
		f.pressure = c.pressure.Fork()
	}
	return &f
}
