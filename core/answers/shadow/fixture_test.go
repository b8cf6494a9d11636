package shadow_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/storage/volume"

	"orrery/core/answers/shadow"
	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

var start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)

// fixture is a cluster with a scheduler and a shadow. Each of the two sees changes with its own delay, so that
// either may be ahead of the other.
type fixture struct {
	t       testing.TB
	cluster *memory.Cluster
	real    *engine.Engine
	shadow  *shadow.Shadow
	rng     *rand.Rand

	// delay is the maximum delay of a change.
	delay            time.Duration
	toReal, toShadow delayedWatch
	idle             time.Time // until when the real scheduler is busy with its last decision
	pace             time.Duration
	storage          bool // see options
}

// delayedWatch holds the changes that one of the two has not seen yet. The changes of one kind stay in order.
type delayedWatch struct {
	inputs []world.Input
	last   map[world.Kind]time.Time
}

func (l *delayedWatch) send(in world.Input, kind world.Kind, delayed time.Duration) {
	at := in.At.Add(delayed)
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

func (l *delayedWatch) due(at time.Time) (world.Input, bool) {
	if len(l.inputs) == 0 || l.inputs[0].At.After(at) {
		return world.Input{}, false
	}
	in := l.inputs[0]
	l.inputs = l.inputs[1:]
	return in, true
}

// options configure a fixture.
type options struct {
	seed  uint64
	real  *config.Configuration
	ours  *config.Configuration
	delay time.Duration
	// pace is the real scheduler's time per decision.
	pace time.Duration
	// storage gives some pods claims: of volumes that are provisioned with the pod, and of local ones.
	storage bool
}

func newFixture(t testing.TB, o options) *fixture {
	t.Helper()
	latency := memory.TypicalLatency()
	latency.Watch = memory.Delay{}
	s := &fixture{
		t: t, rng: rand.New(rand.NewPCG(o.seed, 7)), delay: o.delay, pace: o.pace, storage: o.storage, idle: start,
		cluster: memory.New(memory.Options{Start: start, Seed: o.seed, Latency: latency}),
		toReal:  delayedWatch{last: map[world.Kind]time.Time{}}, toShadow: delayedWatch{last: map[world.Kind]time.Time{}},
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

func (s *fixture) create(o world.Object) {
	if _, err := s.cluster.Create(o); err != nil {
		s.t.Fatalf("creating %s: %v", o.GetName(), err)
	}
}

func (s *fixture) delayed() time.Duration {
	if s.delay == 0 {
		return 0
	}
	return time.Duration(s.rng.Int64N(int64(s.delay)))
}

// run advances the time.
func (s *fixture) run(until time.Time) {
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
				s.applyReal(in)
			} else {
				s.toReal.send(in, kind, s.delayed())
				s.toShadow.send(in, kind, s.delayed())
			}
		}
		for in, due := s.toReal.due(now); due; in, due = s.toReal.due(now) {
			s.applyReal(in)
		}
		_ = s.real.Apply(world.Input{At: now, Event: world.Tick{}})
		for in, due := s.toShadow.due(now); due; in, due = s.toShadow.due(now) {
			if err := s.shadow.Apply(in); err != nil {
				s.t.Errorf("the shadow rejected an input: %v", err)
			}
		}
		_ = s.shadow.Apply(world.Input{At: now, Event: world.Tick{}})
		if !ok && !wake.Before(until) {
			return
		}
	}
}

func (s *fixture) applyReal(in world.Input) {
	if err := s.real.Apply(in); err != nil {
		s.t.Errorf("the real scheduler rejected an input: %v", err)
	}
}

// schedule makes the real scheduler's decisions, as fast as it can.
func (s *fixture) schedule(now time.Time) {
	for more := true; more && !s.idle.After(now); {
		if _, more = s.real.Step(); more {
			s.idle = now.Add(s.pace)
		}
		for _, effect := range s.real.Effects() {
			s.cluster.Do(effect)
		}
	}
}

func (s *fixture) wake(until time.Time) time.Time {
	first := until
	consider := func(at time.Time, ok bool) {
		if ok && at.Before(first) {
			first = at
		}
	}
	consider(s.real.NextWake())
	consider(s.shadow.NextWake())
	for _, l := range []*delayedWatch{&s.toReal, &s.toShadow} {
		if len(l.inputs) > 0 {
			consider(l.inputs[0].At, true)
		}
	}
	consider(s.idle, s.idle.After(s.cluster.Now()))
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
func (s *fixture) nodes(n int) {
	for i := range n {
		node := mk.Node(fmt.Sprintf("node-%02d", i)).CPU([]string{"8", "16"}[i%2]).Memory("32Gi").Zone([]string{"east", "west", "north"}[i%3])
		if i%10 == 9 {
			node.Taint("dedicated", "batch", v1.TaintEffectNoSchedule)
		}
		s.create(node.Obj())
		if s.storage {
			s.create(csiNode(node.Obj().Name))
		}
	}
	if s.storage {
		s.createStorage(n)
	}
}

const disks = "disks.example.com"

// csiNode attaches four volumes, and provisions them by zone.
func csiNode(name string) *storagev1.CSINode {
	node := mk.CSINode(name).Limit(disks, 4).Obj()
	node.Spec.Drivers[0].TopologyKeys = []string{v1.LabelTopologyZone}
	return node
}

// createStorage creates a driver with little room in one zone, its class, and local volumes of two sizes on the first nodes.
func (s *fixture) createStorage(nodes int) {
	s.create(mk.CSIDriver(disks))
	s.create(mk.Class("disk", disks).WaitForFirstConsumer().Obj())
	s.create(mk.Class("local", volume.NotSupportedProvisioner).WaitForFirstConsumer().Obj())
	for i, zone := range []string{"east", "west", "north"} {
		s.cluster.SetCapacity(disks, map[string]string{v1.LabelTopologyZone: zone}, []int64{500, 500, 6}[i]<<30)
	}
	for i := range nodes {
		name := fmt.Sprintf("node-%02d", i)
		s.create(mk.Volume("local-"+name).Size([]string{"1Gi", "2Gi"}[i%2]).Class("local").On(v1.LabelHostname, name).Obj())
	}
}

// withClaim gives a pod a generic ephemeral volume.
func (s *fixture) withClaim(b *mk.PodBuilder) {
	claim := mk.Claim("").Size("1Gi").Class([]string{"disk", "disk", "local"}[s.rng.IntN(3)]).Obj()
	b.Volume("own", v1.VolumeSource{Ephemeral: &v1.EphemeralVolumeSource{VolumeClaimTemplate: &v1.PersistentVolumeClaimTemplate{Spec: claim.Spec}}})
}

// mixed creates pods of many kinds over a time, alone and by the dozen, and deletes most of them.
func (s *fixture) mixed(pods int, duration time.Duration) {
	for i := 0; i < pods; {
		at := start.Add(time.Second + time.Duration(s.rng.Int64N(int64(duration))))
		burst := 1
		if s.rng.IntN(12) == 0 {
			burst = min(5+s.rng.IntN(20), pods-i)
		}
		kind := s.rng.IntN(8)
		for range burst {
			pod := s.pod(i, kind)
			s.cluster.At(at, func(c *memory.Cluster) {
				if _, err := c.Create(pod); err != nil {
					panic(err)
				}
			})
			if s.rng.IntN(5) > 0 {
				s.cluster.At(at.Add(duration/8+time.Duration(s.rng.Int64N(int64(duration/8)))), func(c *memory.Cluster) {
					_ = c.Delete(world.Pod, pod.Namespace, pod.Name, metav1.DeleteOptions{}) // it may have been preempted
				})
			}
			i++
		}
	}
}

func (s *fixture) pod(i, kind int) *v1.Pod {
	app := fmt.Sprintf("app-%d", kind)
	b := mk.Pod(fmt.Sprintf("%s-%04d", app, i)).UID("").Label("app", app).CPU([]string{"250m", "500m", "1"}[s.rng.IntN(3)]).Memory("512Mi")
	self := &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	term := v1.PodAffinityTerm{LabelSelector: self, TopologyKey: v1.LabelTopologyZone}
	if s.storage && s.rng.IntN(3) == 0 {
		s.withClaim(b)
	}
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
