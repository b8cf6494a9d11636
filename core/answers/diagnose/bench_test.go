package diagnose_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/diagnose"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// fullCluster has so many nodes with as many pods each, all nearly full, some cordoned and some tainted, and pods of several owners that
// are pending.
func fullCluster(b *testing.B, nodes, each, pending, owners int) *engine.Engine {
	objects := make([]world.Object, 0, (1+each)*nodes+pending)
	for i := range nodes {
		n := node(fmt.Sprintf("node-%04d", i), "4").Zone(fmt.Sprintf("zone-%d", i%3)).Label("kubernetes.io/hostname", fmt.Sprintf("node-%04d", i))
		switch {
		case i%50 == 0:
			n.Unschedulable()
		case i%50 == 1:
			n.Taint("team", "red", v1.TaintEffectNoSchedule)
		}
		objects = append(objects, n.Obj())
		for j := range each {
			objects = append(objects, mk.Pod(fmt.Sprintf("on-%04d-%d", i, j)).Node(n.Obj().Name).CPU(fmt.Sprintf("%dm", 3600/each)).Memory(fmt.Sprintf("%dMi", 8192/each)).
				Owner("apps/v1", "ReplicaSet", "full-1").Label("app", "full").Obj())
		}
	}
	for i := range pending {
		p := mk.Pod(fmt.Sprintf("web-%04d", i)).Owner("apps/v1", "ReplicaSet", fmt.Sprintf("web-%d", i%owners)).Label("app", "web").CPU("3")
		if i%4 == 1 {
			p.NodeSelector("disk", "ssd")
		}
		objects = append(objects, p.Obj())
	}
	return engineWith(b, objects...)
}

// BenchmarkCombinations_5000Nodes is the search for moves of other pods, where most nodes need two.
func BenchmarkCombinations_5000Nodes(b *testing.B) {
	e := fullCluster(b, 5000, 2, 1, 1)
	d, err := diagnose.Pod(e, world.PodRefOf(e.Store().Pod("default", "web-0000")))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := diagnose.Combinations(e, d); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPod_5000Nodes is one answer with all its evidence, and with the remedies that were tried.
func BenchmarkPod_5000Nodes(b *testing.B) {
	e := fullCluster(b, 5000, 20, 1, 1)
	ref := world.PodRefOf(e.Store().Pod("default", "web-0000"))
	for b.Loop() {
		d, err := diagnose.Pod(e, ref)
		if err != nil || len(d.Reasons) == 0 || len(d.Remedies) == 0 {
			b.Fatal(d, err)
		}
	}
}

// BenchmarkPending_1000Pods is an answer for all of a thousand pending pods in a cluster of 5,000 nodes, with the nodes that
// place all of them.
func BenchmarkPending_1000Pods(b *testing.B) {
	b.Run("40 owners", func(b *testing.B) { benchmarkPending(b, 40) })
	b.Run("1000 owners", func(b *testing.B) { benchmarkPending(b, 1000) })
}

func benchmarkPending(b *testing.B, owners int) {
	e := fullCluster(b, 5000, 20, 1000, owners)
	for b.Loop() {
		groups, err := diagnose.Pending(e, func(*diagnose.Group) bool { return true })
		if err != nil || len(groups) != owners {
			b.Fatal(len(groups), err)
		}
		if _, nodes, _, err := diagnose.Capacity(e, groups); err != nil || nodes == 0 {
			b.Fatal(nodes, err)
		}
	}
}
