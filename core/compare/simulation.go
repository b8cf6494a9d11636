package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/engine"
	"orrery/core/framework"
	"orrery/core/trace/play"
	"orrery/core/world"
)

// simulation plays a workload to a scheduler for whom everything succeeds at once.
type simulation struct {
	engine   *engine.Engine
	workload *workload
	profiles map[string]bool
	fares    map[podKey]*fare // by the UID in the trace
	by       map[podKey]*fare // by the UID at present
	waiting  int
	samples  *samples
	counts   struct{ placements, decisions, preemptions, victims int }
}

// fare is how a pod that came without a node is doing.
type fare struct {
	pod      *v1.Pod // as it was last known, without its node
	came     time.Time
	placed   time.Time // first; zero if never
	first    string    // node
	node     string    // now
	gone     bool
	comeback int
}

const (
	// patience is how long the engine's timers are followed after the last input.
	patience = time.Hour
	// mostWakes bounds how often timers are followed between two inputs: pods that fail with errors are tried for ever.
	mostWakes = 256
	// never is beyond any trace: parked pods are not tried again without a reason.
	never = 100 * 365 * 24 * time.Hour
)

func simulate(w *workload, c Configuration, o Options) (*simulation, error) {
	options, err := play.OptionsOf(w.header)
	if err != nil {
		return nil, err
	}
	options.Config, options.Plugins, options.MaxInUnschedulable = c.Config, o.Plugins, never
	e, err := engine.New(options)
	if err != nil {
		return nil, err
	}
	s := &simulation{
		engine: e, workload: w, profiles: map[string]bool{}, fares: map[podKey]*fare{}, by: map[podKey]*fare{},
		samples: newSamples(w.typical),
	}
	for _, name := range e.Profiles() {
		s.profiles[name] = true
	}
	s.play(c.Name, o)
	return s, nil
}

const progressEvery = 256

// play goes through the inputs, and looks at the nodes at evenly spaced moments.
func (s *simulation) play(name string, o Options) {
	w := s.workload
	taken := 0
	for i, in := range w.inputs {
		for taken < o.Samples && w.moment(taken+1, o.Samples).Before(in.At) && !o.Fill {
			s.wait(w.moment(taken+1, o.Samples))
			s.samples.take(s.engine, s.waiting)
			taken++
		}
		s.wait(in.At)
		s.input(in)
		for o.Fill && taken < len(s.fares)*o.Samples/max(1, w.pods) {
			s.samples.take(s.engine, s.waiting)
			taken++
		}
		if o.Progress != nil && i%progressEvery == 0 {
			o.Progress(name, i, len(w.inputs))
		}
	}
	for ; taken < o.Samples; taken++ {
		s.samples.take(s.engine, s.waiting)
	}
	s.wait(w.end.Add(patience))
}

// moment is the nth of so many moments between the first arrival and the last input.
func (w *workload) moment(n, of int) time.Time {
	return w.start.Add(time.Duration(float64(w.end.Sub(w.start)) * float64(n) / float64(of)))
}

// wait lets the timers go off that pods in back-off or waiting for a permit have, up to a moment.
func (s *simulation) wait(until time.Time) {
	for range mostWakes {
		if s.engine.Queue().Counts().Backoff == 0 && s.engine.BindingCount() == 0 {
			return
		}
		wake, due := s.engine.NextWake()
		if !due || wake.After(until) {
			return
		}
		s.tell(world.Input{At: wake, Event: world.Passed{}})
	}
}

// input plays one input of the workload.
func (s *simulation) input(in world.Input) {
	changed, ok := in.Event.(world.Changed)
	if !ok {
		s.tell(in)
		return
	}
	pod, ok := changed.Object.(*v1.Pod)
	if !ok {
		s.tell(in)
		return
	}
	f := s.fares[pod.UID]
	ours := s.profiles[pod.Spec.SchedulerName] || s.workload.profiles[pod.Spec.SchedulerName]
	if f == nil && ours && changed.Op == world.Added && pod.Spec.NodeName == "" {
		f = &fare{came: in.At}
		s.fares[pod.UID], s.by[pod.UID] = f, f
		s.waiting++
	}
	if f == nil {
		s.tell(in) // somebody else places it, or has long ago
		return
	}
	s.podInput(in.At, changed.Op, pod, f)
}

// podInput plays what happens to a pod that came without a node: it is on the node that this simulation gave it.
func (s *simulation) podInput(at time.Time, op world.Op, pod *v1.Pod, f *fare) {
	p := *pod
	if !s.profiles[p.Spec.SchedulerName] && s.workload.profiles[p.Spec.SchedulerName] {
		p.Spec.SchedulerName = s.engine.Profiles()[0]
	}
	if f.pod != nil {
		p.UID = f.pod.UID // it may have come back under another one
	}
	f.pod = &p
	if f.gone {
		return
	}
	if op == world.Deleted {
		f.gone = true
		if f.node == "" {
			s.waiting--
		}
	}
	s.tell(world.Input{At: at, Event: world.Changed{Op: op, Object: f.onNode()}})
}

// onNode is the pod as the engine should see it.
func (f *fare) onNode() *v1.Pod {
	p := *f.pod
	if p.Spec.NodeName == "" {
		p.Spec.NodeName = f.node
	}
	return &p
}

// tell tells the engine of an input, and of everything that follows from it.
func (s *simulation) tell(in world.Input) {
	inputs := []world.Input{in}
	for len(inputs) > 0 {
		_ = s.engine.Apply(inputs[0]) // what the engine refuses it leaves out, as it did when the trace was recorded
		inputs = inputs[1:]
		for more := true; more; {
			var d *engine.Decision
			if d, more = s.engine.Step(); more {
				s.decided(d)
			}
			for _, effect := range s.engine.Effects() {
				inputs = append(inputs, s.carryOut(in.At, effect)...)
			}
		}
	}
}

func (s *simulation) decided(d *engine.Decision) {
	s.counts.decisions++
	if d.Preemption != nil {
		s.counts.preemptions++
	}
}

// carryOut is what the engine is told of an effect: that it has succeeded, and what has changed by it.
func (s *simulation) carryOut(at time.Time, effect world.Effect) []world.Input {
	if !world.Answered(effect.Act) {
		return nil
	}
	events := []world.Event{world.Ended{Effect: effect.ID}}
	switch act := effect.Act.(type) {
	case world.Bind:
		events = append(events, s.bind(at, act.Pod, act.Node)...)
	case world.Run:
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

func (s *simulation) bind(at time.Time, pod world.Ref, node string) []world.Event {
	f := s.by[pod.UID]
	if f == nil || f.gone || f.node != "" {
		return nil
	}
	f.node = node
	s.counts.placements++
	s.waiting--
	if f.placed.IsZero() {
		f.placed, f.first = at, node
	}
	return []world.Event{world.Changed{Op: world.Modified, Object: f.onNode()}}
}

// evict has a victim leave at once. One with an owner comes back at once.
func (s *simulation) evict(pod world.Ref) []world.Event {
	s.counts.victims++
	f := s.by[pod.UID]
	if f == nil {
		held := s.engine.Store().Pod(pod.Namespace, pod.Name)
		if held == nil || held.UID != pod.UID {
			return nil
		}
		return []world.Event{world.Changed{Op: world.Deleted, Object: held}}
	}
	events := []world.Event{world.Changed{Op: world.Deleted, Object: f.onNode()}}
	delete(s.by, pod.UID)
	if metav1.GetControllerOfNoCopy(f.pod) == nil {
		f.gone = true
		return events
	}
	again := *f.pod
	f.comeback++
	again.UID = podKey(fmt.Sprintf("%s again %d", pod.UID, f.comeback))
	f.pod, f.node = &again, ""
	s.by[again.UID] = f
	s.waiting++
	return append(events, world.Changed{Op: world.Added, Object: f.pod})
}

// places are the first nodes of all pods that had one.
func (s *simulation) places() map[podKey]string {
	all := map[podKey]string{}
	for uid, f := range s.fares {
		if f.first != "" {
			all[uid] = f.first
		}
	}
	return all
}

// sortedPods are pods by namespace, name and UID.
func sortedPods(pods map[podKey]*v1.Pod) []*v1.Pod {
	return slices.SortedFunc(maps.Values(pods), func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
}
