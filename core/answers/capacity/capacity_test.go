package capacity_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"orrery/core/answers/capacity"
	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
)

func TestOf(t *testing.T) {
	start := time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC)
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range []world.Listed{
		{Kind: world.Node, Objects: []world.Object{
			mk.Node("a").CPU("4").Memory("16Gi").Pods("10").Zone("east").Obj(),
			mk.Node("b").CPU("4").Memory("16Gi").Pods("10").Zone("west").Resource("example.com/gpu", "2").Obj(),
			mk.Node("shut").CPU("64").Memory("64Gi").Pods("10").Zone("west").Unschedulable().Obj(),
			mk.Node("red").CPU("64").Memory("64Gi").Pods("10").Taint("team", "red", v1.TaintEffectNoSchedule).Obj(),
		}},
		{Kind: world.Pod, Objects: []world.Object{
			mk.Pod("one").CPU("2500m").Memory("1Gi").Node("a").Obj(),
			mk.Pod("two").CPU("2500m").Memory("1Gi").Node("b").Obj(),
			mk.Pod("three").CPU("1").Memory("1Gi").Request("example.com/gpu", "1").Node("b").Obj(),
		}},
	} {
		if err := e.Apply(world.Input{At: start, Event: list}); err != nil {
			t.Fatal(err)
		}
	}
	r := capacity.Of(e, func(node *v1.Node) string { return node.Labels[v1.LabelTopologyZone] })
	const gi = 1 << 30
	want := capacity.Group{Nodes: 4, Open: 2, Pods: 3, Resources: []capacity.Resource{
		{Name: "cpu", Allocatable: 136_000, Requested: 6000, Free: 2000, Largest: 1500},
		{Name: "memory", Allocatable: 160 * gi, Requested: 3 * gi, Free: 29 * gi, Largest: 15 * gi},
		{Name: "pods", Allocatable: 40, Requested: 3, Free: 17, Largest: 9},
		{Name: "example.com/gpu", Allocatable: 2, Requested: 1, Free: 1, Largest: 1},
	}}
	if diff := cmp.Diff(want, r.All); diff != "" {
		t.Errorf("all nodes (-want +got):\n%s", diff)
	}
	var names []string
	for _, g := range r.Groups {
		names = append(names, g.Name)
	}
	if diff := cmp.Diff([]string{"", "east", "west"}, names); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	shapes := []capacity.Shape{{CPU: 2500, Memory: gi, Pods: 2, Fit: 0, BySum: 0}, {CPU: 1000, Memory: gi, Pods: 1, Fit: 1, BySum: 2}}
	if diff := cmp.Diff(shapes, r.Shapes); diff != "" {
		t.Errorf("shapes (-want +got):\n%s", diff)
	}
	if got := r.Shapes[1].Fragmented(); got != 0.5 {
		t.Errorf("half of the room is in pieces, and %v is said", got)
	}
	if l := r.Largest[0]; l.CPU != 1500 || l.Node != "a" {
		t.Errorf("the largest pod is %+v", l)
	}
}
