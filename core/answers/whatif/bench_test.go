package whatif_test

import (
	"fmt"
	"testing"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// An evaluation for the screen should take less than 200 ms on a cluster of the demo.
func BenchmarkDemoDrain(b *testing.B) { benchAsk(b, engineAt(b, "node-drain", 6), "drain new-a-1") }

func BenchmarkDemoScale(b *testing.B) {
	benchAsk(b, engineAt(b, "node-drain", 6), "add 2 nodes like new-a-1")
}

// BenchmarkLargeDrain has 5,000 nodes and 100,000 pods.
func BenchmarkLargeDrain(b *testing.B) { benchAsk(b, large(b), "drain node-17") }

func benchAsk(b *testing.B, e *engine.Engine, question string) {
	b.ReportAllocs()
	for b.Loop() {
		evaluate(b, e, question)
	}
}

func large(b *testing.B) *engine.Engine {
	const nodes, pods, owners = 5_000, 100_000, 1_000
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		b.Fatal(err)
	}
	list := func(kind world.Kind, n int, newObject func(i int) world.Object) {
		l := world.Listed{Kind: kind}
		for i := range n {
			l.Objects = append(l.Objects, newObject(i))
		}
		if err := e.Apply(world.Input{At: start, Event: l}); err != nil {
			b.Fatal(err)
		}
	}
	list(world.Node, nodes, func(i int) world.Object {
		return mk.Node(fmt.Sprint("node-", i)).Zone(fmt.Sprint("z", i%3)).CPU("32").Memory("128Gi").Condition(v1.NodeReady, v1.ConditionTrue).Obj()
	})
	list(world.ReplicaSet, owners, func(i int) world.Object {
		s := set(fmt.Sprint("set-", i), pods/owners, "1")
		s.UID = types.UID(s.Name)
		return s
	})
	yes := true
	list(world.Pod, pods+1, func(i int) world.Object {
		if i == pods {
			return mk.Pod("giant").CPU("30").Obj()
		}
		owner := fmt.Sprint("set-", i%owners)
		p := mk.Pod(fmt.Sprint(owner, "-", i)).Label("app", owner).CPU("1").Memory("2Gi").Node(fmt.Sprint("node-", i%nodes)).
			Phase(v1.PodRunning).Condition(v1.PodReady, v1.ConditionTrue, "").Obj()
		p.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: owner, UID: types.UID(owner), Controller: &yes}}
		return p
	})
	for _, more := e.Step(); more; _, more = e.Step() {
		e.Effects()
	}
	return e
}
