package engine_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/scheduler/drive"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/core/world/memory"
)

// The generated scenarios are small clusters with many changes: pods of many kinds are created and deleted, nodes
// are added, deleted, cordoned, relabelled, tainted and resized, for scenarioLength of virtual time, followed by
// a time of rest. A seed is a scenario.
const (
	scenarioLength = 90 * time.Second
	scenarioTail   = 60 * time.Second
)

// scenario returns a cluster with all its changes scheduled.
func scenario(seed uint64, faults memory.Faults) *memory.Cluster {
	draw := rand.New(rand.NewPCG(seed, 0x5ce))
	latency := memory.Latency{}
	if draw.IntN(2) == 0 {
		latency = memory.TypicalLatency()
	}
	c := memory.New(memory.Options{
		Start: start, Seed: seed, Latency: latency, Faults: faults,
		PodBehavior: func(pod *v1.Pod) memory.PodBehavior {
			life := memory.DefaultPodBehavior(pod)
			if pod.Labels["app"] == "batch" {
				life.Run = 15 * time.Second
			}
			return life
		},
	})
	never := v1.PreemptNever
	for _, class := range []*schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "low"}, Value: 10},
		{ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 100},
		{ObjectMeta: metav1.ObjectMeta{Name: "polite"}, Value: 100, PreemptionPolicy: &never},
	} {
		must(c.Create(class))
	}
	for i := range 3 + draw.IntN(5) {
		must(c.Create(drawNode(draw, i)))
	}
	if draw.IntN(3) == 0 {
		must(c.Create(replicaSet(draw)))
	}
	for i := range 25 + draw.IntN(25) {
		pod := drawPod(draw, i)
		at := start.Add(time.Duration(draw.Int64N(int64(scenarioLength))))
		c.At(at, func(c *memory.Cluster) { must(c.Create(pod)) })
		schedulePodEvents(draw, c, pod, at)
	}
	for i := range 4 + draw.IntN(8) {
		at := start.Add(time.Duration(draw.Int64N(int64(scenarioLength))))
		scheduleNodeChange(draw, c, at, 10+i)
	}
	return c
}

func must(_ world.Object, err error) {
	if err != nil {
		panic(err)
	}
}

func pick[T any](draw *rand.Rand, from ...T) T { return from[draw.IntN(len(from))] }

func drawNode(draw *rand.Rand, i int) *v1.Node {
	b := mk.Node(fmt.Sprintf("n%d", i)).CPU(pick(draw, "1", "2", "4")).Memory(pick(draw, "2Gi", "4Gi")).
		Pods(pick(draw, "3", "10", "110")).Label("disk", pick(draw, "ssd", "hdd"))
	if draw.IntN(4) > 0 {
		b.Zone(pick(draw, "z1", "z2", "z3"))
	}
	if draw.IntN(6) == 0 {
		b.Taint("only", "batch", pick(draw, v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule))
	}
	return b.Obj()
}

func drawPod(draw *rand.Rand, i int) *v1.Pod {
	b := mk.Pod(fmt.Sprintf("p%02d", i)).UID("").CPU(pick(draw, "0", "100m", "500m", "1", "3")).
		Memory(pick(draw, "0", "128Mi", "1Gi")).Label("app", pick(draw, "web", "db", "batch"))
	b.Obj().Spec.PriorityClassName = pick(draw, "", "", "low", "high")
	switch draw.IntN(12) {
	case 0:
		b.NodeSelector("disk", "ssd")
	case 1:
		b.Gate("hold")
	case 2:
		b.HostPort(8080)
	case 3:
		b.Toleration(v1.Toleration{Key: "only", Operator: v1.TolerationOpExists})
	case 4:
		b.Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: podTerms(b.Obj(), v1.LabelHostname)}})
	case 5:
		b.Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: podTerms(b.Obj(), v1.LabelTopologyZone)}})
	case 6:
		b.Obj().Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": b.Obj().Labels["app"]}},
		}}
	case 7:
		b.Obj().Spec.PriorityClassName = "polite"
	case 8:
		b.CPU("64") // unschedulable
	}
	return b.Obj()
}

func podTerms(pod *v1.Pod, key string) []v1.PodAffinityTerm {
	return []v1.PodAffinityTerm{{
		TopologyKey:   key,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": pod.Labels["app"]}},
	}}
}

// schedulePodEvents schedules updates and deletions of some pods.
func schedulePodEvents(draw *rand.Rand, c *memory.Cluster, pod *v1.Pod, created time.Time) {
	at := created.Add(time.Duration(draw.Int64N(int64(40 * time.Second))))
	namespace, name := pod.Namespace, pod.Name
	update := func(change func(*v1.Pod)) {
		c.At(at, func(c *memory.Cluster) {
			if pod := c.Pod(namespace, name); pod != nil {
				pod = pod.DeepCopy()
				change(pod)
				_, _ = c.Update(pod)
			}
		})
	}
	switch draw.IntN(5) {
	case 0, 1:
		c.At(at, func(c *memory.Cluster) { _ = c.Delete(world.Pod, namespace, name, metav1.DeleteOptions{}) })
	case 2:
		update(func(p *v1.Pod) { p.Spec.SchedulingGates = nil })
	case 3:
		update(func(p *v1.Pod) {
			p.Spec.Tolerations = append(p.Spec.Tolerations, v1.Toleration{Key: "only", Operator: v1.TolerationOpExists})
		})
	case 4:
		update(func(p *v1.Pod) { p.Labels["app"] = "web" })
	}
}

// scheduleNodeChange schedules a change of a node.
func scheduleNodeChange(draw *rand.Rand, c *memory.Cluster, at time.Time, fresh int) {
	name := fmt.Sprintf("n%d", draw.IntN(8))
	update := func(change func(*v1.Node)) {
		c.At(at, func(c *memory.Cluster) {
			if node := c.Node(name); node != nil {
				node = node.DeepCopy()
				change(node)
				_, _ = c.Update(node)
			}
		})
	}
	switch draw.IntN(7) {
	case 0:
		node := drawNode(draw, fresh)
		c.At(at, func(c *memory.Cluster) { must(c.Create(node)) })
	case 1:
		c.At(at, func(c *memory.Cluster) { _ = c.Delete(world.Node, "", name, metav1.DeleteOptions{}) })
	case 2:
		update(func(n *v1.Node) { n.Spec.Unschedulable = !n.Spec.Unschedulable })
	case 3:
		zone := pick(draw, "z1", "z2", "z4")
		update(func(n *v1.Node) { n.Labels[v1.LabelTopologyZone] = zone })
	case 4:
		update(func(n *v1.Node) { n.Spec.Taints = nil })
	case 5:
		update(func(n *v1.Node) { n.Labels["disk"] = "ssd" })
	case 6:
		c.At(at, func(c *memory.Cluster) {
			if node := c.Node(name); node != nil {
				node = node.DeepCopy()
				node.Status.Allocatable[v1.ResourceCPU] = mk.Resources("cpu", "8")[v1.ResourceCPU]
				_, _ = c.UpdateStatus(node)
			}
		})
	}
}

func replicaSet(draw *rand.Rand) *appsv1.ReplicaSet {
	replicas := int32(1 + draw.IntN(6))
	labels := map[string]string{"app": "web", "set": "rs"}
	template := mk.Pod("").CPU("200m").Obj()
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "rs", Namespace: "default"},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: template.Spec},
		},
	}
}

// allFaults has every kind of fault between a scheduler and its cluster.
func allFaults() memory.Faults {
	little := memory.Delay{Base: 10 * time.Millisecond, Jitter: 3 * time.Second}
	calls := memory.CallFaults{Refuse: 0.04, Lose: 0.03, LoseReply: 0.03, Slow: 0.1, SlowBy: little}
	binds := calls
	binds.BoundByOther = 0.03
	return memory.Faults{
		Watch: map[world.Kind]memory.WatchFaults{"": {
			Break: 0.01, RelistAfter: little, Delay: 0.05, DelayBy: little, Duplicate: 0.05,
		}},
		Calls: map[memory.Call]memory.CallFaults{
			memory.CallBind: binds, memory.CallPatchStatus: calls, memory.CallDelete: calls,
		},
	}
}

// run drives an engine through a scenario until a time.
func run(e *engine.Engine, c *memory.Cluster, until time.Time) {
	drive.Run(c, until, drive.NewScheduler(e))
}
