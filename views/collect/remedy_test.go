package collect_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"

	"orrery/core/engine"
	"orrery/core/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

// TestWhatWouldHelp has a pod that a single plugin keeps from every node, and asks what would free it.
func TestWhatWouldHelp(t *testing.T) {
	const zone = "topology.kubernetes.io/zone"
	for _, tt := range []struct {
		name       string
		node       *mk.NodeBuilder
		pod        *mk.PodBuilder
		cause, fix string
	}{
		{
			"a toleration", mk.Node("tainted").Taint("dedicated", "ml", v1.TaintEffectNoSchedule), mk.Pod("web"),
			"had untolerated taint(s): all that keeps it from 1 node of 1", "1 node would do with a toleration of dedicated=ml:NoSchedule",
		},
		{
			"uncordoning", mk.Node("cordoned").Unschedulable(), mk.Pod("web"),
			"were unschedulable: all that keeps it from 1 node of 1", "1 node would do once uncordoned",
		},
		{
			"spreading less evenly", mk.Node("alone"), mk.Pod("web").Label("app", "web"),
			"didn't match pod topology spread constraints (missing required label): all that keeps it from 1 node of 1",
			"1 node would do if it might be spread less evenly: maxSkew 1 over " + zone,
		},
		{
			"more of a resource", mk.Node("small"), mk.Pod("web").CPU("9"),
			"needs 9 cpu, at most 4 free on the 1 node that would do otherwise", "5 more cpu free on one of them, or as much less asked for",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, err := engine.New(engine.Options{Start: start})
			if err != nil {
				t.Fatal(err)
			}
			ch := collect.NewChronicle(collect.ChronicleOptions{})
			pod := tt.pod.Obj()
			if tt.name == "spreading less evenly" {
				pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: zone, WhenUnsatisfiable: v1.DoNotSchedule}}
			}
			apply(t, e, ch, world.Changed{Op: world.Added, Object: tt.node.CPU("4").Memory("8Gi").Obj()}, world.Changed{Op: world.Added, Object: pod})
			x := collect.New(collect.Run{Chronicle: ch}).Model(e, collect.Look{Open: views.ExplainPane, Rows: 5, Pod: world.RefOf(pod)}).Explain
			if x.Cause != tt.cause || len(x.Fixes) == 0 || x.Fixes[0] != tt.fix {
				t.Errorf("it says %q and %q, want %q and %q", x.Cause, x.Fixes, tt.cause, tt.fix)
			}
		})
	}
}

func TestTheLatestSearchesAreToldOf(t *testing.T) {
	e, ch := rushHour(t)
	apply(t, e, ch, world.Changed{Op: world.Added, Object: mk.Pod("late").Namespace("shop").CPU("100m").Obj()})
	z := collect.New(collect.Run{Chronicle: ch}).Model(e, collect.Look{Open: views.ZonesPane, Rows: 4, Columns: 80}).Zones
	if len(z.Searches) != 4 {
		t.Fatalf("%d searches are told of, want as many as there are rows", len(z.Searches))
	}
	last := z.Searches[0]
	if last.Pod != "shop/late" || last.Chosen != z.Chosen || last.Examined != z.Examined || last.Feasible != z.Feasible || last.Place < 0 {
		t.Errorf("the last search was %+v, and the lanes show %+v", last, z)
	}
	feasible, rejected := 0, 0
	for _, l := range z.Lanes {
		feasible, rejected = feasible+l.Feasible, rejected+l.Rejected
		if l.Allocated <= 0 || l.Allocated > 1 {
			t.Errorf("of zone %s is %v allocated", l.Zone, l.Allocated)
		}
	}
	if feasible != z.Feasible || rejected != z.Rejected {
		t.Errorf("the zones have %d feasible and %d rejected nodes, want %d and %d", feasible, rejected, z.Feasible, z.Rejected)
	}
}
