package collect_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orrery/core/scheduler/engine"
	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
	"orrery/views/filter"
)

// TestOrrery_ZonesAreBodiesWhereNodesHaveNoRoom looks at a cluster on screens that are large enough for its nodes and that are not: its
// zones have what their nodes have, and the filter of each finds these.
func TestOrrery_ZonesAreBodiesWhereNodesHaveNoRoom(t *testing.T) {
	e, err := engine.New(engine.Options{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	add := func(o world.Object) {
		t.Helper()
		if err := e.Apply(world.Input{At: start, Event: world.Changed{Op: world.Added, Object: o}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		name := fmt.Sprintf("node-%02d", i)
		node := mk.Node(name).CPU("8").Memory("64Gi").Pods("10")
		switch i % 4 {
		case 0:
			node.Zone("a").Region("north")
		case 1:
			node.Zone("a").Region("south")
		case 2:
			node.Zone("b").Region("north")
		}
		o := node.Obj()
		o.Spec.Unschedulable = i < 8 && i%4 == 2
		add(o)
		if i%4 == 0 {
			add(mk.Pod("pod-" + name).CPU("6").Node(name).Obj())
		}
	}
	c := collect.New(collect.Options{})
	if large := c.Model(e, collect.Query{Open: views.OrreryPane, Columns: 80, Lines: 24, Rows: 72}).Orrery; large.ByZone.Total != 0 || large.Nodes.Total != 40 {
		t.Errorf("on 80x24 there are %d zones and %d nodes", large.ByZone.Total, large.Nodes.Total)
	}
	small := c.Model(e, collect.Query{Open: views.OrreryPane, Columns: 30, Lines: 20, Rows: 60}).Orrery
	want := []views.ZoneBody{
		{Name: "a", Scope: "-l topology.kubernetes.io/zone=a,topology.kubernetes.io/region=north", Nodes: 10, Level: 191, Pods: 10},
		{Name: "a", Scope: "-l topology.kubernetes.io/zone=a,topology.kubernetes.io/region=south", Nodes: 10},
		{Name: "b", Scope: "-l topology.kubernetes.io/zone=b", Nodes: 10, Cordoned: 2},
		{Name: "no zone", Scope: "-l !topology.kubernetes.io/zone", Nodes: 10},
	}
	keys := map[string]bool{}
	for i := range small.ByZone.Rows {
		z := &small.ByZone.Rows[i]
		keys[z.Key] = true
		z.Key = ""
		scope, err := filter.Parse(z.Scope)
		if err != nil {
			t.Fatal(err)
		}
		if nodes, _ := c.Model(e, collect.Query{Open: views.NodesPane, Rows: 100, Filter: scope}).List.(*views.List[views.NodeRow]); nodes.Total != z.Nodes {
			t.Errorf("%q finds %d nodes of %d", z.Scope, nodes.Total, z.Nodes)
		}
	}
	if diff := cmp.Diff(want, small.ByZone.Rows); diff != "" || len(keys) != len(want) {
		t.Errorf("zones with %d keys (-want +got):\n%s", len(keys), diff)
	}
}
