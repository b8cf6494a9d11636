package engine_test

import (
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"

	"orrery/core/testing/fuzz"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// FuzzApply reads inputs in any order, as a cluster or a recording has them.
//
//orrery:reads core/scheduler/engine core/scheduler/store core/scheduler/queue core/scheduler/cache core/scheduler/framework
func FuzzApply(f *testing.F) {
	f.Add([]byte("a node, a pod, a step"))
	f.Add([]byte{1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 7, 3, 0, 6, 0, 0})
	f.Add([]byte(strings.Repeat("\x00\x01\x02\x03\x05\x08\x0d\x15\x22\x37\x59\x90", 12)))
	f.Add([]byte(strings.Repeat("\x07\x00\x01\x01\x03\x40\x09\x02\x80\x0a\x55", 16)))
	f.Fuzz(func(t *testing.T, data []byte) { fuzz.Cost(t, len(data), func() { applyAll(t, data) }) })
}

func applyAll(t *testing.T, data []byte) {
	const enough = 512
	s := &storyRun{t: t, now: start, objects: map[string]world.Object{}, plugins: []*pluginSpec{
		{name: "Odd", points: []string{"preFilter", "filter", "reserve", "permit", "preBind", "bind", "postBind"}, answers: map[string][]string{
			"Bind": {"skip"}, "PreBindPreFlight": {"skip"},
		}},
	}}
	s.open()
	in := &fuzzData{data: data[:min(len(data), enough)]}
	for len(in.data) > 0 {
		action := s.fuzzCommand(in)
		for _, p := range s.players {
			s.building = p
			p.log = nil
			action(p)
			p.collect()
			if err := p.Check(); err != nil {
				t.Fatalf("check: %v", err)
			}
			if p.Digest() != s.players[0].Digest() {
				t.Fatalf("the fork's output is %q, the engine's %q", p.log, s.players[0].log)
			}
		}
	}
}

// fuzzData turns bytes into choices. Without bytes left, every choice is the first.
type fuzzData struct{ data []byte }

func (d *fuzzData) intn(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % n
}

func choose[T any](d *fuzzData, from ...T) T { return from[d.intn(len(from))] }

// rarely is true for one byte in sixteen.
func (d *fuzzData) rarely() bool { return d.intn(16) == 15 }

func (s *storyRun) fuzzCommand(d *fuzzData) func(*player) {
	switch d.intn(12) {
	case 0, 1:
		return s.fuzzSignal(world.Changed{Op: choose(d, world.Added, world.Modified, world.Deleted), Object: d.object()}, d)
	case 2:
		return s.fuzzSignal(world.Changed{Op: world.Added, Object: d.pod()}, d)
	case 3, 4:
		return (*player).step
	case 5:
		return s.fuzzSignal(world.EffectDone{Effect: d.effect(s), Outcome: world.Outcome{
			Code:   choose(d, fwk.Success, fwk.Success, fwk.Error, fwk.Unschedulable, fwk.Skip, fwk.Wait, fwk.Pending, fwk.Code(99)),
			Reason: choose[metav1.StatusReason](d, "", metav1.StatusReasonNotFound), Message: choose(d, "", "busy", "100%"),
		}}, d)
	case 6:
		if id := d.effect(s); s.players[0].effects[id] != nil {
			return s.fuzzEffectDone(id)
		}
	case 7:
		return s.fuzzSignal(world.Tick{}, d)
	case 8:
		list := world.Listed{Kind: choose(d, world.Pod, world.Node, world.Kind("Sofa"))}
		for range d.intn(5) {
			list.Objects = append(list.Objects, d.object())
		}
		return s.fuzzSignal(list, d)
	case 9:
		s.plugins[0].answers[choose(d, "Permit", "Reserve", "Filter", "PreFilter", "PreBind", "PreBindPreFlight", "Bind", "PostBind")] = choose(d,
			[]string{"ok"}, []string{"wait", "5s"}, []string{"release"}, []string{"skip"}, []string{"error", "%d"},
			[]string{"unschedulable", "no"}, []string{"unresolvable", "never"}, []string{"pending"}, []string{"only", "n1,n7"})
	case 10:
		return s.fuzzSignal(world.ActivateRequest{Activate: []types.NamespacedName{{Namespace: "default", Name: d.name("p")}}}, d)
	case 11:
		if len(s.players) < 2 {
			s.fork()
			break
		}
		if d.rarely() { // on the fork alone, as nothing may depend on it
			halvings := d.intn(30)
			return func(p *player) {
				if p != s.players[0] {
					p.Shrink(halvings)
				}
			}
		}
		name := d.name("p")
		return func(p *player) { s.explain(p, []string{name}) }
	}
	return func(*player) {}
}

// fuzzSignal is an event at a time that may be far in the future or past.
func (s *storyRun) fuzzSignal(event world.Event, d *fuzzData) func(*player) {
	s.now = s.now.Add(choose(d, 0, 0, 0, time.Millisecond, time.Second, 10*time.Second, -time.Minute, 7*time.Minute, 1e6*time.Hour))
	in := world.Input{At: s.now, Event: event}
	if d.rarely() {
		in.At = time.Time{}
	}
	return func(p *player) { _ = p.Apply(in) }
}

// fuzzEffectDone runs a plugin call, and reports success of any other effect.
func (s *storyRun) fuzzEffectDone(id world.EffectID) func(*player) {
	now := s.now
	return func(p *player) {
		ended := world.EffectDone{Effect: id}
		if run, ok := p.effects[id].(world.RunPlugin); ok {
			status := run.Call(s.t.Context())
			ended.Outcome = world.Outcome{Code: status.Code(), Message: status.Message()}
		}
		_ = p.Apply(world.Input{At: now, Event: ended})
	}
}

// effect is the number of one of the last effects, or of any.
func (d *fuzzData) effect(s *storyRun) world.EffectID {
	if d.rarely() {
		return world.EffectID(d.intn(256))
	}
	return world.EffectID(max(0, len(s.players[0].effects)-d.intn(4)))
}

// name is one of a few, so that objects collide, or one that no API server accepts.
func (d *fuzzData) name(letter string) string {
	if d.rarely() {
		return choose(d, "", "\x1b[2J", strings.Repeat("long", 1000), "ü", "a/b", "..", "\xff")
	}
	return letter + string(rune('0'+d.intn(5)))
}

func (d *fuzzData) object() world.Object {
	switch d.intn(8) {
	case 0, 1:
		return d.node()
	case 2:
		o := &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: d.name("b"), Namespace: "default"},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "a"}}},
		}
		o.Status.DisruptionsAllowed = int32(d.intn(3)) - 1
		return o
	case 3:
		return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{"team": d.name("t")}}}
	case 4:
		return choose[world.Object](d, nil, &v1.Pod{}, &v1.Node{}, &v1.ConfigMap{})
	}
	return d.pod()
}

func (d *fuzzData) node() *v1.Node {
	node := mk.Node(d.name("n")).CPU("2").Memory("4Gi").Obj()
	node.ResourceVersion = choose(d, "", "", "1", "2", "99999999999999999999")
	for range d.intn(3) {
		switch d.intn(7) {
		case 0:
			node.Spec.Unschedulable = true
		case 1:
			node.Labels = map[string]string{v1.LabelTopologyZone: d.name("z")}
		case 2:
			node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: d.name("t"), Effect: choose(d, v1.TaintEffectNoSchedule, v1.TaintEffectNoExecute, "Sometimes")})
		case 3:
			node.Status.Allocatable = v1.ResourceList{v1.ResourceCPU: d.quantity(), v1.ResourcePods: d.quantity()}
		case 4:
			node.Status.Allocatable = nil
		case 5:
			node.Status.Images = []v1.ContainerImage{{Names: []string{"app"}, SizeBytes: int64(d.intn(256)) << 50}}
		case 6:
			node.Labels = nil
		}
	}
	return node
}

func (d *fuzzData) quantity() resource.Quantity {
	return resource.MustParse(choose(d, "0", "1", "100m", "3", "-1", "1n", "9223372036854775807", "1e40", "8Ei"))
}

func (d *fuzzData) pod() *v1.Pod {
	name := d.name("p")
	pod := mk.Pod(name).CPU(choose(d, "500m", "1", "2", "0")).Label("app", d.name("a")).Obj()
	pod.ResourceVersion = choose(d, "", "", "3", "4")
	if d.rarely() {
		pod.UID = types.UID(d.name("u"))
	}
	for range d.intn(4) {
		d.change(pod)
	}
	return pod
}

func (d *fuzzData) change(pod *v1.Pod) {
	term := v1.PodAffinityTerm{TopologyKey: choose(d, v1.LabelTopologyZone, v1.LabelHostname, ""), LabelSelector: &metav1.LabelSelector{MatchLabels: pod.Labels}}
	switch d.intn(15) {
	case 0:
		pod.Spec.NodeName = d.name("n")
	case 1:
		priority := choose[int32](d, 1, 100, -1<<31, 1<<31-1)
		pod.Spec.Priority = &priority
	case 2:
		pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "hold"}}
	case 3:
		pod.DeletionTimestamp = &metav1.Time{Time: start}
	case 4:
		pod.Status.NominatedNodeName = d.name("n")
	case 5:
		pod.Spec.SchedulerName = choose(d, "", "other")
	case 6:
		pod.Status.Phase = choose(d, v1.PodRunning, v1.PodSucceeded, v1.PodFailed, "Resting")
	case 7:
		pod.Spec.Containers[0].Resources.Requests = v1.ResourceList{v1.ResourceCPU: d.quantity()}
	case 8:
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
	case 9:
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term}}}
	case 10:
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: int32(d.intn(3)), TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: term.LabelSelector,
		}}
	case 11:
		pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: int32(d.intn(3)) * 40000}}
	case 12:
		pod.Spec.Volumes = []v1.Volume{{Name: "v", VolumeSource: v1.VolumeSource{PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: d.name("c")}}}}
	case 13:
		pod.Spec.Containers = append(pod.Spec.Containers, pod.Spec.Containers[0])
	case 14:
		pod.Status.Conditions = []v1.PodCondition{{Type: v1.DisruptionTarget, Status: v1.ConditionTrue, Reason: v1.PodReasonPreemptionByScheduler}}
	}
}
