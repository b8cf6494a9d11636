package drawn

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

// Large returns an engine of a cluster of 5,000 nodes with 100,000 pods of 1,000 replica sets, and one pod that fits nowhere.
func Large(t T, start time.Time) *engine.Engine {
	const nodes, pods, owners = 5_000, 100_000, 1_000
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	list := func(kind world.Kind, n int, newObject func(i int) world.Object) {
		l := world.Listed{Kind: kind}
		for i := range n {
			o := newObject(i)
			o.SetResourceVersion("1")
			o.SetCreationTimestamp(metav1.NewTime(start.Add(-time.Hour)))
			l.Objects = append(l.Objects, o)
		}
		if err := e.Apply(world.Input{At: start, Event: l}); err != nil {
			t.Fatal(err)
		}
	}
	list(world.Node, nodes, func(i int) world.Object {
		return mk.Node(fmt.Sprint("node-", i)).Zone(fmt.Sprint("z", i%3)).CPU("32").Memory("128Gi").Condition(v1.NodeReady, v1.ConditionTrue).Obj()
	})
	list(world.ReplicaSet, owners, func(i int) world.Object {
		name, replicas := fmt.Sprint("set-", i), int32(pods/owners)
		return &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", UID: types.UID(name)},
			Spec: appsv1.ReplicaSetSpec{
				Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
				Template: v1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}}, Spec: mk.Pod("p").CPU("1").Memory("2Gi").Obj().Spec},
			},
		}
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
