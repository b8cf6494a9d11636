package soak

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/evict/budget"
	devicetaints "orrery/core/evict/device"
	"orrery/core/evict/lifecycle"
	"orrery/core/evict/pressure"
	taints "orrery/core/evict/taint"
	"orrery/core/process/leader/sim"
	"orrery/core/scheduler/drive"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// Result is how a run ended.
type Result struct {
	Plan Plan
	// Violation is the first one, or nil.
	Violation *Violation
	// Digest is equal for equal runs.
	Digest string
	// Decisions and Inputs are those of all schedulers. Steps counts the steps taken by name, Checks what was checked by invariant, and
	// Reached decisions by their verdict and effects by their kind.
	Decisions, Inputs      uint64
	Steps, Checks, Reached map[string]int
}

// Violation is an invariant that does not hold.
type Violation struct {
	Invariant string
	Detail    string
	// At is the time in the run, and Step the number of steps taken by then.
	At   time.Duration
	Step int
}

func (v *Violation) String() string {
	return fmt.Sprintf("%s, at %v after step %d: %s", v.Invariant, v.At, v.Step, v.Detail)
}

// run is a plan that is carried out. It is the world of its controllers.
type run struct {
	plan     Plan
	start    time.Time
	cluster  *memory.Cluster
	election *sim.Simulation
	leases   *leaseServer
	seen     *watchCache
	replicas []*replica

	next         int // step
	timers       []timer
	apiDownUntil time.Time
	lastNews     time.Time            // when the cluster last changed
	nodes        map[types.UID]string // of the pods that were bound

	violation *Violation
	result    Result
}

// timer is something to do later.
type timer struct {
	at time.Time
	do func()
}

// Run carries out a plan, up to the first violation.
func Run(p Plan) (Result, error) {
	r, err := newRun(p)
	if err != nil {
		return Result{}, err
	}
	v := drive.Virtual{World: r, Stop: func() bool { return r.violation != nil }, Controllers: []drive.Controller{electionTimers{r}, r.seen}} // as many as firstReplica
	for _, one := range r.replicas {
		v.Controllers = append(v.Controllers, one)
	}
	v.Controllers = append(v.Controllers, taints.New(taints.Options{Act: true, FirstEffect: 1}), devicetaints.New(devicetaints.Options{Act: true, FirstEffect: 1}), script{r})
	v.Run(r.start.Add(time.Duration(p.Hours) * time.Hour))
	for _, one := range r.replicas {
		one.end()
	}
	return r.finish(), nil
}

func newRun(p Plan) (*run, error) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r := &run{plan: p, start: start, seen: newWatchCache(), lastNews: start, nodes: map[types.UID]string{}, result: Result{Plan: p, Steps: map[string]int{}, Checks: map[string]int{}, Reached: map[string]int{}}}
	kubelets, err := pressure.NewKubelets(pressure.KubeletsOptions{Configuration: pressure.DefaultConfiguration("linux")})
	if err != nil {
		return nil, fmt.Errorf("setting up the kubelets of a plan: %w", err)
	}
	o := memory.Options{
		Start: start, Seed: p.Seed, Faults: p.randomFaults(), Budgets: budget.Rules{}, PodBehavior: lifeOf, Pressure: kubelets,
		NodeLifecycle: lifecycle.InCluster(lifecycle.Options{Start: start}), Extenders: map[string]memory.Extender{extenderAddress: extender()},
		CutOff: func(id world.EffectID) bool { return r.cutOff(id) },
		Kinds:  slices.DeleteFunc(world.Kinds(), func(k world.Kind) bool { return k == world.Lease || k == world.LeaseCandidate }),
	}
	if p.Latency {
		o.Latency = memory.TypicalLatency()
	} else {
		o.Latency.Controller = memory.Delay{Base: slowController}
	}
	r.cluster = memory.New(o)
	for _, object := range p.setting() {
		if _, err := r.cluster.Create(object); err != nil {
			return nil, fmt.Errorf("setting up the cluster of a plan: %w", err)
		}
	}
	for i, number := range p.Nodes {
		r.equip(fmt.Sprintf("node-%d", i), number)
	}
	if err := r.addReplicas(); err != nil {
		return nil, err
	}
	r.scheduleChecks()
	return r, nil
}

// slowController is how long controllers take where nothing else takes time. In no time at all, a controller could make a pod anew, and a
// preemptor evict it, without end.
const slowController = time.Second

// lifeOf ends the pods that say how long they run, and lets a pod of a Job run for a minute.
func lifeOf(pod *v1.Pod) memory.PodBehavior {
	life := memory.DefaultPodBehavior(pod)
	if text, ok := pod.Labels[runLabel]; ok {
		if d, err := time.ParseDuration(text); err == nil {
			life.Run = d
		}
	}
	return life
}

func (r *run) finish() Result {
	r.result.Violation = r.violation
	hash := fnv.New64a()
	fmt.Fprint(hash, r.cluster.Digest(), r.violation, r.result.Decisions, r.result.Inputs)
	for _, name := range slices.Sorted(maps.Keys(r.result.Steps)) {
		fmt.Fprint(hash, name, r.result.Steps[name])
	}
	r.result.Digest = fmt.Sprintf("%016x", hash.Sum64())
	return r.result
}

// fail records the first violation of an invariant, which ends the run.
func (r *run) fail(invariant, format string, args ...any) {
	if r.violation == nil {
		r.violation = &Violation{Invariant: invariant, Detail: fmt.Sprintf(format, args...), At: r.cluster.Now().Sub(r.start), Step: r.next}
	}
}

// checked counts a check of an invariant.
func (r *run) checked(invariant string) { r.result.Checks[invariant]++ }

// Next implements world.World.
func (r *run) Next(until time.Time) (world.Input, bool) {
	in, ok := r.cluster.Next(until)
	if ok {
		r.lastNews = in.At
	}
	return in, ok
}

// Do implements world.World.
func (r *run) Do(effect world.Effect) { r.cluster.Do(effect) }

// after does something later.
func (r *run) after(d time.Duration, do func()) { r.at(r.cluster.Now().Add(d), do) }

func (r *run) at(at time.Time, do func()) {
	i, _ := slices.BinarySearchFunc(r.timers, at, func(t timer, at time.Time) int { return cmp.Or(t.at.Compare(at), -1) })
	r.timers = slices.Insert(r.timers, i, timer{at, do})
}

// script takes the steps and fires the timers that are due.
type script struct{ *run }

func (s script) Apply(in world.Input) {
	if _, tick := in.Event.(world.Tick); !tick {
		return
	}
	s.election.Run(in.At)
	for s.violation == nil && len(s.timers) > 0 && !s.timers[0].at.After(in.At) {
		do := s.timers[0].do
		s.timers = s.timers[1:]
		do()
	}
	for s.violation == nil && s.next < len(s.plan.Steps) && !s.stepAt(s.next).After(in.At) {
		step := s.plan.Steps[s.next]
		s.next++
		actions[step.Do](s.run, step)
		s.result.Steps[step.Do]++
	}
}

func (s script) Effects() []world.Effect { return nil }

func (s script) NextWake() (at time.Time, ok bool) {
	if s.next < len(s.plan.Steps) {
		at, ok = s.stepAt(s.next), true
	}
	if len(s.timers) > 0 && (!ok || s.timers[0].at.Before(at)) {
		at, ok = s.timers[0].at, true
	}
	return at, ok
}

func (r *run) stepAt(i int) time.Time { return r.start.Add(time.Duration(r.plan.Steps[i].At)) }
