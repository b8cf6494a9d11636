package engine_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"orrery/core/scheduler/config"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/testing/race"
	"orrery/core/world"
)

var cycles = flag.Int("cycles", race.Few(6000, 1500), "how many scheduling cycles the tests of reuse run")

// One long run after another, on engines that reuse, sometimes with less memory, that compute all afresh, and that change between both: every decision is
// the same, and so is what the plugins are said to have done.
func TestReuse_DecidesTheSame(t *testing.T) {
	t.Parallel()
	const runs = 3
	for seed := range uint64(runs) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := newLongRun(t, seed, twoProfiles)
			for r.cycles < *cycles/runs && !t.Failed() {
				r.change()
				r.decide()
			}
			stats := r.engines[0].ReuseStats()
			t.Logf("%d cycles, %d pods placed, %d cells reused, %d computed, %d tables evicted", r.cycles, r.engines[0].Counters().Decisions[engine.Placed], stats.Reused, stats.Computed, stats.Evicted)
			if stats.Reused < stats.Computed {
				t.Error("less was reused than computed: the run compares too little")
			}
		})
	}
}

// twoProfiles has one that spreads pods and one that packs them.
const twoProfiles = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: default-scheduler
- schedulerName: packing
  pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 1}]}
`

// longRun gives engines the same inputs.
type longRun struct {
	t       *testing.T
	draw    *rand.Rand
	engines []*engine.Engine // reusing, afresh, and changing
	now     time.Time
	cycles  int
	// preemptions counts the cycles that chose victims.
	preemptions int
	created     int
	nodes       []*v1.Node
	bound       []*v1.Pod
	waiting     []*v1.Pod
	dying       []string // the names of pods that are evicted and still run
}

func newLongRun(t *testing.T, seed uint64, configured string) *longRun {
	race.Alone(t)
	r := &longRun{t: t, draw: rand.New(rand.NewPCG(seed, 0x5e05e)), now: start}
	tie := pick(r.draw, engine.BySeed, engine.ByHeap)
	configuration, err := config.LoadNamed("long run", []byte(configured), config.DefaultFeatures())
	if err != nil {
		t.Fatal(err)
	}
	for _, fresh := range []bool{false, true, true} {
		e, err := engine.New(engine.Options{Config: configuration, Seed: seed, Start: start, TieBreak: tie, NoReuse: fresh})
		if err != nil {
			t.Fatal(err)
		}
		r.engines = append(r.engines, e)
	}
	for _, name := range []string{"default", "other"} {
		r.apply(world.Changed{Op: world.Added, Object: &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": name}}}})
	}
	r.apply(world.Changed{Op: world.Added, Object: &v1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}, Spec: v1.ServiceSpec{Selector: map[string]string{"app": "web"}},
	}})
	for range 110 + r.draw.IntN(40) { // more than the least number of feasible nodes to find
		r.addNode()
	}
	return r
}

func (r *longRun) apply(event world.Event) {
	for i, e := range r.engines {
		if err := e.Apply(world.Input{At: r.now, Event: event}); err != nil {
			r.t.Fatalf("engine %d: %T: %v", i, event, err)
		}
	}
}

// change changes the cluster a little.
func (r *longRun) change() {
	r.pass(4)
	switch r.draw.IntN(10) {
	default:
		for range 1 + r.draw.IntN(6) {
			r.addPod()
		}
	case 0, 1:
		for range min(len(r.bound), r.draw.IntN(13)) {
			r.deletePod(r.draw.IntN(len(r.bound)))
		}
		r.deleteWaiting(4)
	case 2:
		r.changeNode(r.draw.IntN(len(r.nodes)))
	case 3:
		r.addOrDeleteNode()
	case 4:
		team := pick(r.draw, "default", "other")
		r.apply(world.Changed{Op: world.Modified, Object: &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other", Labels: map[string]string{"team": team}}}})
	case 5:
		r.switchReuse()
		r.engines[0].Shrink(pick(r.draw, 0, 0, 0, 0, 0, 0, 2, 24)) // the last leaves no table
	}
}

// pass lets some time pass, in which one time of so many the evicted pods end.
func (r *longRun) pass(seldom int) {
	r.now = r.now.Add(time.Duration(r.draw.IntN(900)) * time.Millisecond)
	r.apply(world.Tick{})
	if r.draw.IntN(seldom) == 0 {
		r.endDying()
	}
}

// deleteWaiting deletes pending pods until so many are left: else those that fit nowhere are tried most.
func (r *longRun) deleteWaiting(left int) {
	for len(r.waiting) > left {
		r.apply(world.Changed{Op: world.Deleted, Object: r.waiting[0]})
		r.waiting = r.waiting[1:]
	}
}

func (r *longRun) addOrDeleteNode() {
	if r.draw.IntN(2) == 0 {
		r.addNode()
	} else {
		r.deleteNode(r.draw.IntN(len(r.nodes)))
	}
}

// switchReuse replaces the last engine by a fork of it that reuses if it did not, and else does not.
func (r *longRun) switchReuse() {
	fork, err := r.engines[2].ForkReusing(r.draw.IntN(2) == 0)
	if err != nil {
		r.t.Fatal(err)
	}
	r.engines[2] = fork
}

func (r *longRun) addNode() {
	r.created++
	b := mk.Node(fmt.Sprint("n", r.created)).CPU(pick(r.draw, "2", "4")).Memory("8Gi").Pods(pick(r.draw, "6", "20")).
		Zone(pick(r.draw, "z1", "z2", "z3")).Label("disk", pick(r.draw, "ssd", "hdd"))
	if r.draw.IntN(3) == 0 {
		b.Image(pick[int64](r.draw, 60<<20, 2000<<20), "app:1") // a large one scores by how many nodes there are
	}
	if r.draw.IntN(5) == 0 {
		b.Taint("only", "batch", pick(r.draw, v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule))
	}
	node := b.Obj()
	r.nodes = append(r.nodes, node)
	r.apply(world.Changed{Op: world.Added, Object: node})
}

func (r *longRun) changeNode(i int) {
	node := r.nodes[i].DeepCopy()
	switch r.draw.IntN(6) {
	case 0:
		node.Labels["disk"] = pick(r.draw, "ssd", "hdd")
	case 1:
		node.Spec.Taints = pick(r.draw, nil, []v1.Taint{{Key: "only", Value: "batch", Effect: v1.TaintEffectNoSchedule}},
			[]v1.Taint{{Key: "only", Value: "batch", Effect: v1.TaintEffectPreferNoSchedule}})
	case 2:
		node.Spec.Unschedulable = !node.Spec.Unschedulable
	case 3:
		node.Status.Allocatable = mk.Resources("cpu", pick(r.draw, "1", "3", "6"), "memory", "8Gi", "pods", "20")
	case 4:
		if zone := pick(r.draw, "z1", "z2", "z3", "z4", "none"); zone == "none" {
			delete(node.Labels, v1.LabelTopologyZone)
		} else {
			node.Labels[v1.LabelTopologyZone] = zone
		}
	case 5:
		node.Status.Images = pick(r.draw, nil, []v1.ContainerImage{{Names: []string{"app:1"}, SizeBytes: 2000 << 20}})
	}
	r.nodes[i] = node
	r.apply(world.Changed{Op: world.Modified, Object: node})
}

func (r *longRun) deleteNode(i int) {
	node := r.nodes[i]
	r.nodes = slices.Delete(r.nodes, i, i+1)
	for at := len(r.bound) - 1; at >= 0; at-- {
		if r.bound[at].Spec.NodeName == node.Name {
			r.deletePod(at)
		}
	}
	r.apply(world.Changed{Op: world.Deleted, Object: node})
}

// templates are what pods are made from: by far most pods of a cluster have twins.
var templates = []func(*mk.PodBuilder){
	func(b *mk.PodBuilder) { b.CPU("100m").Memory("64Mi") },
	func(b *mk.PodBuilder) { b.Label("app", "web").CPU("300m") },
	func(*mk.PodBuilder) {},
	func(b *mk.PodBuilder) { b.CPU("1").Image("app:1") },
	func(b *mk.PodBuilder) { b.CPU("100m").NodeSelector("disk", "ssd") },
	func(b *mk.PodBuilder) { b.CPU("100m").HostPort(8080) },
	func(b *mk.PodBuilder) {
		b.CPU("200m").Toleration(v1.Toleration{Key: "only", Operator: v1.TolerationOpExists})
	},
	func(b *mk.PodBuilder) { b.CPU("1500m").Priority(10) },
	func(b *mk.PodBuilder) { b.CPU("2").Priority(20) },
	func(b *mk.PodBuilder) { b.CPU("100m").Request("example.com/none", "1") },
	func(b *mk.PodBuilder) {
		b.CPU("100m").Affinity(&v1.Affinity{NodeAffinity: &v1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.PreferredSchedulingTerm{
			{Weight: 10, Preference: v1.NodeSelectorTerm{MatchExpressions: []v1.NodeSelectorRequirement{{Key: "disk", Operator: v1.NodeSelectorOpIn, Values: []string{"hdd"}}}}},
		}}})
	},
	func(b *mk.PodBuilder) {
		b.CPU("100m").Label("app", "spread").Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			{MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: appIs("spread")},
			{MaxSkew: 2, TopologyKey: v1.LabelHostname, WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: appIs("spread")},
		}
	},
	func(b *mk.PodBuilder) {
		b.CPU("100m").Label("app", "spread").Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{
			{MaxSkew: 2, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: appIs("spread")},
			{MaxSkew: 3, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: appIs("spread"), MinDomains: ptr.To[int32](4)},
		}
	},
	func(b *mk.PodBuilder) {
		b.CPU("100m").Label("app", "near").Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: v1.LabelTopologyZone, LabelSelector: appIs("near")}},
		}})
	},
	func(b *mk.PodBuilder) {
		b.CPU("100m").Label("app", "apart").Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{TopologyKey: v1.LabelHostname, LabelSelector: appIs("apart")}},
		}})
	},
	func(b *mk.PodBuilder) {
		b.CPU("100m").Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 50, PodAffinityTerm: v1.PodAffinityTerm{
				TopologyKey: v1.LabelTopologyZone, LabelSelector: appIs("spread"),
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"team": "other"}},
			}}},
		}})
	},
}

func appIs(app string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

func (r *longRun) addPod() { r.add(r.newPod()) }

func (r *longRun) add(pod *v1.Pod) {
	r.waiting = append(r.waiting, pod)
	r.apply(world.Changed{Op: world.Added, Object: pod})
}

func (r *longRun) newPod() *v1.Pod {
	r.created++
	b := mk.Pod(fmt.Sprint("p", r.created)).Namespace(pick(r.draw, "default", "other")).Created(r.now)
	pick(r.draw, templates...)(b)
	if r.draw.IntN(4) == 0 {
		b.CPU(fmt.Sprintf("%dm", 50+r.created)) // like no other
	}
	b.Scheduler(pick(r.draw, v1.DefaultSchedulerName, v1.DefaultSchedulerName, "packing"))
	return b.Obj()
}

func (r *longRun) deletePod(at int) {
	pod := r.bound[at]
	r.bound = slices.Delete(r.bound, at, at+1)
	r.apply(world.Changed{Op: world.Deleted, Object: pod})
}

// endDying ends the evicted pods. Until then the preemptors are nominated.
func (r *longRun) endDying() {
	for _, name := range r.dying {
		if at := slices.IndexFunc(r.bound, func(p *v1.Pod) bool { return p.Name == name }); at >= 0 {
			r.deletePod(at)
		}
	}
	r.dying = nil
}

// decide has the engines decide on all pods that are ready, and compares them after each.
func (r *longRun) decide() {
	for {
		want, more := r.engines[0].Step()
		for i, e := range r.engines[1:] {
			got, alsoMore := e.Step()
			if more != alsoMore {
				r.t.Fatalf("cycle %d: one engine has a pod to decide on, engine %d has none", r.cycles, i+1)
			}
			if more {
				r.compare(i+1, want, got)
			}
		}
		if more && want.Preemption != nil {
			r.preemptions++
		}
		answered := r.perform()
		switch {
		case r.t.Failed() || !more && !answered:
			return
		case more:
			r.cycles++
		}
	}
}

func (r *longRun) compare(i int, want, got *engine.Decision) {
	r.t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("cycle %d: engine %d decides otherwise (-reusing +other):\n%s", r.cycles, i, diff)
	}
	_, searched := r.engines[0].LastSearch()
	if _, also := r.engines[i].LastSearch(); !slices.Equal(searched, also) {
		r.t.Errorf("cycle %d: engine %d found other nodes feasible, on the way to %s", r.cycles, i, want.Node)
	}
	if diff := cmp.Diff(r.engines[0].Profile(want.Profile).Counts(), r.engines[i].Profile(want.Profile).Counts()); diff != "" {
		r.t.Errorf("cycle %d, of %s: engine %d counts other calls of plugins (-reusing +other):\n%s", r.cycles, want.Pod, i, diff)
	}
}

// perform does what the engines want done. It reports whether extenders have answered.
func (r *longRun) perform() (answered bool) {
	effects := slices.Clone(r.engines[0].Effects())
	for i, e := range r.engines[1:] {
		if n := len(e.Effects()); n != len(effects) || e.Digest() != r.engines[0].Digest() {
			r.t.Fatalf("cycle %d: engine %d wants %d effects, one that reuses %d; digests %v and %v", r.cycles, i+1, n, len(effects), e.Digest(), r.engines[0].Digest())
		}
	}
	for _, effect := range effects {
		if call, is := effect.Action.(world.CallExtender); is {
			answered = true
			r.apply(world.EffectDone{Effect: effect.ID, Outcome: r.answer(call)})
			continue
		}
		r.apply(world.EffectDone{Effect: effect.ID})
		switch act := effect.Action.(type) {
		case world.Bind:
			at := slices.IndexFunc(r.waiting, func(p *v1.Pod) bool { return p.Name == act.Pod.Name })
			pod := r.waiting[at].DeepCopy()
			r.waiting = slices.Delete(r.waiting, at, at+1)
			pod.Spec.NodeName = act.Node
			r.bound = append(r.bound, pod)
			r.apply(world.Changed{Op: world.Modified, Object: pod})
		case world.PatchStatus:
			r.patchStatus(act)
		case world.Delete:
			r.dying = append(r.dying, act.Pod.Name)
			r.changeBound(act.Pod.Name, func(pod *v1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: r.now} })
		}
	}
	return answered
}

// patchStatus gives a pending pod its nominated node, and a victim its condition.
func (r *longRun) patchStatus(act world.PatchStatus) {
	if at := slices.IndexFunc(r.waiting, func(p *v1.Pod) bool { return p.Name == act.Pod.Name }); at >= 0 && act.NominatedNode != nil {
		pod := r.waiting[at].DeepCopy()
		pod.Status.NominatedNodeName = *act.NominatedNode
		r.waiting[at] = pod
		r.apply(world.Changed{Op: world.Modified, Object: pod})
	}
	r.changeBound(act.Pod.Name, func(pod *v1.Pod) { pod.Status.Conditions = append(pod.Status.Conditions, *act.Condition) })
}

func (r *longRun) changeBound(name string, change func(*v1.Pod)) {
	if at := slices.IndexFunc(r.bound, func(p *v1.Pod) bool { return p.Name == name }); at >= 0 {
		pod := r.bound[at].DeepCopy()
		change(pod)
		r.bound[at] = pod
		r.apply(world.Changed{Op: world.Modified, Object: pod})
	}
}
