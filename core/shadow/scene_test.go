package shadow_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/config"
	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/shadow"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// scene is a cluster with a scheduler and a shadow. Each of the two sees changes with a delay of its own, so that
// either may be ahead of the other.
type scene struct {
	t       testing.TB
	cluster *memory.Cluster
	real    *engine.Engine
	shadow  *shadow.Shadow
	chance  *rand.Rand

	// delay is the maximum delay of a change.
	delay           time.Duration
	toReal, toShade lane
	idle            time.Time // until when the real scheduler is still at work on its last decision
	pace            time.Duration
}

// lane holds the changes that one of the two has not seen yet. The changes of one kind stay in order.
type lane struct {
	inputs []world.Input
	last   map[world.Kind]time.Time
}

func (l *lane) send(in world.Input, kind world.Kind, late time.Duration) {
	at := in.At.Add(late)
	if at.Before(l.last[kind]) {
		at = l.last[kind]
	}
	l.last[kind] = at
	i := len(l.inputs)
	for i > 0 && l.inputs[i-1].At.After(at) {
		i--
	}
	l.inputs = append(l.inputs, world.Input{})
	copy(l.inputs[i+1:], l.inputs[i:])
	l.inputs[i] = world.Input{At: at, Event: in.Event}
}

func (l *lane) due(at time.Time) (world.Input, bool) {
	if len(l.inputs) == 0 || l.inputs[0].At.After(at) {
		return world.Input{}, false
	}
	in := l.inputs[0]
	l.inputs = l.inputs[1:]
	return in, true
}

// options change a scene.
type options struct {
	seed  uint64
	real  *config.Configuration
	ours  *config.Configuration
	delay time.Duration
	// pace is the real scheduler's time per decision.
	pace time.Duration
}

func newScene(t testing.TB, o options) *scene {
	t.Helper()
	latency := memory.TypicalLatency()
	latency.Watch = memory.Delay{}
	s := &scene{
		t: t, chance: rand.New(rand.NewPCG(o.seed, 7)), delay: o.delay, pace: o.pace, idle: start,
		cluster: memory.New(memory.Options{Start: start, Seed: o.seed, Latency: latency}),
		toReal:  lane{last: map[world.Kind]time.Time{}}, toShade: lane{last: map[world.Kind]time.Time{}},
	}
	var err error
	if s.real, err = engine.New(engine.Options{Config: o.real, Seed: o.seed + 100, TieBreak: engine.ByHeap, Start: start}); err != nil {
		t.Fatal(err)
	}
	if s.shadow, err = shadow.New(shadow.Options{Engine: engine.Options{Config: o.ours, Seed: o.seed, Start: start}}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *scene) create(o world.Object) {
	if _, err := s.cluster.Create(o); err != nil {
		s.t.Fatalf("creating %s: %v", o.GetName(), err)
	}
}

func (s *scene) late() time.Duration {
	if s.delay == 0 {
		return 0
	}
	return time.Duration(s.chance.Int64N(int64(s.delay)))
}

// run advances time to a moment.
func (s *scene) run(until time.Time) {
	for {
		now := s.cluster.Now()
		s.schedule(now)
		for more := true; more; {
			_, more = s.shadow.Step()
		}
		wake := s.wake(until)
		in, ok := s.cluster.Next(wake)
		now = wake
		if ok {
			now = in.At
			kind := kindOf(in.Event)
			if _, ended := in.Event.(world.EffectDone); ended {
				s.tell(in)
			} else {
				s.toReal.send(in, kind, s.late())
				s.toShade.send(in, kind, s.late())
			}
		}
		for in, due := s.toReal.due(now); due; in, due = s.toReal.due(now) {
			s.tell(in)
		}
		_ = s.real.Apply(world.Input{At: now, Event: world.Tick{}})
		for in, due := s.toShade.due(now); due; in, due = s.toShade.due(now) {
			if err := s.shadow.Apply(in); err != nil {
				s.t.Errorf("the shadow refused an input: %v", err)
			}
		}
		_ = s.shadow.Apply(world.Input{At: now, Event: world.Tick{}})
		if !ok && !wake.Before(until) {
			return
		}
	}
}

func (s *scene) tell(in world.Input) {
	if err := s.real.Apply(in); err != nil {
		s.t.Errorf("the real scheduler refused an input: %v", err)
	}
}

// schedule makes the real scheduler's decisions, as fast as it can.
func (s *scene) schedule(now time.Time) {
	for more := true; more && !s.idle.After(now); {
		if _, more = s.real.Step(); more {
			s.idle = now.Add(s.pace)
		}
		for _, effect := range s.real.Effects() {
			s.cluster.Do(effect)
		}
	}
}

func (s *scene) wake(until time.Time) time.Time {
	first := until
	sooner := func(at time.Time, ok bool) {
		if ok && at.Before(first) {
			first = at
		}
	}
	sooner(s.real.NextWake())
	sooner(s.shadow.NextWake())
	for _, l := range []*lane{&s.toReal, &s.toShade} {
		if len(l.inputs) > 0 {
			sooner(l.inputs[0].At, true)
		}
	}
	sooner(s.idle, s.idle.After(s.cluster.Now()))
	return first
}

func kindOf(event world.Event) world.Kind {
	switch e := event.(type) {
	case world.Changed:
		return world.KindOf(e.Object)
	case world.Listed:
		return e.Kind
	}
	return ""
}

// nodes creates nodes in three zones; every tenth is tainted.
func (s *scene) nodes(n int) {
	for i := range n {
		node := mk.Node(fmt.Sprintf("node-%02d", i)).CPU([]string{"8", "16"}[i%2]).Memory("32Gi").Zone([]string{"east", "west", "north"}[i%3])
		if i%10 == 9 {
			node.Taint("dedicated", "batch", v1.TaintEffectNoSchedule)
		}
		s.create(node.Obj())
	}
}

// mixed creates pods of many kinds over a time, alone and by the dozen, and deletes most of them.
func (s *scene) mixed(pods int, over time.Duration) {
	for i := 0; i < pods; {
		at := start.Add(time.Second + time.Duration(s.chance.Int64N(int64(over))))
		burst := 1
		if s.chance.IntN(12) == 0 {
			burst = min(5+s.chance.IntN(20), pods-i)
		}
		kind := s.chance.IntN(8)
		for range burst {
			pod := s.pod(i, kind)
			s.cluster.At(at, func(c *memory.Cluster) {
				if _, err := c.Create(pod); err != nil {
					panic(err)
				}
			})
			if s.chance.IntN(5) > 0 {
				s.cluster.At(at.Add(over/8+time.Duration(s.chance.Int64N(int64(over/8)))), func(c *memory.Cluster) {
					_ = c.Delete(world.Pod, pod.Namespace, pod.Name, metav1.DeleteOptions{}) // it may have been preempted
				})
			}
			i++
		}
	}
}

func (s *scene) pod(i, kind int) *v1.Pod {
	app := fmt.Sprintf("app-%d", kind)
	b := mk.Pod(fmt.Sprintf("%s-%04d", app, i)).UID("").Label("app", app).CPU([]string{"250m", "500m", "1"}[s.chance.IntN(3)]).Memory("512Mi")
	self := &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	term := v1.PodAffinityTerm{LabelSelector: self, TopologyKey: v1.LabelTopologyZone}
	switch kind {
	case 1:
		b.NodeSelector(v1.LabelTopologyZone, "west")
	case 2:
		b.Toleration(v1.Toleration{Key: "dedicated", Operator: v1.TolerationOpExists})
	case 3:
		b.Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
			{Weight: 80, PodAffinityTerm: v1.PodAffinityTerm{LabelSelector: self, TopologyKey: v1.LabelHostname}},
		}}})
	case 4:
		b.Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
			{Weight: 50, PodAffinityTerm: term},
		}}})
	}
	pod := b.Obj()
	switch kind {
	case 5:
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: self},
		}
	case 6:
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			{MaxSkew: 3, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: self},
		}
	case 7:
		pod.Spec.Containers[0].Resources.Requests = mk.Resources("cpu", "3", "memory", "6Gi")
	}
	return pod
}
