package app

import (
	"fmt"
	"math/rand/v2"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"orrery/core/testing/mk"
	"orrery/core/world"
)

var generatedStart = time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)

// generator makes small clusters in which pods are pending for all kinds of reasons.
type generator struct{ *rand.Rand }

func newGenerator(seed uint64) generator { return generator{rand.New(rand.NewPCG(seed, 1))} }

// one reports true once in n times.
func (g generator) one(n int) bool { return g.IntN(n) == 0 }

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

// cluster returns nodes, pods on them, budgets, and then the pods without a node.
func (g generator) cluster() []world.Object {
	var objects []world.Object
	nodes := 1 + g.IntN(5)
	for i := range nodes {
		objects = append(objects, g.node(fmt.Sprintf("node-%d", i)))
	}
	for i := range g.IntN(3 * nodes) {
		p := mk.Pod(fmt.Sprintf("on-%02d", i)).Node(fmt.Sprintf("node-%d", g.IntN(nodes))).Started(generatedStart)
		g.shape(p)
		if g.one(8) {
			p.Deleting(generatedStart.Add(90 * time.Second))
		}
		objects = append(objects, p.Obj())
	}
	if g.one(3) {
		objects = append(objects, &policyv1.PodDisruptionBudget{
			ObjectMeta: metav1.ObjectMeta{Name: "guard", Namespace: "default", UID: "guard"},
			Spec:       policyv1.PodDisruptionBudgetSpec{Selector: app(pick(g, "web", "db"))},
			Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: int32(g.IntN(2))},
		})
	}
	pending := 1
	if g.one(4) {
		pending = 3
	}
	for i := range pending {
		objects = append(objects, g.pending(fmt.Sprintf("waits-%d", i)))
	}
	return objects
}

func (g generator) node(name string) *v1.Node {
	n := mk.Node(name).CPU(pick(g, "1", "2", "4")).Memory(pick(g, "1Gi", "4Gi")).Pods(pick(g, "2", "5", "110")).Label(v1.LabelHostname, name)
	if !g.one(5) {
		n.Zone(pick(g, "east", "west", "north"))
	}
	if g.one(3) {
		n.Label("disk", pick(g, "ssd", "hdd"))
	}
	if g.one(4) {
		n.Resource("example.com/gpu", "2")
	}
	if g.one(5) {
		n.Taint("team", pick(g, "red", "blue"), v1.TaintEffectNoSchedule)
	}
	if g.one(8) {
		n.Taint("spare", "", v1.TaintEffectNoSchedule)
	}
	if g.one(8) {
		n.Unschedulable()
	}
	return n.Obj()
}

// shape gives a pod requests, labels, a priority and conflicts with others.
func (g generator) shape(p *mk.PodBuilder) {
	p.CPU(pick(g, "100m", "300m", "700m", "1500m")).Label("app", pick(g, "web", "db", "batch"))
	if g.one(2) {
		p.Memory(pick(g, "100Mi", "700Mi"))
	}
	if g.one(4) {
		p.Priority(pick[int32](g, -10, 10, 100))
	}
	if g.one(6) {
		p.HostPort(pick[int32](g, 80, 443))
	}
	if g.one(6) {
		p.Request("example.com/gpu", "1")
	}
	if g.one(8) {
		p.Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: g.terms()}})
	}
}

func (g generator) terms() []v1.PodAffinityTerm {
	return []v1.PodAffinityTerm{{TopologyKey: pick(g, v1.LabelHostname, v1.LabelTopologyZone), LabelSelector: app(pick(g, "web", "db", "none"))}}
}

func app(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

// pending is a pod that often fits nowhere: one or two of its requests are too large.
func (g generator) pending(name string) *v1.Pod {
	p := mk.Pod(name).Created(generatedStart)
	g.shape(p)
	for range 1 + g.IntN(2) {
		switch g.IntN(12) {
		case 0, 1:
			p.CPU(pick(g, "1900m", "3", "9"))
		case 2:
			p.Memory(pick(g, "900Mi", "3Gi", "64Gi"))
		case 3:
			p.NodeSelector("disk", pick(g, "ssd", "tape"))
		case 4:
			p.Affinity(&v1.Affinity{NodeAffinity: g.nodeAffinity()})
		case 5:
			p.Affinity(&v1.Affinity{PodAffinity: &v1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: g.terms()}})
		case 6:
			p.Affinity(&v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: g.terms()}})
		case 7:
			p.Obj().Spec.TopologySpreadConstraints = g.spread()
		case 8:
			p.Request("example.com/gpu", pick(g, "2", "3"))
		case 9:
			p.Priority(pick[int32](g, 50, 200))
			if g.one(3) {
				p.NeverPreempt()
			}
		case 10:
			p.Gate("example.com/quota")
		case 11:
			p.Overhead(v1.ResourceCPU, "250m").Init("unpack", mk.Resources("cpu", "2500m"))
		}
	}
	if g.one(3) {
		p.Toleration(v1.Toleration{Key: "team", Operator: v1.TolerationOpEqual, Value: "red"})
	}
	return p.Obj()
}

func (g generator) nodeAffinity() *v1.NodeAffinity {
	need := []v1.NodeSelectorRequirement{
		{Key: "disk", Operator: pick(g, v1.NodeSelectorOpIn, v1.NodeSelectorOpNotIn), Values: []string{"ssd"}},
		{Key: v1.LabelTopologyZone, Operator: v1.NodeSelectorOpIn, Values: []string{pick(g, "east", "south")}},
	}
	terms := []v1.NodeSelectorTerm{{MatchExpressions: need[:1+g.IntN(2)]}}
	if g.one(2) {
		terms = append(terms, v1.NodeSelectorTerm{MatchFields: []v1.NodeSelectorRequirement{
			{Key: "metadata.name", Operator: v1.NodeSelectorOpIn, Values: []string{pick(g, "node-0", "node-9")}},
		}})
	}
	return &v1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &v1.NodeSelector{NodeSelectorTerms: terms}}
}

func (g generator) spread() []v1.TopologySpreadConstraint {
	c := v1.TopologySpreadConstraint{
		MaxSkew: int32(1 + g.IntN(2)), TopologyKey: pick(g, v1.LabelTopologyZone, v1.LabelHostname, "rack"),
		WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: app(pick(g, "web", "db", "batch")),
	}
	if g.one(4) {
		three := int32(3)
		c.MinDomains = &three
	}
	return []v1.TopologySpreadConstraint{c}
}

// nominated is a pod of high priority that other pods have to leave room for.
func (g generator) nominated() *v1.Pod {
	p := mk.Pod("vip").Nominated(fmt.Sprintf("node-%d", g.IntN(3)))
	g.shape(p)
	return p.Priority(1000).Obj()
}
