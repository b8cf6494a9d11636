package collect_test

import (
	"testing"

	"orrery/core/testing/mk"
	"orrery/core/world"
	"orrery/views"
	"orrery/views/collect"
)

func TestZones_LatestSearches(t *testing.T) {
	e, ch := busyCluster(t)
	apply(t, e, ch, world.Changed{Op: world.Added, Object: mk.Pod("late").Namespace("shop").CPU("100m").Obj()})
	z := collect.New(collect.Options{History: ch}).Model(e, collect.Query{Open: views.ZonesPane, Rows: 4, Columns: 80}).Zones
	if len(z.Searches) != 4 {
		t.Fatalf("%d searches, want as many as rows", len(z.Searches))
	}
	last := z.Searches[0]
	if last.Pod != "shop/late" || last.Chosen != z.Chosen || last.Examined != z.Examined || last.Feasible != z.Feasible || last.Place < 0 {
		t.Errorf("the last search was %+v, and the lanes show %+v", last, z)
	}
	feasible, rejected := 0, 0
	for _, l := range z.Lanes {
		feasible, rejected = feasible+l.Feasible, rejected+l.Rejected
		if l.Allocated <= 0 || l.Allocated > 1 {
			t.Errorf("zone %s: %v allocated", l.Zone, l.Allocated)
		}
	}
	if feasible != z.Feasible || rejected != z.Rejected {
		t.Errorf("the zones have %d feasible and %d rejected nodes, want %d and %d", feasible, rejected, z.Feasible, z.Rejected)
	}
}
