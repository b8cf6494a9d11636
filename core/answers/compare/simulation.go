package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/objects/saturating"
	deviceoutcome "orrery/core/scheduler/devices/outcome"
	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/scheduler/framework"
	"orrery/core/scheduler/volumes/outcome"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// simulation plays a workload to an engine whose effects all succeed at once.
type simulation struct {
	engine   *engine.Engine
	paced    *paced
	workload *workload
	profiles map[string]bool
	outcomes map[podKey]*podOutcome // by the UID in the trace
	byUID    map[podKey]*podOutcome // by the current UID
	pending  int
	samples  *samples
	counts   struct{ placements, decisions, preemptions, victims int }

	now    time.Time     // of the last input
	inputs []world.Input // not applied yet
	wakes  int           // how many timer wakes remain
}

// podOutcome is the outcome of a pod that arrived without a node.
type podOutcome struct {
	pod         *v1.Pod // latest version, without its node
	arrived     time.Time
	firstPlaced time.Time // zero if never
	firstNode   string    // node of the first placement
	node        string    // current node
	gone        bool
	preempted   int // how often it was a victim
	recreations int
}

const (
	// maxWait is how long the engine's timers run after the last input.
	//
	//orrery:limit answers; virtual time after the last input of a comparison; the simulation ends
	maxWait = time.Hour
	// maxWakes bounds the timer wakes between two inputs: pods that fail with errors are retried forever.
	//
	//orrery:limit answers; timers between two inputs of a comparison; time goes on without them
	maxWakes = 256
	// noFlush is longer than any trace: it turns off the retry of pods in unschedulablePods.
	noFlush = 100 * 365 * 24 * time.Hour
)

// draws says how ties between equally good nodes fall.
type draws struct {
	seed uint64 // added to the trace's
	// settled has them fall by the pod and the nodes alone, so that what differs between two simulations is no chance.
	settled bool
}

// simulate simulates a configuration.
func simulate(w *workload, c Configuration, d draws, o Options) (*simulation, error) {
	options, err := play.OptionsOf(w.header)
	if err != nil {
		return nil, err
	}
	options.Config, options.Plugins, options.RequeueRule = c.Config, o.Plugins, c.RequeueRule
	options.Seed += d.seed
	options.PodMaxInUnschedulablePodsDuration = noFlush
	e, err := engine.New(options)
	if err != nil {
		return nil, err
	}
	if d.settled {
		e.SettleTies(options.Seed)
	}
	s := &simulation{
		engine: e, workload: w, profiles: map[string]bool{}, outcomes: map[podKey]*podOutcome{}, byUID: map[podKey]*podOutcome{},
		samples: newSamples(w.typical, o.Prices),
	}
	s.paced = &paced{Scheduler: drive.NewScheduler(limitedEngine{e, s}, s), simulation: s, decision: w.decision}
	for _, name := range e.Profiles() {
		s.profiles[name] = true
	}
	s.play(func(done int) { o.Progress(c.Name, int(d.seed)+1, done, len(w.inputs)) }, o)
	return s, nil
}

const progressEvery = 256

// play plays the inputs and samples the nodes at evenly spaced moments.
func (s *simulation) play(progress func(done int), o Options) {
	w := s.workload
	taken := 0
	for i, in := range w.inputs {
		for taken < o.Samples && w.moment(taken+1, o.Samples).Before(in.At) && !o.Fill {
			s.runTimers(w.moment(taken+1, o.Samples))
			s.samples.take(s.engine, s.pending)
			taken++
		}
		s.runTimers(in.At)
		s.playInput(in)
		for o.Fill && taken < len(s.outcomes)*o.Samples/max(1, w.pods) {
			s.samples.take(s.engine, s.pending)
			taken++
		}
		if i%progressEvery == 0 {
			progress(i)
		}
	}
	for ; taken < o.Samples; taken++ {
		s.samples.take(s.engine, s.pending)
	}
	s.runTimers(w.end.Add(maxWait))
}

// moment returns the nth of the evenly spaced moments between the first arrival and the last input.
func (w *workload) moment(n, of int) time.Time {
	return w.start.Add(time.Duration(saturating.Truncate(float64(w.end.Sub(w.start)) * float64(n) / float64(of))))
}

// runTimers runs the timers of pods in back-off or with a binding in flight, up to a time.
func (s *simulation) runTimers(until time.Time) {
	s.wakes = maxWakes
	s.run(until)
	s.wakes = 0
}

func (s *simulation) run(until time.Time) {
	drive.Run(s, until, s.paced)
}

// limitedEngine has at most as many wakes as the simulation allows.
type limitedEngine struct {
	*engine.Engine
	simulation *simulation
}

func (e limitedEngine) NextWake() (time.Time, bool) {
	if e.simulation.wakes == 0 || e.Queue().Counts().Backoff == 0 && e.BindingCount() == 0 {
		return time.Time{}, false
	}
	return e.Engine.NextWake()
}

// Next returns the next queued input, whatever its time.
func (s *simulation) Next(until time.Time) (world.Input, bool) {
	if len(s.inputs) == 0 {
		s.now = until
		return world.Input{}, false
	}
	in := s.inputs[0]
	s.inputs, s.now = s.inputs[1:], in.At
	return in, true
}

// Do queues the outcome of an effect that succeeds at once.
func (s *simulation) Do(effect world.Effect) {
	s.inputs = append(s.inputs, s.outcomeInputs(s.now, effect)...)
}

// Applied does nothing.
func (s *simulation) Applied(world.Input, error) {}

// Stepped counts decisions.
func (s *simulation) Stepped(d *engine.Decision) {
	if d == nil {
		return
	}
	s.counts.decisions++
	if d.Preemption != nil {
		s.counts.preemptions++
	}
}

// Emitted does nothing.
func (s *simulation) Emitted(world.Effect) {}

// playInput plays one input of the workload.
func (s *simulation) playInput(in world.Input) {
	changed, ok := in.Event.(world.Changed)
	if !ok {
		s.apply(in)
		return
	}
	pod, ok := changed.Object.(*v1.Pod)
	if !ok {
		s.apply(in)
		return
	}
	f := s.outcomes[pod.UID]
	ours := s.profiles[pod.Spec.SchedulerName] || s.workload.profiles[pod.Spec.SchedulerName]
	if f == nil && ours && changed.Op == world.Added && pod.Spec.NodeName == "" {
		f = &podOutcome{arrived: in.At}
		s.outcomes[pod.UID], s.byUID[pod.UID] = f, f
		s.pending++
	}
	if f == nil {
		s.apply(in) // another scheduler places it, or it has a node already
		return
	}
	s.playPod(in.At, changed.Op, pod, f)
}

// playPod plays a change of a pod that arrived without a node; the simulation sets the pod's node.
func (s *simulation) playPod(at time.Time, op world.Op, pod *v1.Pod, f *podOutcome) {
	p := *pod
	if !s.profiles[p.Spec.SchedulerName] && s.workload.profiles[p.Spec.SchedulerName] {
		p.Spec.SchedulerName = s.engine.Profiles()[0]
	}
	if f.pod != nil {
		p.UID = f.pod.UID // a recreated pod has another one, and claims of its own
	}
	if f.recreations > 0 {
		p.Status.ResourceClaimStatuses = f.pod.Status.ResourceClaimStatuses
	}
	f.pod = &p
	if f.gone {
		return
	}
	if op == world.Deleted {
		f.gone = true
		if f.node == "" {
			s.pending--
		}
	}
	s.apply(world.Input{At: at, Event: world.Changed{Op: op, Object: f.onNode()}})
	if op == world.Deleted {
		for _, event := range s.release(f.pod) {
			s.apply(world.Input{At: at, Event: event})
		}
	}
}

// onNode returns the pod with its node of the simulation.
func (f *podOutcome) onNode() *v1.Pod {
	p := *f.pod
	if p.Spec.NodeName == "" {
		p.Spec.NodeName = f.node
	}
	return &p
}

// apply applies an input and all inputs that follow from it. It ignores the engine's errors, as the recording did.
func (s *simulation) apply(in world.Input) {
	s.inputs = append(s.inputs, in)
	s.run(in.At)
}

// outcomeInputs returns the outcome of an effect that succeeds and the object changes that follow from it.
func (s *simulation) outcomeInputs(at time.Time, effect world.Effect) []world.Input {
	if !world.HasOutcome(effect.Action) {
		return nil
	}
	// Claims for devices change before the write is answered: the next write, made at the answer, may be of the same claim.
	events := append(deviceoutcome.Of(effect.Action, s.engine.Store()), world.EffectDone{Effect: effect.ID})
	events = append(events, outcome.Of(effect.Action, s.engine.Store())...)
	switch act := effect.Action.(type) {
	case world.Bind:
		events = append(events, s.bind(at, act.Pod, act.Node)...)
	case world.RunPlugin:
		if act.Point == string(framework.Bind) {
			events = append(events, s.bind(at, act.Pod, act.Node)...)
		}
	case world.Delete:
		events = append(events, s.evict(act.Pod)...)
	}
	inputs := make([]world.Input, len(events))
	for i, event := range events {
		inputs[i] = world.Input{At: at, Event: event}
	}
	return inputs
}

func (s *simulation) bind(at time.Time, pod world.PodRef, node string) []world.Event {
	f := s.byUID[pod.UID]
	if f == nil || f.gone || f.node != "" {
		return nil
	}
	f.node = node
	s.counts.placements++
	s.pending--
	if f.firstPlaced.IsZero() {
		f.firstPlaced, f.firstNode = at, node
	}
	return []world.Event{world.Changed{Op: world.Modified, Object: f.onNode()}}
}

// evict deletes a victim at once, and recreates it if it has an owner.
func (s *simulation) evict(pod world.PodRef) []world.Event {
	s.counts.victims++
	f := s.byUID[pod.UID]
	if f == nil {
		held := s.engine.Store().Pod(pod.Namespace, pod.Name)
		if held == nil || held.UID != pod.UID {
			return nil
		}
		return append([]world.Event{world.Changed{Op: world.Deleted, Object: held}}, s.release(held)...)
	}
	f.preempted++
	events := append([]world.Event{world.Changed{Op: world.Deleted, Object: f.onNode()}}, s.release(f.pod)...)
	delete(s.byUID, pod.UID)
	if metav1.GetControllerOfNoCopy(f.pod) == nil {
		f.gone = true
		return events
	}
	again := *f.pod
	f.recreations++
	again.UID = podKey(fmt.Sprintf("%s again %d", pod.UID, f.recreations))
	f.pod, f.node = &again, ""
	s.byUID[again.UID] = f
	s.pending++
	events = append(events, s.claimAgain(&again, f.recreations)...)
	return append(events, world.Changed{Op: world.Added, Object: f.pod})
}

// firstNodes returns the first nodes of all pods that were placed.
func (s *simulation) firstNodes() map[podKey]string {
	all := map[podKey]string{}
	for uid, f := range s.outcomes {
		if f.firstNode != "" {
			all[uid] = f.firstNode
		}
	}
	return all
}

// sortedPods returns pods by namespace, name and UID.
func sortedPods(pods map[podKey]*v1.Pod) []*v1.Pod {
	return slices.SortedFunc(maps.Values(pods), func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
}
